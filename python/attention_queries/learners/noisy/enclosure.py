"""Rational bounds on exponentials and logarithms, always rounded outwards."""

from __future__ import annotations

from typing import Any

from flint import arb, ctx, fmpq, fmpz

from attention_queries.learners.noisy.interval import Interval
from attention_queries.semantics.base import Semantics
from attention_queries.semantics.expfraction import ExpFraction
from attention_queries.semantics.expsum import ExpSum

PRECISION = 128
"""Bits with which logarithms and exponentials are enclosed."""

_MAX_PRECISION = 1 << 20


def value_interval(x: Any, width: fmpq) -> Interval:
    """An interval of at most the given width around a value of any semantics; a point where the value is rational."""
    if isinstance(x, fmpq):
        return Interval(x, x)
    if isinstance(x, float):
        exact = exact_float(x)
        return Interval(exact, exact)
    rational = x.as_rational()
    return Interval(rational, rational) if rational is not None else _irrational(x, width)


def _irrational(x: ExpFraction, width: fmpq) -> Interval:
    bits = PRECISION
    while bits <= _MAX_PRECISION:
        with ctx.workprec(bits):
            ball = _sum(x.numerator, x.denominator) / _sum(x.denominator, x.denominator)
            if ball.is_finite():
                bounds = ball_interval(ball)
                if bounds.width <= width:
                    return bounds
        bits *= 2
    raise ArithmeticError("a value could not be enclosed")


def _sum(terms: ExpSum, scale: ExpSum) -> arb:
    """The sum, divided by the largest power of e in `scale`."""
    top = max(scale.terms) * fmpq(1, scale.unit)
    total = arb(0)
    for n, c in terms.terms.items():
        total += arb(c) * arb(fmpq(n, terms.unit) - top).exp()
    return total


def ball_interval(ball: arb) -> Interval:
    """A rational interval that contains a finite ball."""
    return Interval(ball.lower().fmpq(), ball.upper().fmpq())


def exact_float(x: float) -> fmpq:
    """The rational number that a finite floating-point number is."""
    return fmpq(*x.as_integer_ratio())


def score_bounds(
    semantics: Semantics[Any, Any], low: fmpq | None, high: fmpq | None
) -> tuple[fmpq | None, fmpq | None]:
    """The scores `s` with `low ≤ exp(s) ≤ high`, from a lower to an upper bound; None stands for no bound.

    Bounds are positive. In the base2 semantics scores are integers and the bounds are sharp; elsewhere they are
    logarithms rounded outwards, to a grid much finer than their distance.
    """
    if semantics.name == "base2":
        return (
            None if low is None else fmpq(log2_ceil(low)),
            None if high is None else fmpq(-log2_ceil(1 / high)),
        )
    with ctx.workprec(PRECISION):
        below = None if low is None else arb(low).log().lower().fmpq()
        above = None if high is None else arb(high).log().upper().fmpq()
    if below is None or above is None:
        grid = fmpz(1) << 60
    else:
        width = above - below
        grid = fmpz(1) << max(0, 12 + int(width.q.bit_length()) - int(width.p.bit_length()))
    return (
        None if below is None else fmpq((below * grid).floor(), grid),
        None if above is None else fmpq((above * grid).ceil(), grid),
    )


def log2_ceil(x: fmpq) -> int:
    """The least integer `n` with `x ≤ 2^n`, for positive `x`."""
    p, q = int(x.p), int(x.q)
    n = p.bit_length() - q.bit_length()  # 2^(n-1) < x < 2^(n+1)
    return n if (p <= q << n if n >= 0 else p << -n <= q) else n + 1


def exponential(semantics: Semantics[Any, Any], s: fmpq) -> arb:
    """A ball around the exponential of a rational score."""
    return (arb(s) * arb.const_log2()).exp() if semantics.name == "base2" else arb(s).exp()
