"""Certified bounds on the weights `e^s` of scores, from answers that are off by at most a tolerance.

All arithmetic is exact over the rational numbers; logarithms are taken once, at the end. The bounds hold for every head
that is consistent with the answers, whatever was asked, so the choice of queries is free.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from flint import fmpq

from attention_queries.learners.noisy.interval import Interval


class Kind(Enum):
    """A direction: `e_i`, or `e_i` plus or minus the pivot's unit vector; the value is that sign."""

    PLAIN = 0
    PLUS = 1
    MINUS = -1

    @property
    def weight(self) -> int:
        """How many entries of `v` the slope `⟨v, u⟩` adds up."""
        return 1 if self is Kind.PLAIN else 2


@dataclass(frozen=True)
class Directions:
    """The pivot `p`, whose value is largest, and for each `i` the direction `u_i` with slope `⟨v, u_i⟩`.

    The estimated slopes are at least half the largest estimated value; each is off by at most `kind.weight · τ`.
    """

    pivot: int
    kinds: tuple[Kind, ...]
    slopes: tuple[fmpq, ...]


def choose_directions(values: Sequence[fmpq]) -> Directions:
    """Directions with large slopes, for estimates of `v` that are not all 0."""
    p = max(range(len(values)), key=lambda i: abs(values[i]))
    kinds = tuple(Kind.PLAIN if i == p else _kind(y, values[p]) for i, y in enumerate(values))
    return Directions(p, kinds, tuple(y + kind.value * values[p] for y, kind in zip(values, kinds, strict=True)))


def _kind(y: fmpq, largest: fmpq) -> Kind:
    if 2 * abs(y) >= abs(largest):
        return Kind.PLAIN
    return Kind.PLUS if y * largest >= 0 else Kind.MINUS


@dataclass(frozen=True, slots=True)
class Experiment:
    """`k` copies of `q + u_i` and `m` copies of the query token `q = e_j / n`."""

    i: int
    j: int
    k: int = 1
    m: int = 1
    n: int = 1


@dataclass(frozen=True, slots=True)
class Weight:
    """Bounds on the weight `e^s` of a score; `low` may be 0 and `high` None for lack of a bound."""

    low: fmpq = fmpq(0)  # noqa: RUF009
    high: fmpq | None = None

    @property
    def certified(self) -> bool:
        """Whether both bounds say something."""
        return self.low > 0 and self.high is not None

    @property
    def empty(self) -> bool:
        """Whether no number satisfies the bounds."""
        return self.high is not None and bool(self.high < self.low)

    def __and__(self, other: Weight) -> Weight:
        highs = [x for x in (self.high, other.high) if x is not None]
        return Weight(max(self.low, other.low), min(highs) if highs else None)

    def __mul__(self, other: Weight) -> Weight:
        high = None if self.high is None or other.high is None else self.high * other.high
        return Weight(self.low * other.low, high)

    def __truediv__(self, other: Weight) -> Weight:
        low = fmpq(0) if other.high is None else self.low / other.high
        return Weight(low, None if self.high is None or other.low == 0 else self.high / other.low)


CONTRADICTION = Weight(fmpq(1), fmpq(0))
"""Bounds that nothing satisfies: no head is consistent with the answers."""


def experiment_weight(
    experiment: Experiment, answer: fmpq, at_j: fmpq, slope: fmpq, kind: Kind, tolerance: fmpq
) -> Weight:
    """Bounds on `exp(u_iᵀ W e_j)` from the answer to an experiment, all answers within `tolerance`.

    `at_j` is the answer to `e_j` alone, and `slope` the estimate of `⟨v, u_i⟩`. The share of the copies of `q + u_i` is
    `(f - v_j / n) / ⟨v, u_i⟩`, and its odds are `(k / m) e^(s / n)`.
    """
    a, D = answer - at_j / experiment.n, slope
    r, rD = tolerance + tolerance / experiment.n, kind.weight * tolerance
    if D + rD < 0:
        a, D = -a, -D
    if D - rD <= 0:
        return Weight()
    return _odds(Interval.around(a, r), Interval.around(D, rD), experiment)


def _odds(a: Interval, D: Interval, experiment: Experiment) -> Weight:
    """The range of `(a / (D - a) · m / k)^n`, which increases in `a` and decreases in `D`."""
    ratio, n = fmpq(experiment.m, experiment.k), experiment.n
    low, high = fmpq(0), None
    if a.low > 0:
        if D.high <= a.low:
            return CONTRADICTION
        low = (a.low / (D.high - a.low) * ratio) ** n
    if a.high <= 0:
        return CONTRADICTION
    if D.low > a.high:
        high = (a.high / (D.low - a.high) * ratio) ** n
    return Weight(low, high)


def entry_weights(weights: Sequence[Weight], directions: Directions) -> list[Weight]:
    """Bounds on `exp(W_ij)` for one column `j`, from those on the scores `exp(u_iᵀ W e_j)`."""
    pivot = weights[directions.pivot]
    combine = {
        Kind.PLAIN: lambda weight: weight,
        Kind.PLUS: lambda weight: weight / pivot,
        Kind.MINUS: lambda weight: weight * pivot,
    }
    return [combine[kind](weight) for kind, weight in zip(directions.kinds, weights, strict=True)]
