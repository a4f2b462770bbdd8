"""Integer vectors and matrices over one common denominator, multiplied in 64 bits whenever that is proved safe."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import lcm
from typing import Any

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from attention_queries.semantics.rational import parse_rational

SAFE = 1 << 62
"""Every partial sum of a 64-bit product stays below this."""

Array = NDArray[Any]


class ExactArray:
    """The rational array `numerators / denominator`; `numerators` has dtype int64, or object for larger integers."""

    def __init__(self, numerators: Array, denominator: int = 1) -> None:
        self.numerators = numerators
        self.denominator = denominator

    @cached_property
    def largest(self) -> int:
        """The largest absolute value of a numerator."""
        if self.numerators.size == 0:
            return 0
        return max(int(self.numerators.max()), -int(self.numerators.min()))

    @cached_property
    def _objects(self) -> Array:
        return self.numerators.astype(object)

    def rows(self, indices: Sequence[int]) -> ExactArray:
        """The matrix of the given rows."""
        return ExactArray(self.numerators[indices], self.denominator)

    def row(self, index: int) -> ExactArray:
        """One row as a vector."""
        return ExactArray(self.numerators[index], self.denominator)

    def times(self, x: ExactArray) -> ExactArray:
        """The product of this matrix with the vector `x`.

        No sum exceeds `max |A_ij| · Σ |x_j|`, which is computed exactly; beyond `SAFE`, Python integers take over.
        """
        denominator = self.denominator * x.denominator
        bound = self.largest * sum(map(abs, x.numerators.tolist()))
        if bound < SAFE and self.numerators.dtype != object and x.numerators.dtype != object:
            return ExactArray(self.numerators @ x.numerators, denominator)
        return ExactArray(self._objects @ x._objects, denominator)

    def tolist(self) -> list[Any]:
        """The numerators as Python integers when the denominator is 1, else the entries of a vector as fractions."""
        entries: list[Any] = self.numerators.tolist()
        return entries if self.denominator == 1 else [fmpq(n, self.denominator) for n in entries]


def integer_array(rows: Any, shape: tuple[int, ...]) -> Array:
    """An array of Python integers: int64 when all of them fit, else of dtype object."""
    try:
        return np.array(rows, dtype=np.int64).reshape(shape)
    except OverflowError:
        return np.array(rows, dtype=object).reshape(shape)


def exact_vector(entries: Sequence[fmpq]) -> ExactArray:
    """A vector of rational numbers (or integers) over their common denominator."""
    numerators, denominator = _common(entries)
    return ExactArray(integer_array(numerators, (len(entries),)), denominator)


def exact_matrix(rows: Sequence[Sequence[fmpq]], columns: int) -> ExactArray:
    """A matrix of rational numbers (or integers) over their common denominator."""
    numerators, denominator = _common([x for row in rows for x in row])
    return ExactArray(integer_array(numerators, (len(rows), columns)), denominator)


def _common(entries: Sequence[Any]) -> tuple[list[int], int]:
    if all(type(x) is int for x in entries):
        return list(entries), 1
    fractions = list(map(parse_rational, entries))
    denominator = lcm(*{int(x.q) for x in fractions})
    return [int(x.p) * (denominator // int(x.q)) for x in fractions], denominator
