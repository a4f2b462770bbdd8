"""Which experiment to do next. Nothing here is trusted: bounds hold for all experiments, good and bad ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from flint import fmpq

from attention_queries.learners.noisy.certification import Experiment, Weight

_WORTH = 0.75
"""A further experiment is done when it promises to reduce the width of an interval to this fraction."""
_MAX_SHRINKING = 1 << 12
_TINY = 1e-250
"""Errors are taken to be at least this large, to stay within floating point."""


@dataclass(frozen=True)
class Plan:
    """What limits experiments: the longest sequence, and by which integers query tokens may be divided.

    `shrinking` is `"none"` for integer tokens, `"binary"` for floating-point tokens, `"any"` for rational ones.
    """

    max_length: int
    shrinking: str

    def next(self, last: Experiment, known: Weight, slope: fmpq, slope_error: fmpq, tau: fmpq) -> Experiment | None:
        """An experiment that promises to improve the bounds, or None."""
        if 2 * tau + slope_error >= abs(slope):
            return None
        answer, value = (max(float(x / abs(slope)), _TINY) for x in (tau, slope_error))
        noise = 2 * answer + value
        low, high = log_of(known.low), math.inf if known.high is None else log_of(known.high)
        if math.isfinite(low) and math.isfinite(high):
            return self._refine(last, low, high, lambda p, n: answer * (1 + 1 / n) + p * value)
        return self._explore(last, low, high, visible=-math.log(noise))

    def _explore(self, last: Experiment, low: float, high: float, visible: float) -> Experiment | None:
        """Look where the score may be when only one bound on it is known, or none."""
        n = last.n if self.shrinking == "none" else 4 * last.n
        if n > _MAX_SHRINKING:
            return None
        reach = 0.8 * visible if self.shrinking == "none" else 0.5 * visible
        centre = 0.0
        if math.isfinite(low):
            centre = low / n + reach
        elif math.isfinite(high):
            centre = high / n - reach
        return self._experiment(last, centre, n)

    def _refine(
        self, last: Experiment, low: float, high: float, error: Callable[[float, int], float]
    ) -> Experiment | None:
        """The experiment with the smallest expected width, the score being anywhere between its bounds."""
        middle = (low + high) / 2
        best, best_width = None, _WORTH * (high - low)
        for n in self._divisors(abs(middle)):
            k, m = self.copies(middle / n)
            width = 0.0
            for s in (low, middle, high):
                p = share(k, m, s / n)
                slack = p * (1 - p) - error(p, n)
                width = max(width, 2 * n * error(p, n) / slack if slack > 0 else math.inf)
            if width < best_width:
                best, best_width = Experiment(last.i, last.j, k, m, n), width
        return best if best != last else None

    def _divisors(self, score: float) -> Iterator[int]:
        yield 1
        n = 2
        while self.shrinking != "none" and n <= min(_MAX_SHRINKING, 4 * score + 4):
            yield n
            if self.shrinking == "any":
                yield n + n // 2
            n *= 2

    def _experiment(self, last: Experiment, centre: float, n: int) -> Experiment | None:
        k, m = self.copies(centre)
        experiment = Experiment(last.i, last.j, k, m, n)
        return experiment if experiment != last else None

    def copies(self, score: float) -> tuple[int, int]:
        """Numbers `k` and `m` of copies with `k : m ≈ exp(-score)`, one of them 1, as far as the length allows."""
        largest = self.max_length - 1
        many = min(largest, round(math.exp(min(abs(score), 700))))
        return (1, many) if score >= 0 else (many, 1)


def share(k: int, m: int, score: float) -> float:
    """The total weight of `k` copies of a token whose score is larger than that of `m` others by `score`."""
    x = score + math.log(k / m)
    return 1 / (1 + math.exp(-x)) if x >= 0 else 1 - 1 / (1 + math.exp(min(x, 700)))


def log_of(x: fmpq) -> float:
    """The natural logarithm of a rational number that may be out of range for floating-point numbers."""
    return math.log(int(x.p)) - math.log(int(x.q)) if x > 0 else -math.inf
