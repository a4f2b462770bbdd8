"""Evaluating one head on many queries, exactly or in floating point."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import mul
from typing import Any, Protocol

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from attention_queries.errors import InputError
from attention_queries.exactarray import exact_matrix, exact_vector
from attention_queries.semantics.base import Runs, S, Semantics
from attention_queries.semantics.expfraction import ExpFraction
from attention_queries.sequences import QueryBatch, Token

Vector = tuple[Any, ...]


class Evaluator(Protocol):
    """What a model needs from one of its heads."""

    def prepare(self, q: Token[Any]) -> PreparedHead:
        """The head with its query token fixed."""

    def scores(self, batch: QueryBatch, rows: Sequence[int], last: int) -> list[Any]:
        """The scores of some rows of the batch's table when row `last` holds the query token."""

    def outputs(self, batch: QueryBatch) -> list[Any]:
        """The outputs `⟨v, x⟩` for all rows of the batch's table."""


def evaluator(W: tuple[Vector, ...], v: Vector, semantics: Semantics[Any, Any]) -> Evaluator:
    """The evaluator that fits the semantics."""
    return _ExactHead(W, v, semantics) if semantics.exact else _FloatHead(W, v, semantics)


@dataclass
class QueryGroup:
    """The queries of a batch that share one query token, and the rows of the table they use."""

    last: int
    positions: Any
    sequences: list[Runs]
    rows: list[int]


def by_query_token(batch: QueryBatch) -> list[QueryGroup]:
    """Split a batch by query tokens, so that `W q` is computed once for each."""
    groups: dict[int, QueryGroup] = {}
    last_rows = [runs[-1][0] for runs in batch.sequences]
    if len(set(last_rows)) == 1:
        return [QueryGroup(last_rows[0], range(len(batch)), batch.sequences, batch.used_rows)]
    for j, (last, runs) in enumerate(zip(last_rows, batch.sequences, strict=True)):
        group = groups.setdefault(last, QueryGroup(last, [], [], []))
        group.positions.append(j)
        group.sequences.append(runs)
    for group in groups.values():
        group.rows = sorted({i for runs in group.sequences for i, _ in runs})
    return list(groups.values())


def spans_within(scores: dict[int, S], sequences: Iterable[Runs]) -> list[S]:
    """For each sequence, the difference of its extreme scores."""
    return [spread_of({i: scores[i] for i, _ in runs}) for runs in sequences]


def spread_of(scores: dict[int, S]) -> S:
    """The difference of the extreme scores of a whole table."""
    spread: S = max(scores.values()) - min(scores.values())
    return spread


class PreparedHead:
    """One head with the query token fixed: what a context token contributes."""

    def __init__(
        self, Wq: list[Any], q: Token[Any], scalar: Callable[[object], Any], output: Callable[[Token[Any]], Any]
    ) -> None:
        self._Wq = Wq
        self._scalar = scalar
        self.output = output
        self.last_score = self.score(q)
        self.last_output = output(q)

    def score(self, x: Token[Any]) -> Any:
        """The score `xᵀ W q`."""
        return self._scalar(sum(map(mul, x, self._Wq)))


class _ExactHead:
    """Evaluation of a head over integer matrices with a common denominator."""

    def __init__(self, W: tuple[Vector, ...], v: Vector, semantics: Semantics[Any, Any]) -> None:
        self._semantics = semantics
        self._W = exact_matrix(W, len(v))
        self._v = v
        rational = [_as_rational(x) for x in v]
        # Values of the exp semantics may be irrational; then outputs are summed entry by entry.
        self._rational_v = None if None in rational else exact_vector([x for x in rational if x is not None])
        if self._rational_v is not None:
            self._v_numerators: list[int] = self._rational_v.numerators.tolist()

    def prepare(self, q: Token[Any]) -> PreparedHead:
        return PreparedHead(self._W.times(exact_vector(q)).tolist(), q, self._semantics.scalar, self._output)

    def _output(self, x: Token[Any]) -> Any:
        if self._rational_v is None:
            return sum((a * b for a, b in zip(x, self._v, strict=True)), self._semantics.value(0))
        total = fmpq(sum(map(mul, x, self._v_numerators)))
        return self._semantics.value(total / self._rational_v.denominator)

    def scores(self, batch: QueryBatch, rows: Sequence[int], last: int) -> list[Any]:
        table = batch.exact_tokens
        if table.denominator != 1:
            self._semantics.scalar(fmpq(1, table.denominator))  # refuses fractions where tokens are integers
        Wq = self._W.times(table.row(last))
        if len(rows) < len(batch.tokens):
            table = table.rows(rows)
        return [self._semantics.scalar(s) for s in table.times(Wq).tolist()]

    def outputs(self, batch: QueryBatch) -> list[Any]:
        if self._rational_v is None:
            return [self._output(batch.token(i)) for i in range(len(batch.tokens))]
        return [self._semantics.value(y) for y in batch.exact_tokens.times(self._rational_v).tolist()]


def _as_rational(x: Any) -> fmpq | None:
    return x.as_rational() if isinstance(x, ExpFraction) else x


class _FloatHead:
    """Evaluation of a head in floating point; raises `InputError` where numbers overflow."""

    def __init__(self, W: tuple[Vector, ...], v: Vector, semantics: Semantics[Any, Any]) -> None:
        self._semantics = semantics
        self._W = np.array(W, dtype=np.float64)
        self._v = np.array(v, dtype=np.float64)

    def prepare(self, q: Token[Any]) -> PreparedHead:
        return PreparedHead(
            _product(self._W, np.array(q, dtype=np.float64)).tolist(), q, self._semantics.scalar, self._output
        )

    def _output(self, x: Token[Any]) -> float:
        return float(_product(np.array(x, dtype=np.float64), self._v))

    def scores(self, batch: QueryBatch, rows: Sequence[int], last: int) -> list[Any]:
        table = batch.float_tokens
        result: list[Any] = _product(table[rows], _product(self._W, table[last])).tolist()
        return result

    def outputs(self, batch: QueryBatch) -> list[Any]:
        result: list[Any] = _product(batch.float_tokens, self._v).tolist()
        return result


def _product(A: NDArray[np.float64], x: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(over="ignore", invalid="ignore"):
        result: NDArray[np.float64] = np.asarray(A @ x)
    if not np.isfinite(result).all():
        raise InputError("a score or an output is too large for floating-point numbers")
    return result
