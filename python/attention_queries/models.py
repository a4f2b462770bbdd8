"""Attention heads, sums of heads, and their exact values on queries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import mul
from typing import Any, Generic

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from attention_queries.errors import InputError, ScoreTooLarge
from attention_queries.exactarray import exact_matrix, exact_vector
from attention_queries.semantics.base import Runs, S, Semantics, V
from attention_queries.semantics.expfraction import ExpFraction
from attention_queries.sequences import Query, QueryBatch, Token


class Head(Generic[S, V]):
    """One attention head: `W` (d×d, scalars) gives the scores `xᵀ W q`, `v` (length d, values) the outputs `⟨v, x⟩`.

    `W = KᵀQ` with the scale absorbed and `v = Vᵀ w_o` in the usual notation. Heads are immutable.
    """

    __slots__ = ("W", "v")

    W: tuple[tuple[S, ...], ...]
    v: tuple[V, ...]

    def __init__(self, W: Iterable[Iterable[S]], v: Iterable[V]) -> None:
        """Raises `InputError` unless `W` is square of the size of `v`, and not empty."""
        object.__setattr__(self, "W", tuple(tuple(row) for row in W))
        object.__setattr__(self, "v", tuple(v))
        d = len(self.v)
        if d == 0:
            raise InputError("v is empty; a head needs dimension at least 1")
        if len(self.W) != d:
            raise InputError(f"W has size {len(self.W)} and v has length {d}; W must be square of the size of v")
        for i, row in enumerate(self.W):
            if len(row) != d:
                raise InputError(f"W[{i}] has length {len(row)} instead of {d}; W must be square of the size of v")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("heads are immutable")

    def __reduce__(self) -> tuple[type[Head[S, V]], tuple[Any, Any]]:
        return Head, (self.W, self.v)

    @property
    def dim(self) -> int:
        """The dimension d."""
        return len(self.v)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Head) and self.W == other.W and self.v == other.v

    def __hash__(self) -> int:
        return hash((self.W, self.v))

    def __repr__(self) -> str:
        return f"Head(W={self.W!r}, v={self.v!r})" if self.dim <= 4 else f"<Head of dimension {self.dim}>"


class AttentionModel(Generic[S, V]):
    """A sum of attention heads over one semantics: `f(X) = Σ_h Σ_i softmax(s^h)_i ⟨v_h, x_i⟩`."""

    def __init__(self, semantics: Semantics[S, V], dim: int, heads: Iterable[Head[Any, Any]]) -> None:
        """Read every entry in `semantics`; raises `InputError` for bad numbers or heads of another dimension."""
        if type(dim) is not int or dim < 1:
            raise InputError(f"the dimension is a positive integer, not {dim}")
        self.semantics = semantics
        self.dim = dim
        self.heads: tuple[Head[S, V], ...] = tuple(self._read(head, h) for h, head in enumerate(heads))
        evaluator = _ExactHead if semantics.exact else _FloatHead
        self._evaluators: list[_ExactHead | _FloatHead] = [evaluator(head, semantics) for head in self.heads]
        self._last: tuple[Token[S], list[_Prepared]] | None = None

    def _read(self, head: Head[Any, Any], h: int) -> Head[S, V]:
        if head.dim != self.dim:
            raise InputError(f"head {h} has dimension {head.dim} instead of {self.dim}")
        W = [self._vector(self.semantics.token, row, f"heads[{h}].W[{i}]") for i, row in enumerate(head.W)]
        return Head(W, self._vector(self._values, head.v, f"heads[{h}].v"))

    def _values(self, entries: Iterable[object]) -> tuple[V, ...]:
        return tuple(map(self.semantics.value, entries))

    @staticmethod
    def _vector(read: Callable[[Sequence[object]], tuple[Any, ...]], entries: Sequence[object], place: str) -> Any:
        try:
            return read(entries)
        except InputError:
            for i, x in enumerate(entries):
                try:
                    read([x])
                except InputError as error:
                    raise InputError(f"{place}[{i}]: {error}") from None
            raise

    @property
    def parameters(self) -> int:
        """The number of parameters, `H(d² + d)`."""
        return len(self.heads) * (self.dim**2 + self.dim)

    def value(self, query: Query[S]) -> V:
        """The model's answer to one query.

        Raises `InputError` for tokens of another dimension and `ScoreTooLarge` where base-2 powers do not fit.
        """
        self._check_dim(query.dim)
        prepared = self._prepare(query.token)
        copies = [k for _, k in query.runs]
        context = [token for token, _ in query.runs[:-1]]
        scores = [[*map(head.score, context), head.last_score] for head in prepared]
        if self.semantics.max_span is not None:
            self.semantics.check_spans([max(s) - min(s) for s in scores])
        total: V | None = None
        for head, s in zip(prepared, scores, strict=True):
            mean = self.semantics.softmax_mean(s, copies, [*map(head.output, context), head.last_output])
            total = mean if total is None else total + mean
        return self.semantics.value(0) if total is None else total

    def _prepare(self, q: Token[S]) -> list[_Prepared]:
        # Learners ask many queries in a row with the same query token: keep W q of the last one.
        if self._last is None or self._last[0] != q:
            self._last = q, [evaluator.prepare(q) for evaluator in self._evaluators]
        return self._last[1]

    def score_spans(self, batch: QueryBatch) -> list[S]:
        """For every head and query of the batch, the difference of the extreme scores."""
        self._check_dim(batch.dim)
        return [
            span
            for group in _by_query_token(batch)
            for scores in self._scores(batch, group)
            for span in _spans(scores, group.sequences)
        ]

    def values(self, batch: QueryBatch) -> list[V]:
        """The model's answers to a batch, the same as `value` gives one by one.

        `W q` is computed once for each distinct query token. Errors as for `value`, before any answer is computed.
        """
        if len(batch) == 0:
            return []
        self._check_dim(batch.dim)
        groups = _by_query_token(batch)
        all_scores = [self._scores(batch, group) for group in groups]
        self._check_spans(groups, all_scores)
        outputs = [evaluator.outputs(batch) for evaluator in self._evaluators]
        answers: list[V] = [self.semantics.value(0)] * len(batch)
        for group, by_head in zip(groups, all_scores, strict=True):
            for h, scores in enumerate(by_head):
                means = self.semantics.softmax_means(scores, outputs[h], group.sequences)
                for j, mean in zip(group.positions, means, strict=True):
                    answers[j] = mean if h == 0 else answers[j] + mean
        return answers

    def _check_spans(self, groups: list[_Group], all_scores: list[list[dict[int, S]]]) -> None:
        if self.semantics.max_span is None:
            return
        pairs = [
            (scores, group.sequences) for group, by_head in zip(groups, all_scores, strict=True) for scores in by_head
        ]
        try:
            # Most batches pass with the spread over all their tokens in place of the span of each query.
            self.semantics.check_spans([s for scores, queries in pairs for s in [_spread(scores)] * len(queries)])
        except ScoreTooLarge:
            self.semantics.check_spans([s for scores, queries in pairs for s in _spans(scores, queries)])

    def _scores(self, batch: QueryBatch, group: _Group) -> list[dict[int, S]]:
        return [
            dict(zip(group.rows, evaluator.scores(batch, group.rows, group.last), strict=True))
            for evaluator in self._evaluators
        ]

    def _check_dim(self, dim: int) -> None:
        if dim != self.dim:
            raise InputError(f"the query has tokens of length {dim}, the model has dimension {self.dim}")

    def canonical_heads(self) -> dict[tuple[tuple[S, ...], ...], tuple[V, ...]]:
        """The function's canonical form: for each distinct `W` the sum of its `v`, zero sums left out.

        Two models of equal semantics and dimension compute the same function exactly when these agree.
        """
        sums: dict[tuple[tuple[S, ...], ...], tuple[V, ...]] = {}
        for head in self.heads:
            old = sums.get(head.W)
            sums[head.W] = head.v if old is None else tuple(a + b for a, b in zip(old, head.v, strict=True))
        return {W: v for W, v in sums.items() if any(x != 0 for x in v)}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AttentionModel):
            return NotImplemented
        return self.semantics == other.semantics and self.dim == other.dim and self.heads == other.heads

    def __hash__(self) -> int:
        return hash((self.semantics, self.dim, self.heads))

    def __repr__(self) -> str:
        return f"<AttentionModel: {len(self.heads)} head(s), dimension {self.dim}, {self.semantics.name} semantics>"


@dataclass
class _Group:
    """The queries of a batch that share one query token, and the rows of the table they use."""

    last: int
    positions: Any
    sequences: list[Runs]
    rows: list[int]


def _by_query_token(batch: QueryBatch) -> list[_Group]:
    groups: dict[int, _Group] = {}
    last_rows = [runs[-1][0] for runs in batch.sequences]
    if len(set(last_rows)) == 1:
        return [_Group(last_rows[0], range(len(batch)), batch.sequences, batch.used_rows)]
    for j, (last, runs) in enumerate(zip(last_rows, batch.sequences, strict=True)):
        group = groups.setdefault(last, _Group(last, [], [], []))
        group.positions.append(j)
        group.sequences.append(runs)
    for group in groups.values():
        group.rows = sorted({i for runs in group.sequences for i, _ in runs})
    return list(groups.values())


def _spans(scores: dict[int, S], sequences: Iterable[Runs]) -> list[S]:
    return [_spread({i: scores[i] for i, _ in runs}) for runs in sequences]


def _spread(scores: dict[int, S]) -> S:
    spread: S = max(scores.values()) - min(scores.values())
    return spread


class _Prepared:
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
        return self._scalar(sum(map(mul, x, self._Wq)))


class _ExactHead:
    """Evaluation of a head over integer matrices with a common denominator."""

    def __init__(self, head: Head[Any, Any], semantics: Semantics[Any, Any]) -> None:
        self._semantics = semantics
        self._W = exact_matrix(head.W, head.dim)
        self._v = head.v
        rational = [_as_rational(x) for x in head.v]
        # Values of the exp semantics may be irrational; then outputs are summed entry by entry.
        self._rational_v = None if None in rational else exact_vector([x for x in rational if x is not None])
        if self._rational_v is not None:
            self._v_numerators: list[int] = self._rational_v.numerators.tolist()

    def prepare(self, q: Token[Any]) -> _Prepared:
        return _Prepared(self._W.times(exact_vector(q)).tolist(), q, self._semantics.scalar, self._output)

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

    def __init__(self, head: Head[Any, Any], semantics: Semantics[Any, Any]) -> None:
        self._semantics = semantics
        self._W = np.array(head.W, dtype=np.float64)
        self._v = np.array(head.v, dtype=np.float64)

    def prepare(self, q: Token[Any]) -> _Prepared:
        return _Prepared(
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
