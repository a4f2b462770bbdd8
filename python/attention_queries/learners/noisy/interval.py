"""Closed intervals with exact rational ends."""

from __future__ import annotations

from dataclasses import dataclass

from flint import arb, fmpq, fmpz


def rounded(x: fmpq, digits: int) -> str:
    """A number for people, to `digits` digits, also where floating-point numbers are too small or too large."""
    try:
        near = float(x)
    except OverflowError:
        near = 0.0
    return f"{near:.{digits}g}" if near != 0 or x == 0 else str(arb(x).str(digits, radius=False))


@dataclass(frozen=True, slots=True)
class Interval:
    """All real numbers from `low` to `high`."""

    low: fmpq
    high: fmpq

    @classmethod
    def around(cls, centre: fmpq, radius: fmpq) -> Interval:
        """All numbers within `radius` of `centre`."""
        return cls(centre - radius, centre + radius)

    @property
    def width(self) -> fmpq:
        """The difference of the ends."""
        return self.high - self.low

    @property
    def midpoint(self) -> fmpq:
        """The number halfway between the ends."""
        return (self.low + self.high) / 2

    def __contains__(self, x: fmpq) -> bool:
        return bool(self.low <= x <= self.high)

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high)

    def scaled(self, c: fmpq | int) -> Interval:
        """All `c·x` with `x` in the interval."""
        a, b = self.low * c, self.high * c
        return Interval(a, b) if c >= 0 else Interval(b, a)

    def as_text(self) -> list[str]:
        """Both ends as exact text."""
        return [str(self.low), str(self.high)]

    def only_rational(self, max_denominator: int) -> fmpq | None:
        """The one number of the interval whose denominator is at most `max_denominator`, or None unless just one is."""
        x = _simplest(self.low, self.high)
        if x.q > max_denominator:
            return None
        below, above = _neighbours(x, max_denominator)
        return x if below < self.low and self.high < above else None


def _simplest(low: fmpq, high: fmpq) -> fmpq:
    """The number of smallest denominator from `low` to `high`, by continued fractions."""
    whole = low.ceil()
    if whole <= high:
        return fmpq(whole)
    floor = low.floor()
    return floor + 1 / _simplest(1 / (high - floor), 1 / (low - floor))


def _neighbours(x: fmpq, max_denominator: int) -> tuple[fmpq, fmpq]:
    """The largest number below and the smallest above `x` among those of denominator at most `max_denominator`."""
    a, b = int(x.p), int(x.q)
    inverse = pow(a, -1, b)
    # For neighbours y < x < z in a Farey sequence, a·y.q - b·y.p = 1 = b·z.p - a·z.q.
    below = inverse + b * ((max_denominator - inverse) // b)
    above = b - inverse + b * ((max_denominator - b + inverse) // b)
    return fmpq(fmpz((a * below - 1) // b), below), fmpq(fmpz((a * above + 1) // b), above)
