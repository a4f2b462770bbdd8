"""A layer as it is stored: projections and biases of keys, queries and values, and what its function tells of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Generic, TypeVar

from flint import fmpq_mat

from attention_queries.errors import InputError
from attention_queries.models.affine import AffineHead
from attention_queries.semantics.base import S, Semantics, V
from attention_queries.semantics.rational import parse_rational
from attention_queries.sequences import Query, QueryBatch, Token

Matrix = Sequence[Sequence[Any]]
T = TypeVar("T", bound=Any)


@dataclass(frozen=True)
class ProjectedHead(Generic[S, V]):
    """A head with scores `⟨K x + b_K, Q y + b_Q⟩` (token `x`, query token `y`) and values `⟨w, V x + b_V⟩`.

    `K` and `Q` are r×d, `b_K` and `b_Q` have length r (scalars, the usual factor `1/√r` absorbed); `V` is m×d, `b_V`
    and the readout `w` have length m (values). Source: `AttentionQueries.ProjectedHead`.
    """

    semantics: Semantics[S, V]
    key: Sequence[Sequence[S]]
    key_bias: Sequence[S]
    query: Sequence[Sequence[S]]
    query_bias: Sequence[S]
    value_matrix: Sequence[Sequence[V]]
    value_bias: Sequence[V]
    readout: Sequence[V]

    def __post_init__(self) -> None:
        """Read all entries into tuples; raises `InputError` for bad numbers and shapes that do not fit."""
        scalar, value = self.semantics.scalar, self.semantics.value
        readers = {"value_matrix": value, "value_bias": value, "readout": value}
        for name in (f.name for f in fields(self) if f.name != "semantics"):
            read, entries = readers.get(name, scalar), getattr(self, name)
            matrix = name in ("key", "query", "value_matrix")
            try:
                table = tuple(tuple(map(read, row)) for row in entries) if matrix else tuple(map(read, entries))
            except InputError as error:
                raise InputError(f"{name}: {error}") from None
            object.__setattr__(self, name, table)
        d = len(self.key[0]) if self.key else 0
        if d == 0:
            raise InputError("key is empty; keys need at least one row and one column")
        if any(len(row) != d for row in (*self.key, *self.query, *self.value_matrix)):
            raise InputError(f"all rows of key, query and value_matrix need the same length, which is {d} for key")
        if not len(self.key) == len(self.query) == len(self.key_bias) == len(self.query_bias):
            raise InputError("key, query and their biases need the same length")
        if not len(self.value_matrix) == len(self.value_bias) == len(self.readout):
            raise InputError("value_matrix, value_bias and readout need the same length")

    @property
    def dim(self) -> int:
        """The dimension d."""
        return len(self.key[0])

    @property
    def parameters(self) -> int:
        """The number of parameters, `2r(d + 1) + m(d + 2)`; fewer are identifiable."""
        return 2 * len(self.key) * (self.dim + 1) + len(self.readout) * (self.dim + 2)

    def affine(self) -> AffineHead[S, V]:
        """The affine head `(KᵀQ, Kᵀb_Q, Vᵀw, ⟨w, b_V⟩)`, which has the same function: the key bias plays no role.

        Two projected heads compute the same function iff the canonical forms of these agree. Source:
        `AttentionQueries.Semantics.projected_eq_iff`.
        """
        zero, keys = self.semantics.scalar(0), list(zip(*self.key, strict=True))
        W = [[_dot(k, q, zero) for q in zip(*self.query, strict=True)] for k in keys]
        c = [_dot(k, self.query_bias, zero) for k in keys]
        nothing = self.semantics.value(0)
        columns = ([row[j] for row in self.value_matrix] for j in range(self.dim))
        v = [_dot(column, self.readout, nothing) for column in columns]
        return AffineHead(self.semantics, W, c, v, _dot(self.readout, self.value_bias, nothing))

    def score(self, x: Token[S], y: Token[S]) -> S:
        """The score `⟨K x + b_K, Q y + b_Q⟩` of the token `x` at the query token `y`."""
        zero = self.semantics.scalar(0)
        keys, queries = _affine(self.key, x, self.key_bias, zero), _affine(self.query, y, self.query_bias, zero)
        return _dot(keys, queries, zero)

    def output(self, x: Token[S]) -> V:
        """The value `⟨w, V x + b_V⟩` of the token `x`."""
        zero = self.semantics.value(0)
        return _dot(self.readout, _affine(self.value_matrix, x, self.value_bias, zero), zero)

    def value(self, query: Query[S]) -> V:
        """The answer to one query, from the definition; errors as for `AttentionModel.value`."""
        if query.dim != self.dim:
            raise InputError(f"the query has tokens of length {query.dim}, the model has dimension {self.dim}")
        tokens = [self.semantics.token(token) for token, _ in query.runs]
        scores = [self.score(x, tokens[-1]) for x in tokens]
        return self.semantics.softmax_mean(scores, [k for _, k in query.runs], list(map(self.output, tokens)))

    def values(self, batch: QueryBatch) -> list[V]:
        """The answers to a batch."""
        return list(map(self.value, batch))

    def score_spans(self, batch: QueryBatch) -> list[S]:
        """For every query of the batch, the difference of the extreme scores."""
        return self.affine().score_spans(batch)


def gauge(head: ProjectedHead[S, V], A: Matrix) -> ProjectedHead[S, V]:
    """The head with `A⁻ᵀ K`, `A Q` and `A b_Q` for an invertible rational r×r matrix `A`: it has the same function.

    When `Vᵀ w ≠ 0` and `KᵀQ` has rank r, all heads with keys of length r and this function are of this form, up to
    the key bias and to values with the same `Vᵀ w` and `⟨w, b_V⟩` (`AttentionQueries.Semantics.projected_gauge_iff`).

    Raises `InputError` when `A` is not such a matrix, and when the new entries are not scalars (in base 2, integers).
    Source: `AttentionQueries.Semantics.evalProjected_gauge`.
    """
    r = len(head.key)
    a = _matrix(A)
    if (a.nrows(), a.ncols()) != (r, r):
        raise InputError(f"the gauge of this head is a {r}x{r} matrix, not {a.nrows()}x{a.ncols()}")
    try:
        inverse = a.inv()
    except ZeroDivisionError:
        raise InputError("the matrix is not invertible") from None
    changed: dict[str, Any] = {
        "key": (inverse.transpose() * _matrix(head.key)).tolist(),
        "query": (a * _matrix(head.query)).tolist(),
        "query_bias": [x for (x,) in (a * _column(head.query_bias)).tolist()],
    }
    return replace(head, **changed)


def gauge_between(head: ProjectedHead[S, V], other: ProjectedHead[S, V]) -> fmpq_mat | None:
    """The one matrix `A` for which `gauge(head, A)` has the `K`, `Q` and `b_Q` of `other`, or None without one.

    Raises `InputError` unless `KᵀQ` has rank r: then `A` need not be unique, and equal functions need no `A`. Source:
    `AttentionQueries.Semantics.projected_gauge_iff`, `AttentionQueries.Semantics.projected_gauge_free`.
    """
    K, Q, other_K, other_Q = map(_matrix, (head.key, head.query, other.key, other.query))
    r = len(head.key)
    if (K.transpose() * Q).rank() < r:
        raise InputError(f"the score matrix has a rank below {r}, the length of the keys, so the gauge is not unique")
    if (other_K.nrows(), other_K.ncols()) != (r, head.dim) or other_K.rank() < r:
        return None
    # K = Aᵀ K' has one solution, as the rows of K' are independent.
    transposed = other_K.transpose()
    A = (other_K * transposed).inv() * (other_K * K.transpose())
    same = (A.transpose() * other_K, A * Q, A * _column(head.query_bias)) == (K, other_Q, _column(other.query_bias))
    return A if same else None


def _matrix(rows: Iterable[Iterable[object]]) -> fmpq_mat:
    """A rational matrix; raises `InputError` for other numbers and for rows of different lengths."""
    table = [list(map(parse_rational, row)) for row in rows]
    if not table or any(len(row) != len(table[0]) for row in table):
        raise InputError("a matrix needs at least one row, and rows of equal length")
    return fmpq_mat(table)


def _column(entries: Iterable[object]) -> fmpq_mat:
    return _matrix([x] for x in entries)


def _dot(x: Iterable[Any], y: Iterable[Any], zero: T) -> T:
    total: T = sum((a * b for a, b in zip(x, y, strict=True)), zero)
    return total


def _affine(A: Iterable[Sequence[Any]], x: Sequence[Any], b: Iterable[Any], zero: T) -> list[T]:
    return [_dot(row, x, zero) + c for row, c in zip(A, b, strict=True)]
