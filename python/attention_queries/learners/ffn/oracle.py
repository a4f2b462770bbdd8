"""Asking a model with attention for the values of the network behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from attention_queries.errors import NotATransformer
from attention_queries.oracle import Oracle
from attention_queries.semantics import ExpFraction
from attention_queries.semantics.rational import parse_rational
from attention_queries.sequences import QueryBatch
from attention_queries.transformer.network import ReluNetwork
from attention_queries.transformer.readout import query_at


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

    def __call__(self, oracle: NetworkOracle, /, *, seed: int = 0) -> ReluNetwork:
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

    Sequences of length one do it; in base 2, where tokens are integers, copies of the token 0 stand in for fractions
    (see `query_at`), so that sequences are as long as the denominators of the points.
    """

    def __init__(self, oracle: Oracle[Any, Any]) -> None:
        self._oracle = oracle
        self.dim = oracle.dim
        self.exact = oracle.semantics.exact

    def values(self, points: Sequence[Sequence[Any]]) -> list[Any]:
        """`g(z)` for every point `z`; raises `NotATransformer` when an answer is not rational."""
        batch = QueryBatch.of([query_at(z, self._oracle.semantics) for z in points])
        return [self._rational(answer, batch, j) for j, answer in enumerate(self._oracle.many(batch))]

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
