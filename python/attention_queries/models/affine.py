"""A head with affine scores and values, as the biases of a real layer make them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic

import numpy as np

from attention_queries.errors import InputError
from attention_queries.exactarray import integer_array
from attention_queries.models.heads import AttentionModel, Head
from attention_queries.semantics.base import S, Semantics, V
from attention_queries.sequences import Query, QueryBatch


class AffineHead(Generic[S, V]):
    """The function `f(X) = Σ_i softmax(s)_i (⟨v, x_i⟩ + b)` with scores `s_i = x_iᵀ (W q + c)`; immutable.

    `W` (d×d) and `c` (length d) are scalars, `v` (length d) and `b` values. Source:
    `AttentionQueries.Semantics.evalAffine`. The function is that of a head without `c` and `b` on tokens with a last
    entry 1, and is computed so.
    """

    def __init__(
        self, semantics: Semantics[S, V], W: Sequence[Sequence[Any]], c: Sequence[Any], v: Sequence[Any], b: Any
    ) -> None:
        """Raises `InputError` unless `W` is square of the size of `c` and `v`, and all entries can be read."""
        given = AttentionModel(semantics, len(v), [Head(W, v)]).heads[0]
        if len(c) != len(v):
            raise InputError(f"c has length {len(c)} and v has length {len(v)}")
        self.semantics = semantics
        self.dim = given.dim
        self.W: tuple[tuple[S, ...], ...] = given.W
        self.c: tuple[S, ...] = semantics.token(c)
        self.v: tuple[V, ...] = given.v
        self.b: V = semantics.value(b)
        rows = [*((*row, x) for row, x in zip(self.W, self.c, strict=True)), [0] * (self.dim + 1)]
        self._homogeneous: AttentionModel[S, V] = AttentionModel(
            semantics, self.dim + 1, [Head(rows, (*self.v, self.b))]
        )

    @property
    def parameters(self) -> int:
        """The number of parameters, `(d + 1)²`."""
        return (self.dim + 1) ** 2

    def value(self, query: Query[S]) -> V:
        """The answer to one query; errors as for `AttentionModel.value`."""
        self._check_dim(query.dim)
        one = self.semantics.scalar(1)
        return self._homogeneous.value(Query(tuple(((*token, one), k) for token, k in query.runs)))

    def values(self, batch: QueryBatch) -> list[V]:
        """The answers to a batch; errors as for `AttentionModel.values`."""
        return self._homogeneous.values(self._extended(batch)) if len(batch) else []

    def score_spans(self, batch: QueryBatch) -> list[S]:
        """For every query of the batch, the difference of the extreme scores."""
        return self._homogeneous.score_spans(self._extended(batch))

    def _extended(self, batch: QueryBatch) -> QueryBatch:
        self._check_dim(batch.dim)
        size = len(batch.tokens)
        ones = integer_array([batch.denominator] * size, (size, 1))
        return QueryBatch(np.hstack([batch.tokens, ones]), batch.sequences, batch.denominator)

    def _check_dim(self, dim: int) -> None:
        if dim != self.dim:
            raise InputError(f"the query has tokens of length {dim}, the model has dimension {self.dim}")

    def canonical(self) -> AffineHead[S, V]:
        """The head itself, or with `W = 0` and `c = 0` when `v = 0`.

        Two heads compute the same function iff their canonical forms agree. Source:
        `AttentionQueries.Semantics.affine_eq_iff`.
        """
        if any(x != 0 for x in self.v):
            return self
        return AffineHead(self.semantics, [[0] * self.dim] * self.dim, [0] * self.dim, self.v, self.b)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AffineHead) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self.semantics, self.W, self.c, self.v, self.b

    def __repr__(self) -> str:
        return f"<AffineHead: dimension {self.dim}, {self.semantics.name} semantics>"
