"""The column space of a matrix that is seen column by column: what it predicts, and what contradicts it.

With columns `C` and rows `I` such that the square matrix `C_I` is invertible, a column `c` of the space is
`C C_I⁻¹ c_I`, and a matrix whose columns lie in the space is `C C_I⁻¹` times its rows `I`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from flint import fmpq_mat, fmpz
from numpy.typing import NDArray

from attention_queries.exactarray import exact_vector

Vector = NDArray[Any]


class Columns(Protocol):
    """Independent columns, with one pivot row for each."""

    pivots: list[int]

    def contradicts(self, a: Vector, at_pivots: Sequence[Any], score: Any) -> bool:
        """Whether a column with these entries at the pivots and `aᵀ column = score` lies outside the space.

        `a` vanishes at the pivots. False does not imply that the column lies in the space.
        """

    def extend(self, column: Sequence[Any]) -> int | None:
        """Add a column and return its pivot row, which is a new one; None if the column lies in the space already."""

    def combine(self, rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
        """The matrix whose columns lie in the space and whose rows at the pivots, in their order, are these."""


class ExactColumns:
    """Columns of rational numbers.

    Independence is tested modulo a prime: what is not zero there is not zero. What is zero there is computed again
    exactly, so that the prime has no influence on any result.
    """

    def __init__(self, dim: int, rng: random.Random) -> None:
        self.pivots: list[int] = []
        self._dim = dim
        self._rng = rng
        self._columns: list[Sequence[Any]] = []
        self._start()

    def _start(self) -> None:
        self._prime = _random_prime(self._rng)
        self._buffer, self._scratch = np.empty((2, self._dim, self._dim), dtype=np.int64)
        self._reduced = self._buffer[:, :0]  # C C_I⁻¹ modulo the prime

    def contradicts(self, a: Vector, at_pivots: Sequence[Any], score: Any) -> bool:
        """See `Columns`; exact."""
        *known, last = self._residues([*at_pivots, score]).tolist()
        weights = self._product(self._reduced.T, a % self._prime).tolist()
        if (last - sum(x * y for x, y in zip(weights, known, strict=True))) % self._prime:
            return True
        predicted = self._combine([[x] for x in at_pivots])
        return bool(sum(x * int(y) for (x,), y in zip(predicted.tolist(), a, strict=True)) != score)

    def extend(self, column: Sequence[Any]) -> int | None:
        """See `Columns`; exact."""
        while not (rest := self._rest(column)).any():
            if self._combine([[column[i]] for i in self.pivots]) == fmpq_mat(self._dim, 1, list(column)):
                return None
            self._change_prime()
        pivot = int(np.flatnonzero(rest)[0])
        self._append(rest, pivot)
        self.pivots.append(pivot)
        self._columns.append(column)
        return pivot

    def combine(self, rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
        """See `Columns`; exact."""
        result: list[list[Any]] = self._combine(rows, self._dim).tolist()
        return result

    def _combine(self, rows: Sequence[Sequence[Any]], width: int = 1) -> Any:
        k = len(self.pivots)
        if k == 0:
            return fmpq_mat(self._dim, width)
        square = fmpq_mat(k, k, [column[i] for i in self.pivots for column in self._columns])
        weights = square.solve(fmpq_mat(k, width, [x for row in rows for x in row]))
        return fmpq_mat(self._dim, k, [x for row in zip(*self._columns, strict=True) for x in row]) * weights

    def _residues(self, entries: Sequence[Any]) -> NDArray[np.int64]:
        """A multiple of a vector that has integer entries, modulo the prime."""
        return (exact_vector(entries).numerators % self._prime).astype(np.int64)

    def _product(self, A: NDArray[np.int64], x: NDArray[np.int64]) -> NDArray[np.int64]:
        # Products of two residues have 44 bits, so that sums of 2^19 of them still fit 63 bits.
        result: NDArray[np.int64] = A @ x % self._prime
        return result

    def _rest(self, column: Sequence[Any]) -> NDArray[np.int64]:
        """A multiple of what the space does not explain of a column; zero at the pivots."""
        c = self._residues(column)
        return (c - self._product(self._reduced, c[self.pivots[: self._reduced.shape[1]]])) % self._prime

    def _append(self, rest: NDArray[np.int64], pivot: int) -> None:
        rest = rest * pow(int(rest[pivot]), -1, self._prime) % self._prime
        size = self._reduced.shape[1]
        self._reduced -= np.multiply(rest[:, None], self._reduced[pivot], out=self._scratch[:, :size])
        self._reduced %= self._prime
        self._buffer[:, size] = rest
        self._reduced = self._buffer[:, : size + 1]

    def _change_prime(self) -> None:
        """Start again with another prime; all but finitely many keep the pivots different from zero."""
        self._start()
        for column, pivot in zip(self._columns, self.pivots, strict=True):
            rest = self._rest(column)
            if rest[pivot] == 0:
                return self._change_prime()
            self._append(rest, pivot)


def _random_prime(rng: random.Random) -> int:
    while not fmpz(n := rng.randrange(2**21 + 1, 2**22, 2)).is_prime():
        pass
    return n


class FloatColumns:
    """Columns of floating-point numbers: zero is what is small beside the largest score seen, or beside 1.

    The pivot row of a column is the one where the space explains least (partial pivoting).
    """

    def __init__(self, dim: int, tolerance: float) -> None:
        self.pivots: list[int] = []
        self._tolerance = tolerance
        self._largest = 1.0
        self._columns = np.zeros((dim, 0))
        self._reduced = np.zeros((dim, 0))  # C C_I⁻¹

    def contradicts(self, a: Vector, at_pivots: Sequence[Any], score: Any) -> bool:
        """See `Columns`, up to the tolerance."""
        self._largest = max(self._largest, abs(score), *map(abs, at_pivots))
        rest = score - a @ self._reduced @ np.array(at_pivots, dtype=np.float64)
        return bool(abs(rest) > self._tolerance * self._largest * np.abs(a).sum())

    def extend(self, column: Sequence[Any]) -> int | None:
        """See `Columns`, up to the tolerance."""
        c = np.array(column, dtype=np.float64)
        self._largest = max(self._largest, float(np.abs(c).max()))
        rest = c - self._reduced @ c[self.pivots]
        rest[self.pivots] = 0
        pivot = int(np.abs(rest).argmax())
        if abs(rest[pivot]) <= self._tolerance * self._largest:
            return None
        rest /= rest[pivot]
        self._reduced = np.column_stack([self._reduced - rest[:, None] * self._reduced[pivot], rest])
        self._columns = np.column_stack([self._columns, c])
        self.pivots.append(pivot)
        return pivot

    def combine(self, rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
        """See `Columns`; from the columns themselves, more accurate than from what was updated step by step."""
        at_pivots = np.array(rows, dtype=np.float64).reshape(-1, len(self._columns))
        result: list[list[Any]] = (self._columns @ np.linalg.solve(self._columns[self.pivots], at_pivots)).tolist()
        return result
