"""Floating-point numbers, for noise and for models that have no exact weights."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from flint import fmpq

from attention_queries.errors import InputError, NotAPower, shown
from attention_queries.semantics.base import Semantics
from attention_queries.semantics.rational import parse_rational

TOLERANCE = 1e-6
"""Two values count as equal when they differ by at most this much, relative to the larger one or to 1."""


class Float(Semantics[float, float]):
    """Scalars and values are 64-bit floating-point numbers; nothing computed with them is called exact."""

    name = "float"
    exact = False

    def scalar(self, x: object) -> float:
        """Read a finite number."""
        if type(x) is float and math.isfinite(x):
            return x
        return _finite(x)

    def value(self, x: object) -> float:
        """Read a finite number."""
        return _finite(x)

    def cast(self, s: float) -> float:
        """The same number."""
        return s

    def exp(self, s: float) -> float:
        """`e^s`; raises `InputError` when it overflows."""
        try:
            return math.exp(s)
        except OverflowError:
            raise InputError(f"e^{s} is too large for a floating-point number") from None

    def log(self, x: float) -> float:
        """The natural logarithm of a positive number."""
        if not (x > 0 and math.isfinite(x)):
            raise NotAPower(f"{x} is not positive and finite, so it has no logarithm")
        return math.log(x)

    def softmax_mean(self, scores: Sequence[float], copies: Sequence[int], values: Sequence[float]) -> float:
        """The mean with weights `k_i e^{s_i}`, scores shifted by the largest one; raises `InputError` on overflow."""
        high = max(scores)
        try:
            weights = [k * math.exp(s - high) for s, k in zip(scores, copies, strict=True)]
            total = math.fsum(weights)
            # Shares first: no product is larger than its value.
            return math.fsum(w / total * y for w, y in zip(weights, values, strict=True))
        except OverflowError:
            raise InputError("a number of copies or an answer is too large for floating-point numbers") from None

    def equal(self, x: float, y: float) -> bool:
        """Whether the numbers agree within `TOLERANCE`."""
        return math.isclose(x, y, rel_tol=TOLERANCE, abs_tol=TOLERANCE)

    def format_scalar(self, s: float) -> float:
        """The number itself."""
        return s

    def format_value(self, x: float) -> float:
        """The number itself."""
        return x

    def bits(self, x: float) -> int:
        """Always 64."""
        return 64


def _finite(x: object) -> float:
    if isinstance(x, float | np.floating):
        number = float(x)
    else:
        rational: fmpq = parse_rational(x)
        try:
            number = int(rational.p) / int(rational.q)
        except OverflowError:
            number = math.inf
    if not math.isfinite(number):
        raise InputError(f"{shown(x)} is not a finite floating-point number")
    return number
