"""A known network along the segment between two tokens, and what its values say about attention weights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import IntEnum
from functools import cached_property
from typing import Any

from flint import fmpq

from attention_queries.errors import NotAPower
from attention_queries.semantics.base import Semantics
from attention_queries.semantics.sign import sign
from attention_queries.transformer.network import ReluNetwork, inner

FLOAT_SLOPE = 1e-3
"""In floating point, smaller slopes count as flat."""


class Quality(IntEnum):
    """How much a network's value on a segment says about the position, best first."""

    MONOTONE = 0
    NOWHERE_FLAT = 1
    PARTLY_FLAT = 2
    FLAT = 3


class Chord:
    """The function `φ(λ) = g(q + λ u)` for `0 ≤ λ ≤ 1`, piecewise linear in `λ`.

    The query `[(q + u, k), (q, m)]` has the answer `φ(λ)` with `λ / (1 - λ) = (k / m) · exp(uᵀ W q)`.
    """

    def __init__(self, network: ReluNetwork, q: Sequence[Any], u: Sequence[Any]) -> None:
        self._exact = network.exact
        self._start = inner(network.linear, q) + network.constant
        self._slope = inner(network.linear, u)
        self._neurons = [(n.a, n.input(q), inner(n.w, u)) for n in network.hidden]

    def value(self, fraction: Any) -> Any:
        """`φ` at a rational, floating or exponential number."""
        total = self._slope * fraction + self._start
        for a, x, y in self._neurons:
            z = y * fraction + x
            if sign(z) > 0:
                total = total + a * z
        return total

    @cached_property
    def pieces(self) -> list[tuple[Any, Any, Any]]:
        """The linear pieces as triples: the interval of `λ`, and the slope there."""
        number = fmpq if self._exact else float
        zero, one = number(0), number(1)
        kinks = {-x / y for _, x, y in self._neurons if y != 0}
        ends = [zero, *sorted(t for t in kinks if 0 < t < 1), one]
        values = list(map(self.value, ends))
        return [
            (a, b, (v - u) / (b - a)) for a, b, u, v in zip(ends[:-1], ends[1:], values[:-1], values[1:], strict=True)
        ]

    @cached_property
    def quality(self) -> Quality:
        """How well values determine positions."""
        slopes = [slope for _, _, slope in self.pieces]
        flat = [self._is_flat(slope) for slope in slopes]
        if all(flat):
            return Quality.FLAT
        if any(flat):
            return Quality.PARTLY_FLAT
        return Quality.MONOTONE if len({slope > 0 for slope in slopes}) == 1 else Quality.NOWHERE_FLAT

    def _is_flat(self, slope: Any) -> bool:
        return bool(slope == 0) if self._exact else bool(abs(slope) < FLOAT_SLOPE)

    def scores(self, semantics: Semantics[Any, Any], y: Any, k: int, m: int) -> list[Any] | None:
        """All scores `uᵀ W q` with which the query `[(q + u, k), (q, m)]` has the answer `y`.

        None when `y` is the value of a flat piece, so that they may be infinitely many.
        """
        found: list[Any] = []
        for a, b, slope in self.pieces:
            above = y - self.value(a)
            if self._is_flat(slope):
                if semantics.equal(semantics.value(above), semantics.value(0)):
                    return None
                continue
            fraction = semantics.value(a) + above / slope
            score = _score(semantics, fraction, k, m)
            if score is None or not (self._within(a, fraction) and self._within(fraction, b)):
                continue
            if not any(_close(semantics, score, other) for other in found):
                found.append(score)
        return found

    def _within(self, a: Any, b: Any) -> bool:
        return sign(b - a) >= 0 if self._exact else bool(b - a >= -1e-9)

    def explains(self, semantics: Semantics[Any, Any], score: Any, y: Any, k: int, m: int) -> bool:
        """Whether the query `[(q + u, k), (q, m)]` has the answer `y` when `uᵀ W q` is `score`."""
        odds = semantics.exp(score) * k / m
        return semantics.equal(semantics.value(self.value(odds / (1 + odds))), y)


def _score(semantics: Semantics[Any, Any], fraction: Any, k: int, m: int) -> Any | None:
    rest = 1 - fraction
    if rest == 0:
        return None
    try:
        return semantics.log(fraction / rest * m / k)
    except NotAPower:
        return None


def _close(semantics: Semantics[Any, Any], x: Any, y: Any) -> bool:
    return bool(x == y) if semantics.exact else math.isclose(x, y, rel_tol=1e-6, abs_tol=1e-6)
