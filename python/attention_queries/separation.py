"""A small integer vector outside finitely many hyperplanes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any


def avoid_hyperplanes(functionals: Sequence[Sequence[Any]], dim: int) -> list[int]:
    """An integer vector on which none of the functionals (each of length `dim`, each nonzero) vanishes.

    Deterministic. The functionals are taken one by one: where one vanishes, the vector moves along a coordinate that it
    sees, by the smallest step that spoils none of those before; no step exceeds half the number of functionals, rounded
    up. Source: `AttentionQueries.Semantics.sep_vec`.
    """
    u = [0] * dim
    values: list[Any] = []
    for n, functional in enumerate(functionals):
        value = sum((a * x for a, x in zip(functional, u, strict=True)), 0)
        if value == 0:
            p = next(i for i, a in enumerate(functional) if a != 0)
            entries = [f[p] for f in functionals[:n]]
            step = next(t for t in _steps() if all(v + t * a != 0 for v, a in zip(values, entries, strict=True)))
            u[p] += step
            values = [v + step * a for v, a in zip(values, entries, strict=True)]
            value = step * functional[p]
        values.append(value)
    return u


def _steps() -> Iterator[int]:
    for t in count(1):
        yield t
        yield -t
