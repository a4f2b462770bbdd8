"""Value vectors that are exponential sums, in their own field: common factors are known, so none is searched for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import mul
from typing import Any

from flint import fmpq

from attention_queries.semantics import ExpFraction
from attention_queries.semantics.expsum import ExpSum

_LONGEST_QUOTIENT = 200


def residues_at_poles(scores: Sequence[fmpq], ratios: Sequence[tuple[int, int]], values: Sequence[Any]) -> list[Any]:
    """The `b_h` of `F(m/k) = Σ_h b_h k E_h / (k E_h + m)`, `E_h = exp(s_h)`, from as many values as there are scores.

    Lagrange interpolation of the polynomial `F(ρ) Π_h (E_h + ρ)` at its points, evaluated at the poles `-E_h`; the
    product `Π_h (k E_h + m)` is cancelled against the denominator of the value, where it usually is a factor.
    """
    powers = [ExpSum.of([(s, fmpq(1))]) for s in scores]
    points = [fmpq(m, k) for k, m in ratios]
    polynomial = []
    for (k, m), y in zip(ratios, values, strict=True):
        weights = _product(E.scaled(fmpq(k)) + _constant(m) for E in powers)
        rest = quotient(y.denominator, weights)
        cleared = ExpFraction(y.numerator * weights, y.denominator) if rest is None else ExpFraction(y.numerator, rest)
        polynomial.append(cleared / fmpq(k) ** len(powers))
    found = []
    for h, E in enumerate(powers):
        total = ExpFraction.rational(0)
        for i, x in enumerate(points):
            others = [z for j, z in enumerate(points) if j != i]
            weight = _product((-E + _constant(-z)).scaled(1 / (x - z)) for z in others)
            total = total + polynomial[i] * ExpFraction(weight)
        gap = _product(other + -E for g, other in enumerate(powers) if g != h)
        rest = quotient(total.numerator, gap)
        b = (
            ExpFraction(total.numerator, total.denominator * gap)
            if rest is None
            else ExpFraction(rest, total.denominator)
        )
        found.append((b * ExpFraction(_constant(1), E)).reduced())
    return found


def quotient(x: ExpSum, y: ExpSum) -> ExpSum | None:
    """`x / y` when that is a sum of moderately many terms, else None."""
    terms: list[tuple[fmpq, fmpq]] = []
    (top, c), lowest = y.leading(), y.lowest()
    while not x.is_zero():
        exponent, coefficient = x.leading()
        step, factor = exponent - top, coefficient / c
        if len(terms) == _LONGEST_QUOTIENT or step < x.lowest() - lowest:
            return None
        terms.append((step, factor))
        x = x + -y.scaled(factor).shifted(step)
    return ExpSum.of(terms)


def _constant(x: Any) -> ExpSum:
    return ExpSum.of([(fmpq(0), fmpq(x))])


def _product(factors: Any) -> ExpSum:
    return reduce(mul, factors, _constant(1))
