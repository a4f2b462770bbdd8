"""Rank factorisations `W = KᵀQ` and the gauge freedom in them.

Queries determine `W` only. Its factors with `r = rank W` rows are determined up to `K → A⁻ᵀ K`, `Q → A Q` with an
invertible `A` of size `r`, and no further.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import fmpq, fmpq_mat

from attention_queries.errors import InputError
from attention_queries.semantics.rational import parse_rational

Rows = Sequence[Sequence[Any]]
Factor = tuple[tuple[fmpq, ...], ...]


def factors(W: Rows) -> tuple[Factor, Factor]:
    """Matrices `K` and `Q` of rational numbers with as many rows as the rank of `W`, such that `W = KᵀQ`.

    `Q` is the reduced row echelon form of `W` without its zero rows, so it is the same for all matrices with the rows'
    span; the columns of `Kᵀ` are columns of `W`. Raises `InputError` for entries that are not exact numbers.
    """
    matrix = _matrix(W, "W")
    echelon, rank = matrix.rref()
    Q = [[echelon[i, j] for j in range(matrix.ncols())] for i in range(rank)]
    leading = [next(j for j, x in enumerate(row) if x != 0) for row in Q]
    K = [[matrix[i, j] for i in range(matrix.nrows())] for j in leading]
    return _factor(K), _factor(Q)


def gauge(K: Rows, Q: Rows, A: Rows) -> tuple[Factor, Factor]:
    """The other factorisation `(A⁻ᵀ K, A Q)` of the same `W`; raises `InputError` unless `A` is invertible."""
    keys, queries, change = _matrix(K, "K"), _matrix(Q, "Q"), _matrix(A, "A")
    size = change.nrows()
    if change.ncols() != size or keys.nrows() != size or queries.nrows() != size:
        raise InputError(
            f"A is a square matrix with as many rows as K ({keys.nrows()}) and Q ({queries.nrows()}), "
            f"not {size} by {change.ncols()}"
        )
    if change.det() == 0:
        raise InputError("A is not invertible")
    return _factor((change.inv().transpose() * keys).tolist()), _factor((change * queries).tolist())


def gauge_between(first: tuple[Rows, Rows], second: tuple[Rows, Rows]) -> Factor | None:
    """The one `A` with `gauge(*first, A) == second`, if both are factorisations of one `W` of that rank; else None."""
    (K, Q), (other_K, other_Q) = first, second
    old, new = _matrix(Q, "Q"), _matrix(other_Q, "Q")
    if (old.nrows(), old.ncols()) != (new.nrows(), new.ncols()) or old.rank() < old.nrows():
        return None
    across = old.transpose()
    A = _factor((new * across * (old * across).inv()).tolist())
    try:
        return A if gauge(K, Q, A) == (_factor(_matrix(other_K, "K").tolist()), _factor(new.tolist())) else None
    except InputError:
        return None


def _matrix(rows: Rows, name: str) -> Any:
    width = len(rows[0]) if rows else 0
    if any(len(row) != width for row in rows):
        raise InputError(f"the rows of {name} have different lengths")
    return fmpq_mat(len(rows), width, [parse_rational(x) for row in rows for x in row])


def _factor(rows: Rows) -> Factor:
    return tuple(tuple(row) for row in rows)
