"""A head whose outputs are vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic

from attention_queries.errors import InputError
from attention_queries.models.heads import AttentionModel, Head
from attention_queries.semantics.base import S, Semantics, V
from attention_queries.semantics.vectors import VectorValues
from attention_queries.sequences import Query, QueryBatch


class VectorHead(Generic[S, V]):
    """The function `F(X) = Σ_i softmax(s)_i V x_i` with scores `s_i = x_iᵀ W q`; immutable.

    `W` is d×d (scalars), `V = value_matrix` is m×d (values). Answers are tuples of m values, those of the semantics
    `VectorValues`. Source: `AttentionQueries.Semantics.evalVec`.
    """

    def __init__(
        self, semantics: Semantics[S, V], W: Sequence[Sequence[Any]], value_matrix: Sequence[Sequence[Any]]
    ) -> None:
        """Raises `InputError` for sizes that do not fit, for a `value_matrix` without rows, and for bad numbers."""
        self.semantics: Semantics[S, tuple[V, ...]] = VectorValues(semantics, len(value_matrix))
        self.dim = len(W)
        self._rows: list[AttentionModel[S, V]] = []
        for a, row in enumerate(value_matrix):
            try:
                self._rows.append(AttentionModel(semantics, self.dim, [Head(W, row)]))
            except InputError as error:
                raise InputError(f"with row {a} of V as v: {error}") from None
        self.W: tuple[tuple[S, ...], ...] = self._rows[0].heads[0].W
        self.value_matrix: tuple[tuple[V, ...], ...] = tuple(model.heads[0].v for model in self._rows)

    @property
    def parameters(self) -> int:
        """The number of parameters, `d² + md`."""
        return self.dim * (self.dim + len(self.value_matrix))

    def value(self, query: Query[S]) -> tuple[V, ...]:
        """The answer to one query; errors as for `AttentionModel.value`."""
        return tuple(model.value(query) for model in self._rows)

    def values(self, batch: QueryBatch) -> list[tuple[V, ...]]:
        """The answers to a batch; errors as for `AttentionModel.values`."""
        return list(zip(*(model.values(batch) for model in self._rows), strict=True))

    def score_spans(self, batch: QueryBatch) -> list[S]:
        """For every query of the batch, the difference of the extreme scores."""
        return self._rows[0].score_spans(batch)

    def canonical(self) -> VectorHead[S, V]:
        """The head itself, or with `W = 0` when `V = 0`.

        Two heads compute the same function iff their canonical forms agree. Source:
        `AttentionQueries.Semantics.vector_eq_iff`.
        """
        if any(x != 0 for row in self.value_matrix for x in row):
            return self
        return VectorHead(self._rows[0].semantics, [[0] * self.dim] * self.dim, self.value_matrix)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, VectorHead) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self.semantics, self.W, self.value_matrix

    def __repr__(self) -> str:
        return f"<VectorHead: dimension {self.dim}, {self.semantics.name} semantics>"
