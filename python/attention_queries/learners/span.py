"""The span of a few vectors over a field, and the coordinates of other vectors in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from attention_queries.semantics.expfraction import ExpFraction


@dataclass(frozen=True)
class _Row:
    """A combination of the given vectors with entry 1 at `pivot`."""

    pivot: int
    entries: list[Any]
    combination: list[Any]


class Span:
    """The span of independent vectors that are given one by one, in echelon form.

    The entries are rational numbers or exponential fractions; all of it is exact.
    """

    def __init__(self) -> None:
        self._rows: list[_Row] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, vector: Sequence[Any]) -> bool:
        """Take one more vector, unless it lies in the span of those before; says whether it was taken."""
        rest, coordinates = self._reduced(vector)
        pivot = next((a for a, x in enumerate(rest) if x != 0), None)
        if pivot is None:
            return False
        scale = 1 / rest[pivot]
        combination = [*(-x for x in coordinates), 1]
        self._rows.append(_Row(pivot, _multiple(scale, rest), _multiple(scale, combination)))
        return True

    def coordinates(self, vector: Sequence[Any]) -> list[Any] | None:
        """The coefficients of the given vectors in this one, or None when it is not in their span."""
        rest, coordinates = self._reduced(vector)
        return None if any(x != 0 for x in rest) else coordinates

    def _reduced(self, vector: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """What is left of a vector when its entries at the pivots are removed, and the coordinates of what was."""
        rest = list(vector)
        coordinates: list[Any] = [0] * len(self._rows)
        for row in self._rows:
            x = rest[row.pivot]
            if x != 0:
                rest = [y - x * r for y, r in zip(rest, row.entries, strict=True)]
                for i, r in enumerate(row.combination):
                    coordinates[i] += x * r
        return rest, coordinates


def _multiple(scale: Any, vector: list[Any]) -> list[Any]:
    return [x.reduced() if isinstance(x, ExpFraction) else x for x in (scale * y for y in vector)]
