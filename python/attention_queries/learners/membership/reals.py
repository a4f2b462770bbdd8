"""One-bit answers, any weights: certified intervals by bisection on token scale and copies."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from flint import arb, ctx, fmpq

from attention_queries.errors import InputError, MarginTooSmall, OutOfBounds, ScoreTooLarge, shown
from attention_queries.learners.membership.bits import PositiveThreshold, unit_token
from attention_queries.learners.membership.oracle import ThresholdOracle
from attention_queries.learners.noisy.certification import Directions, Kind, choose_directions
from attention_queries.learners.noisy.enclosure import PRECISION, log2_ceil, score_bounds
from attention_queries.learners.noisy.interval import Interval, rounded
from attention_queries.learners.noisy.result import Bounds
from attention_queries.semantics.base2 import MAX_POWER_BITS
from attention_queries.sequences import Query

_MAX_SIZE = fmpq(1 << 20)
"""Without a stated bound, entries are searched for up to this size."""
_FINER = 256
"""`v` is found this much more precisely than `W`, relative to its largest entry."""


def learn_intervals(
    oracle: ThresholdOracle[Any], asked: PositiveThreshold, bound: fmpq | None, precision: fmpq
) -> tuple[tuple[tuple[Bounds, ...], ...], tuple[Bounds, ...], int]:
    """Intervals for `W` and `v`, of width at most about `precision` each (twice that where directions are sums).

    The third result is the number of queries that the formula allows.

    Raises `MarginTooSmall` when all values may be 0 at this precision, and `OutOfBounds`.
    """
    if bound is not None and bound > _MAX_SIZE:
        raise InputError(f"the bound is at most {_MAX_SIZE} where weights are not integers, not {shown(int(bound))}")
    d = asked.dim
    brackets = [Bracket(bound) for _ in range(d)]
    bisect(brackets, precision, asked.value_bits, avoid_zero=True)
    largest = max(min(abs(b.low), abs(b.high)) if b.low * b.high > 0 else fmpq(0) for b in brackets)
    if largest == 0:
        raise MarginTooSmall(f"the margin is too small: every value may be 0 at the precision {rounded(precision, 3)}")
    finer = precision * min(fmpq(1), largest) / _FINER
    bisect(brackets, finer, asked.value_bits, avoid_zero=True)
    v = [Interval(b.low, b.high) for b in brackets]
    directions = choose_directions([x.midpoint for x in v])
    scores = _scores(oracle, asked, v, directions, bound, precision)
    columns = [_entries(column, directions) for column in scores]
    allowed = sum(bits_needed(x, bound, finer) for x in v)
    step = fmpq(1, 2) if oracle.semantics.name == "base2" else precision  # half of what tells integers apart
    for column in scores:
        for s, kind in zip(column, directions.kinds, strict=True):
            allowed += bits_needed(s, None if bound is None else bound * kind.weight, step)
    return tuple(zip(*columns, strict=True)), tuple(x.scaled(asked.sign) for x in v), allowed


class Bracket:
    """A number between `low` and `high`, searched for by thresholds; infinite ends while nothing is known."""

    def __init__(self, bound: fmpq | None) -> None:
        self._bound = bound
        # Slightly beyond the bound, where no entry can lie.
        self._reach = fmpq(1) if bound is None else bound * fmpq(65, 64)
        self._low: fmpq | None = None
        self._high: fmpq | None = None
        self.stuck = False

    @property
    def low(self) -> fmpq:
        """The lower end, once it is known."""
        assert self._low is not None
        return self._low

    @property
    def high(self) -> fmpq:
        """The upper end, once it is known."""
        assert self._high is not None
        return self._high

    @property
    def width(self) -> fmpq | None:
        """The width, None while infinite."""
        return None if self._low is None or self._high is None else self._high - self._low

    def threshold(self, *, avoid_zero: bool) -> fmpq:
        """Where to compare next: outwards by doubling, then halfway."""
        if self._high is None:
            return self._reach
        if self._low is None:
            return -self._reach
        middle = (self._low + self._high) / 2
        return self._high / 4 if avoid_zero and middle == 0 else middle

    def learn(self, low: fmpq | None, high: fmpq | None) -> None:
        """Take a lower or an upper bound into account; raises `OutOfBounds` beyond the stated bound."""
        before = self.width
        outside = (low is not None and self._high is None) or (
            high is not None and self._low is None and self._high is not None
        )
        if low is not None:
            self._low = low if self._low is None else max(low, self._low)
        if high is not None:
            self._high = high if self._high is None else min(high, self._high)
        if outside:
            if self._bound is not None or self._reach >= _MAX_SIZE:
                limit = _MAX_SIZE if self._bound is None else self._bound
                raise OutOfBounds(f"an entry, or the sum of two entries of W, is larger than {limit} in size")
            self._reach *= 2
        after = self.width
        self.stuck = before is not None and after is not None and 16 * after > 15 * before


def bisect(
    brackets: Sequence[Bracket],
    precision: fmpq,
    test: Callable[[Sequence[tuple[int, fmpq]]], list[bool]],
    *,
    avoid_zero: bool,
) -> None:
    """Bisect all brackets side by side, one test each a step, until none is wider than `precision`."""
    while active := [i for i, b in enumerate(brackets) if b.width is None or b.width > precision]:
        tests = [(i, brackets[i].threshold(avoid_zero=avoid_zero)) for i in active]
        for (i, x), above in zip(tests, test(tests), strict=True):
            brackets[i].learn(x if above else None, None if above else x)


def _scores(
    oracle: ThresholdOracle[Any],
    asked: PositiveThreshold,
    v: Sequence[Interval],
    directions: Directions,
    bound: fmpq | None,
    precision: fmpq,
) -> list[list[Interval]]:
    d = len(v)
    balances = [_Balance(oracle, asked.theta, v, directions, i, j) for j in range(d) for i in range(d)]
    brackets = [Bracket(None if bound is None else bound * directions.kinds[b.i].weight) for b in balances]
    active = list(range(len(brackets)))
    while active:
        tests = [balances[e].test(brackets[e]) for e in active]
        answers = asked.above([query for query, _ in tests])
        for e, (_, weights), above in zip(active, tests, answers, strict=True):
            brackets[e].learn(*balances[e].bounds(weights, above))
        active = [e for e in active if not _finished(brackets[e], precision)]
    scores = [Interval(b.low, b.high).scaled(balance.sign) for b, balance in zip(brackets, balances, strict=True)]
    return [scores[j * d : (j + 1) * d] for j in range(d)]


def _finished(bracket: Bracket, precision: fmpq) -> bool:
    return bracket.width is not None and bool(bracket.stuck or bracket.width <= precision)


def _entries(scores: Sequence[Interval], directions: Directions) -> list[Interval]:
    pivot = scores[directions.pivot]
    return [s + pivot.scaled(-kind.value) for s, kind in zip(scores, directions.kinds, strict=True)]


class _Balance:
    """Queries that compare `y = sign · u_iᵀ W e_j` with given numbers.

    The query token `q` has a value below θ and `x` one above, for every `v` within its intervals, and their scores
    differ by `T · y`. Then `k` copies of `x` and `m` of `q` have an output above θ exactly when
    `e^(T y) > (m / k) · R` with `R = (θ - ⟨v, q⟩) / (⟨v, x⟩ - θ)`.
    """

    def __init__(
        self,
        oracle: ThresholdOracle[Any],
        theta: fmpq,
        v: Sequence[Interval],
        directions: Directions,
        i: int,
        j: int,
    ) -> None:
        self.i = i
        self._semantics = oracle.semantics
        self._integers = oracle.semantics.name == "base2"
        kind, p = directions.kinds[i], directions.pivot
        slope = v[i] + v[p].scaled(kind.value)
        direction = {i: fmpq(1)} if kind is Kind.PLAIN else {i: fmpq(1), p: fmpq(kind.value)}
        at, step, self._T, self.sign = self._scales(theta, v[j], slope)
        x = {j: at}
        for index, entry in direction.items():
            x[index] = x.get(index, fmpq(0)) + step * entry
        self._q, self._x = unit_token(oracle, {j: at}), unit_token(oracle, x)
        g = v[j].scaled(at)
        h = g + slope.scaled(step)
        self._R = Interval((theta - g.high) / (h.high - theta), (theta - g.low) / (h.low - theta))

    def _scales(self, theta: fmpq, value: Interval, slope: Interval) -> tuple[fmpq, fmpq, int, int]:
        """The multiples of `e_j` in `q` and of `u_i` in `x - q`, and the resulting `T` and sign."""
        centre, size = slope.midpoint, abs(slope.midpoint)
        direction = 1 if centre > 0 else -1
        if not self._integers:
            # Scaling q down and u up by the same factor keeps the score and lets the value of x grow beyond θ.
            limits = [fmpq(1), theta, size / (2 * theta)]
            largest = max(abs(value.low), abs(value.high))
            if largest > 0:
                limits.append(theta / (2 * largest))
            scale = fmpq(2) ** -log2_ceil(1 / min(limits))
            return direction * scale, direction / scale, 1, 1
        side = 1 if value.midpoint <= 0 else -1
        T = int(((theta + abs(value.midpoint)) / size).floor()) + 2
        return fmpq(side), fmpq(direction * T), T, side * direction

    def test(self, bracket: Bracket) -> tuple[Query[Any], Interval]:
        """A query that compares `e^(T y)` with a number in the interval returned, near the middle of the bracket."""
        threshold = bracket.threshold(avoid_zero=False)
        if self._integers:
            n = self._T * int(threshold.floor())
            if abs(n) > MAX_POWER_BITS:
                raise ScoreTooLarge(
                    f"comparing scores would need 2^{shown(abs(n))} copies of a token (bound: 2^{MAX_POWER_BITS}); "
                    "choose a smaller threshold"
                )
            wanted, bits = fmpq(3, 2) * fmpq(2) ** n / self._R.midpoint, 8
        else:
            with ctx.workprec(PRECISION):
                wanted = arb(threshold).exp().mid().fmpq() / self._R.midpoint
            # Copies hit the threshold up to a small part of what is still open.
            bits = 8 if bracket.width is None else 6 + max(2, log2_ceil(1 / bracket.width))
        k, m = _copies(wanted, bits)
        weights = self._R.scaled(fmpq(m, k))
        return Query(((self._x, k), (self._q, m))), weights

    def bounds(self, weights: Interval, above: bool) -> tuple[fmpq | None, fmpq | None]:
        """What an answer says about `y`: a lower or an upper bound."""
        low, high = score_bounds(self._semantics, weights.low if above else None, None if above else weights.high)
        low, high = (None if x is None else x / self._T for x in (low, high))
        if self._integers:
            return None if low is None else fmpq(low.ceil()), None if high is None else fmpq(high.floor())
        return low, high


def _copies(ratio: fmpq, bits: int) -> tuple[int, int]:
    """Numbers `k`, `m` of copies with `m / k` close to `ratio`, the smaller one of `bits` bits before reduction."""
    one = 1 << bits
    k, m = (one, int((ratio * one).floor())) if ratio >= 1 else (int((one / ratio).floor()), one)
    common = math.gcd(k, m)
    return k // common, m // common


def bits_needed(found: Interval, bound: fmpq | None, precision: fmpq) -> int:
    """At most this many bits find a number up to `precision`: `log2(M)` to enclose it, `log2(2M / ε)` to bisect.

    `M` is the bound, or without one the least power of two that is at least 1 and the size of the number.
    """
    size = bound if bound is not None else max(fmpq(1), abs(found.low), abs(found.high))
    growth = 0 if bound is not None else log2_ceil(size)
    return 4 + growth + max(0, log2_ceil(2 * size / precision))
