"""A piecewise linear function on a line: its kinks and pieces, from values at chosen points.

The pieces at two points that differ meet near the kinks between them: their intersection is tried first, then a point
between. In exact arithmetic every piece is certified: kinks of hyperplanes of bounded height keep a known distance
from any other point of small denominator, so that one value beside the point gives the piece there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import lcm
from typing import Any, Protocol

from flint import fmpq

Values = Callable[[Sequence[Sequence[Any]]], list[Any]]


LARGEST_BIAS = 1 << 64
"""Hyperplanes are looked for up to this bias in their primitive integer equations."""

MAX_SPLITS = 1 << 12
"""Points between known ones that are tried on one line, before the function counts as not piecewise linear."""


class Unresolved(Exception):
    """The kinks lie closer together than the line allows for."""


class TooManyPieces(Exception):
    """There are more pieces on a line than are looked for."""


@dataclass(frozen=True)
class Piece:
    """The linear function `t ↦ slope · t + intercept`."""

    slope: Any
    intercept: Any

    def at(self, t: Any) -> Any:
        """Its value."""
        return self.slope * t + self.intercept

    def meets(self, other: Piece) -> Any | None:
        """Where the two functions are equal; None for equal slopes."""
        difference = self.slope - other.slope
        return None if difference == 0 else (other.intercept - self.intercept) / difference


class Line(Protocol):
    """A function of points on the line `origin + t · direction`."""

    origin: tuple[Any, ...]
    direction: tuple[Any, ...]
    end: Any
    """All kinks that can be seen lie between `-end` and `end`."""
    closest: Any
    """No interval shorter than this holds two kinks."""
    margin: Any
    """Numbers this close count as equal."""

    def point(self, t: Any) -> tuple[Any, ...]:
        """The point at `t`."""

    def value(self, t: Any) -> Any:
        """The function at `t`; the same `t` is asked once."""

    def side(self, t: Any, direction: int) -> Piece:
        """The piece just right (1) or left (-1) of `t`."""

    def same(self, x: Any, y: Any) -> bool:
        """Whether two numbers count as equal."""

    def may_be_kink(self, t: Any) -> bool:
        """Whether `t` is a number as kinks are."""

    def between(self, a: Any, b: Any) -> Any:
        """A short number well inside the interval from `a` to `b`."""

    def step(self, distance: Any) -> Any:
        """How far a point can move along a coordinate without crossing a hyperplane that meets the line.

        The point lies on the line, `distance` away from the nearest kink.
        """


class _Base:
    """What both kinds of line share."""

    def __init__(self, values: Values, origin: Sequence[Any], direction: Sequence[Any]) -> None:
        self.origin = tuple(origin)
        self.direction = tuple(direction)
        self._values = values
        self._known: dict[Any, Any] = {}

    def point(self, t: Any) -> tuple[Any, ...]:
        return tuple(x + t * y for x, y in zip(self.origin, self.direction, strict=True))

    def value(self, t: Any) -> Any:
        if t not in self._known:
            (self._known[t],) = self._values([self.point(t)])
        return self._known[t]


class ExactLine(_Base):
    """A line with rational points, for networks whose hyperplanes have height at most `height`.

    The height of a hyperplane is the largest `|w_i|` in its primitive integer equation `⟨w, z⟩ + c = 0`; `|c|` is at
    most `LARGEST_BIAS`, or `height` if that is larger.
    """

    def __init__(self, values: Values, origin: Sequence[Any], direction: Sequence[Any], height: int) -> None:
        super().__init__(values, origin, direction)
        D = lcm(*(int(x.q) for x in (*self.origin, *self.direction)))
        P, R = (sum(abs(int((D * x).p)) for x in vector) for vector in (self.origin, self.direction))
        # In integers, a hyperplane meets the line at t = -(⟨w, P⟩ + D c) / ⟨w, R⟩.
        self.end = fmpq(height * P + max(height, LARGEST_BIAS) * D + 1)
        self._largest_denominator = height * R
        self.closest = fmpq(1, self._largest_denominator**2)
        self.margin = fmpq(0)
        self._steepness = 2 * height * D

    def side(self, t: Any, direction: int) -> Piece:
        """See `Line`."""
        delta = fmpq(direction, 2 * int(t.q) * self._largest_denominator)
        slope = (self.value(t + delta) - self.value(t)) / delta
        return Piece(slope, self.value(t) - slope * t)

    def same(self, x: Any, y: Any) -> bool:
        """See `Line`."""
        return bool(x == y)

    def may_be_kink(self, t: Any) -> bool:
        """See `Line`."""
        return bool(t.q <= self._largest_denominator)

    def between(self, a: Any, b: Any) -> Any:
        """See `Line`."""
        if a < 0 < b:
            return fmpq(0)
        if b <= 0:
            return -self.between(-b, -a)
        if b > 8 * a:  # far apart: halve the number of digits instead of the length
            low = a if a > 0 else min(b / 256, fmpq(1, 16))
            t = power_of_two((log2(low) + log2(b)) // 2)
            if a < t < b:
                return t
        scale = power_of_two(2 - log2(b - a))
        return (((a + b) / 2 * scale).floor()) / scale

    def step(self, distance: Any) -> Any:
        """See `Line`."""
        return power_of_two(log2(distance / self._steepness))


class FloatLine(_Base):
    """A line with floating-point points.

    Kinks closer than `4 · WIDTH`, relative to 1, or beyond `FLOAT_END`, are not told apart.
    """

    WIDTH = 1e-4
    FLOAT_END = 256.0
    TOLERANCE = 1e-6

    def __init__(self, values: Values, origin: Sequence[float], direction: Sequence[float]) -> None:
        super().__init__(values, origin, direction)
        self.end = self.FLOAT_END
        self.closest = 4 * self.WIDTH
        self.margin = self.WIDTH

    def side(self, t: Any, direction: int) -> Piece:
        """See `Line`."""
        width = direction * self.WIDTH * max(1.0, abs(t))
        near, far = t + width, t + 2 * width
        slope = (self.value(far) - self.value(near)) / (far - near)
        return Piece(slope, self.value(near) - slope * near)

    def same(self, x: Any, y: Any) -> bool:
        """See `Line`."""
        return math.isclose(x, y, rel_tol=self.TOLERANCE, abs_tol=self.TOLERANCE)

    def may_be_kink(self, t: Any) -> bool:
        """See `Line`."""
        return True

    def between(self, a: Any, b: Any) -> Any:
        """See `Line`."""
        if a < -1 and b > 1:
            return 0.0
        if min(abs(a), abs(b)) > 1 and max(abs(a), abs(b)) > 4 * min(abs(a), abs(b)):
            return math.copysign(math.sqrt(a * b), a)
        return (a + b) / 2

    def step(self, distance: Any) -> Any:
        """See `Line`."""
        return distance / 1000


def log2(x: fmpq) -> int:
    """An integer `n` with `2^n ≤ x < 2^(n + 2)`, for positive `x`."""
    return int(x.p.bit_length()) - int(x.q.bit_length()) - 1


def power_of_two(n: int) -> fmpq:
    """`2^n`."""
    return fmpq(1 << n) if n >= 0 else fmpq(1, 1 << -n)


@dataclass(frozen=True)
class Segment:
    """An interval between kinks: a point `t` inside, its distance to the nearest kink, and the function there."""

    t: Any
    distance: Any
    piece: Piece


def find_kinks(line: Line, cuts: Sequence[Any] = ()) -> tuple[list[Any], list[Segment]]:
    """The kinks of the function on the line, in order, and the segments between them, one more than there are kinks.

    Found are all kinks between two neighbouring points, among the ends and the `cuts`, where the pieces differ, and
    those that a value in the middle of a segment reveals. Kinks whose slopes cancel between such points stay hidden.
    Raises `Unresolved` when kinks are closer than the line allows for, and `TooManyPieces` after `MAX_SPLITS` points.
    """
    cuts = sorted(cuts)
    while True:
        kinks, segments = _search(line, [-line.end, *cuts, line.end])
        hidden = [s.t for s in segments if not line.same(line.value(s.t), s.piece.at(s.t))]
        if not hidden:
            return kinks, segments
        if set(hidden) <= set(cuts):
            raise Unresolved
        cuts = sorted({*cuts, *hidden})


def _search(line: Line, points: Sequence[Any]) -> tuple[list[Any], list[Segment]]:
    right_of: dict[Any, Piece] = {}  # the piece right of each kink
    first = line.side(points[0], 1)
    start = first
    for a, b in pairwise(points):
        end = line.side(b, -1)
        _bisect(line, a, start, b, end, right_of)
        if b != points[-1]:
            start = line.side(b, 1)
            _compare(line, b, end, start, right_of)
    kinks = sorted(right_of)
    pieces = [first, *(right_of[t] for t in kinks)]
    return kinks, [_segment(line, kinks, k, piece) for k, piece in enumerate(pieces)]


def _bisect(line: Line, a: Any, left: Piece, b: Any, right: Piece, right_of: dict[Any, Piece]) -> None:
    """Note the kinks between `a` and `b`, with the pieces right of `a` and left of `b` given."""
    stack = [(a, left, b, right)]
    splits = 0
    while stack:
        a, left, b, right = stack.pop()
        if _same(line, left, right):
            continue
        if b - a < line.closest:
            raise Unresolved
        splits += 1
        if splits > MAX_SPLITS:
            raise TooManyPieces
        t = left.meets(right)
        if t is None or not a + line.margin < t < b - line.margin or not line.may_be_kink(t):
            t = line.between(a, b)
        before, after = line.side(t, -1), line.side(t, 1)
        _compare(line, t, before, after, right_of)
        stack += [(a, left, t, before), (t, after, b, right)]


def _compare(line: Line, t: Any, before: Piece, after: Piece, right_of: dict[Any, Piece]) -> None:
    if not _same(line, before, after):
        kink = before.meets(after)
        right_of[t if kink is None else kink] = after


def _same(line: Line, x: Piece, y: Piece) -> bool:
    return line.same(x.slope, y.slope) and line.same(x.intercept, y.intercept)


def _segment(line: Line, kinks: list[Any], k: int, piece: Piece) -> Segment:
    one = line.end / line.end
    if not kinks:
        return Segment(0 * one, one, piece)
    if k == 0:
        return Segment(line.between(kinks[0] - 3 * one, kinks[0] - one), one, piece)
    if k == len(kinks):
        return Segment(line.between(kinks[-1] + one, kinks[-1] + 3 * one), one, piece)
    a, b = kinks[k - 1], kinks[k]
    t = line.between(a + (b - a) / 4, b - (b - a) / 4)
    return Segment(t, (b - a) / 4, piece)
