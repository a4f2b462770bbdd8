"""Attention heads, sums of heads, and their exact values on queries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, Protocol

from attention_queries.errors import InputError, ScoreTooLarge, shown
from attention_queries.models.evaluation import (
    PreparedHead,
    QueryGroup,
    by_query_token,
    evaluator,
    spans_within,
    spread_of,
)
from attention_queries.semantics.base import S, Semantics, V
from attention_queries.sequences import Query, QueryBatch, Token


class SequenceModel(Protocol[S, V]):
    """A model of any kind, as oracles and checks use it."""

    @property
    def semantics(self) -> Semantics[S, V]:
        """The number system."""

    @property
    def dim(self) -> int:
        """The length of tokens."""

    @property
    def parameters(self) -> int:
        """The number of parameters."""

    def value(self, query: Query[S]) -> V:
        """The model's answer to one query."""

    def values(self, batch: QueryBatch) -> list[V]:
        """The model's answers to a batch."""

    def score_spans(self, batch: QueryBatch) -> list[S]:
        """The differences of extreme scores, for every query of the batch."""


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
        if self.dim > 4:
            return f"<Head of dimension {self.dim}>"
        return f"Head(W=[{', '.join(map(_row, self.W))}], v={_row(self.v)})"


def _row(entries: Iterable[object]) -> str:
    return f"[{', '.join(map(str, entries))}]"


class AttentionModel(Generic[S, V]):
    """A sum of attention heads over one semantics: `f(X) = Σ_h Σ_i softmax(s^h)_i ⟨v_h, x_i⟩`."""

    def __init__(self, semantics: Semantics[S, V], dim: int, heads: Iterable[Head[Any, Any]]) -> None:
        """Read every entry in `semantics`; raises `InputError` for bad numbers or heads of another dimension."""
        if type(dim) is not int or dim < 1:
            raise InputError(f"the dimension is a positive integer, not {shown(dim)}")
        self.semantics = semantics
        self.dim = dim
        self.heads: tuple[Head[S, V], ...] = tuple(self._read(head, h) for h, head in enumerate(heads))
        self._evaluators = [evaluator(head.W, head.v, semantics) for head in self.heads]
        self._last: tuple[Token[S], list[PreparedHead]] | None = None

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

        Raises `InputError` for tokens of another dimension, for entries that are not scalars of the semantics and for
        floating-point overflow, and `ScoreTooLarge` where base-2 powers do not fit.
        """
        self._check_dim(query.dim)
        *context, last = [self.semantics.token(token) for token, _ in query.runs]
        prepared = self._prepare(last)
        copies = [k for _, k in query.runs]
        scores = [[*map(head.score, context), head.last_score] for head in prepared]
        if self.semantics.max_span is not None:
            self.semantics.check_spans([max(s) - min(s) for s in scores])
        total: V | None = None
        for head, s in zip(prepared, scores, strict=True):
            mean = self.semantics.softmax_mean(s, copies, [*map(head.output, context), head.last_output])
            total = mean if total is None else total + mean
        return self.semantics.value(0 if total is None else total)

    def _prepare(self, q: Token[S]) -> list[PreparedHead]:
        # Learners ask many queries in a row with the same query token: keep W q of the last one.
        last = self._last
        if last is None or last[0] != q:
            last = self._last = q, [evaluator.prepare(q) for evaluator in self._evaluators]
        return last[1]

    def score_spans(self, batch: QueryBatch) -> list[S]:
        """For every head and query of the batch, the difference of the extreme scores."""
        self._check_dim(batch.dim)
        return [
            span
            for group in by_query_token(batch)
            for scores in self._scores(batch, group)
            for span in spans_within(scores, group.sequences)
        ]

    def values(self, batch: QueryBatch) -> list[V]:
        """The model's answers to a batch, the same as `value` gives one by one (in floating point up to rounding).

        `W q` is computed once for each distinct query token. Errors as for `value`, before any answer is computed.
        """
        if len(batch) == 0:
            return []
        self._check_dim(batch.dim)
        groups = by_query_token(batch)
        all_scores = [self._scores(batch, group) for group in groups]
        self._check_spans(groups, all_scores)
        outputs = [evaluator.outputs(batch) for evaluator in self._evaluators]
        answers: list[V] = [self.semantics.value(0)] * len(batch)
        for group, by_head in zip(groups, all_scores, strict=True):
            for h, scores in enumerate(by_head):
                means = self.semantics.softmax_means(scores, outputs[h], group.sequences)
                for j, mean in zip(group.positions, means, strict=True):
                    answers[j] = mean if h == 0 else answers[j] + mean
        return answers if self.semantics.exact else list(map(self.semantics.value, answers))

    def _check_spans(self, groups: list[QueryGroup], all_scores: list[list[dict[int, S]]]) -> None:
        if self.semantics.max_span is None:
            return
        pairs = [
            (scores, group.sequences) for group, by_head in zip(groups, all_scores, strict=True) for scores in by_head
        ]
        try:
            # Most batches pass with the spread over all their tokens in place of the span of each query.
            self.semantics.check_spans([s for scores, queries in pairs for s in [spread_of(scores)] * len(queries)])
        except ScoreTooLarge:
            self.semantics.check_spans([s for scores, queries in pairs for s in spans_within(scores, queries)])

    def _scores(self, batch: QueryBatch, group: QueryGroup) -> list[dict[int, S]]:
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
