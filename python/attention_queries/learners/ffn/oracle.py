"""Asking a model with attention for the values of the network behind it."""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm
from typing import Any, Protocol

from flint import fmpq

from attention_queries.errors import NotATransformer
from attention_queries.oracle import Oracle
from attention_queries.semantics import Base2, ExpFraction
from attention_queries.semantics.rational import parse_rational
from attention_queries.sequences import Query, QueryBatch
from attention_queries.transformer.network import ReluNetwork


class NetworkOracle(Protocol):
    """Answers with values `g(z)` of an unknown function of vectors of length `dim`.

    When `exact`, points and answers are rational numbers (integers, `Fraction` or `flint.fmpq`, any of them in a point;
    answers are `fmpq`). Otherwise they are floating-point numbers.
    """

    dim: int
    exact: bool

    def values(self, points: Sequence[Sequence[Any]]) -> list[Any]:
        """`g(z)` for every point `z`, one query each."""


class NetworkLearner(Protocol):
    """A function that recovers the network behind an oracle.

    It returns any network with the right function, and raises a `LearningError` when it finds none.
    """

    def __call__(self, oracle: NetworkOracle, *, seed: int = 0) -> ReluNetwork:
        """The network; `seed` determines the random choices."""


class KnownNetwork:
    """An oracle that knows its network and counts its queries."""

    def __init__(self, network: ReluNetwork) -> None:
        self.network = network
        self.dim = network.dim
        self.exact = network.exact
        self.queries = 0

    def values(self, points: Sequence[Sequence[Any]]) -> list[Any]:
        """`g(z)` for every point `z`."""
        self.queries += len(points)
        read = parse_rational if self.exact else float
        return [self.network.value([read(x) for x in z]) for z in points]


class ReadoutOracle:
    """The network behind an attention oracle, at any rational point, whatever `W` is.

    A sequence of length one has its token for attention output. In base 2, where tokens are integers, the point `x / n`
    is asked as one copy of `x` and `n - 1` copies of the query token 0: all scores are 0, and the output is the mean.
    """

    def __init__(self, oracle: Oracle[Any, Any]) -> None:
        self._oracle = oracle
        self.dim = oracle.dim
        self.exact = oracle.semantics.exact

    def values(self, points: Sequence[Sequence[Any]]) -> list[Any]:
        """`g(z)` for every point `z`; raises `NotATransformer` when an answer is not rational."""
        if not points:
            return []
        if isinstance(self._oracle.semantics, Base2):
            batch = QueryBatch.of([_mean_query([parse_rational(x) for x in z]) for z in points])
        else:
            batch = QueryBatch.singles([self._oracle.semantics.token(z) for z in points])
        answers = self._oracle.many(batch)
        return [self._rational(answer, batch, j) for j, answer in enumerate(answers)]

    def _rational(self, answer: Any, batch: QueryBatch, j: int) -> Any:
        if not isinstance(answer, ExpFraction):
            return answer
        rational = answer.as_rational()
        if rational is None:
            query = batch.query(j)
            raise NotATransformer(
                f"the answer to {query} is not rational, as it would be for a network with rational weights",
                query,
                answer,
            )
        return rational


def _mean_query(z: Sequence[fmpq]) -> Query[int]:
    n = lcm(*(int(x.q) for x in z))
    token = tuple(int(x.p) * (n // int(x.q)) for x in z)
    return Query(((token, 1),)) if n == 1 else Query(((token, 1), ((0,) * len(token), n - 1)))
