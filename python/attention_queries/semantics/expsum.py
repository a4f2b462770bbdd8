"""Finite sums `Σ c·e^q` with rational `c` and `q`: the ring below `expfraction`.

Distinct `e^q` are linearly independent over the rationals (Lindemann-Weierstrass), so a sum is zero exactly when it
has no terms left, and equality of sums is equality of terms.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd, lcm

from flint import fmpq, fmpq_poly


class ExpSum:
    """An immutable sum; `terms` maps an integer `n` to the non-zero coefficient of `e^(n / unit)`.

    Exponents are kept as integers over one denominator because hashing rationals dominates everything else.
    """

    __slots__ = ("terms", "unit")

    def __init__(self, terms: dict[int, fmpq], unit: int = 1) -> None:
        self.terms = terms
        self.unit = unit

    @classmethod
    def of(cls, pairs: Iterable[tuple[fmpq, fmpq]]) -> ExpSum:
        """The sum of the terms `c·e^q`, given as pairs `(q, c)`."""
        items = list(pairs)
        unit = lcm(*(int(q.q) for q, _ in items))
        terms: dict[int, fmpq] = {}
        for q, c in items:
            n = int(q.p) * (unit // int(q.q))
            terms[n] = terms[n] + c if n in terms else c
        return cls({n: c for n, c in terms.items() if c != 0}, unit)

    def over(self, unit: int) -> dict[int, fmpq]:
        """The terms with exponents counted in steps of `1 / unit`, a multiple of `self.unit`."""
        if unit == self.unit:
            return self.terms
        factor = unit // self.unit
        return {n * factor: c for n, c in self.terms.items()}

    def __add__(self, other: ExpSum) -> ExpSum:
        unit = lcm(self.unit, other.unit)
        terms = dict(self.over(unit))
        for n, c in other.over(unit).items():
            total = terms[n] + c if n in terms else c
            if total == 0:
                del terms[n]
            else:
                terms[n] = total
        return ExpSum(terms, unit)

    def __neg__(self) -> ExpSum:
        return ExpSum({n: -c for n, c in self.terms.items()}, self.unit)

    def __mul__(self, other: ExpSum) -> ExpSum:
        if other.is_one():
            return self
        if self.is_one():
            return other
        unit = lcm(self.unit, other.unit)
        left, right = self.over(unit), other.over(unit)
        terms: dict[int, fmpq] = {}
        for n, c in left.items():
            for m, e in right.items():
                k = n + m
                terms[k] = terms[k] + c * e if k in terms else c * e
        return ExpSum({n: c for n, c in terms.items() if c != 0}, unit)

    def scaled(self, c: fmpq) -> ExpSum:
        """`c` times the sum."""
        return ExpSum({n: c * x for n, x in self.terms.items()}, self.unit) if c != 0 else ExpSum({})

    def shifted(self, q: fmpq) -> ExpSum:
        """`e^q` times the sum."""
        unit = lcm(self.unit, int(q.q))
        shift = int(q.p) * (unit // int(q.q))
        return ExpSum({n + shift: x for n, x in self.over(unit).items()}, unit)

    def is_zero(self) -> bool:
        """Whether no term is left."""
        return not self.terms

    def is_one(self) -> bool:
        """Whether the sum is the number 1."""
        return len(self.terms) == 1 and self.terms.get(0) == 1

    def leading(self) -> tuple[fmpq, fmpq]:
        """Exponent and coefficient of the largest term of a non-zero sum."""
        n = max(self.terms)
        return fmpq(n, self.unit), self.terms[n]

    def lowest(self) -> fmpq:
        """The smallest exponent of a non-zero sum."""
        return fmpq(min(self.terms), self.unit)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ExpSum):
            return NotImplemented
        if self.unit == other.unit:
            return self.terms == other.terms
        if len(self.terms) != len(other.terms):
            return False
        unit = lcm(self.unit, other.unit)
        return self.over(unit) == other.over(unit)

    __hash__ = None  # type: ignore[assignment]

    def sorted_terms(self) -> list[tuple[fmpq, fmpq]]:
        """Pairs (exponent, coefficient), largest exponent first."""
        return [(fmpq(n, self.unit), self.terms[n]) for n in sorted(self.terms, reverse=True)]

    def bits(self) -> int:
        """Bits of all coefficients and exponents together."""
        total = 0
        for n, c in self.terms.items():
            total += int(c.p.bit_length()) + int(c.q.bit_length()) + n.bit_length() + self.unit.bit_length()
        return total


MAX_REDUCED_DEGREE = 4096
"""Fractions are reduced to lowest terms when, in the common step of their exponents, no degree exceeds this."""


def lowest_terms(numerator: ExpSum, denominator: ExpSum) -> tuple[ExpSum, ExpSum]:
    """The same fraction without common factors, its denominator starting at exponent 0.

    The coefficients of the denominator become coprime integers, the leading one positive.

    A common factor is looked for only up to `MAX_REDUCED_DEGREE`: `(e^(10^9) - 1)/(e - 1)` has 10^9 terms when
    reduced, and two.
    """
    if numerator.is_zero():
        return numerator, ExpSum({0: fmpq(1)})
    bottom, top = denominator.lowest(), numerator.lowest()
    n, d = numerator.shifted(-top), denominator.shifted(-bottom)
    unit = lcm(n.unit, d.unit)
    over_n, over_d = n.over(unit), d.over(unit)
    step = gcd(*over_n, *over_d)
    if step and max(max(over_n), max(over_d)) // step <= MAX_REDUCED_DEGREE:
        p, q = (_polynomial(terms, step) for terms in (over_n, over_d))
        common = p.gcd(q)
        if common.degree() > 0:
            n, d = (_sum(polynomial // common, step, unit) for polynomial in (p, q))
    scale = _scale_to_integers(d)
    return n.shifted(top - bottom).scaled(scale), d.scaled(scale)


def _scale_to_integers(x: ExpSum) -> fmpq:
    coefficients = x.terms.values()
    scale = fmpq(lcm(*(int(c.q) for c in coefficients)), gcd(*(int(c.p) for c in coefficients)))
    return scale if x.leading()[1] > 0 else -scale


def _polynomial(terms: dict[int, fmpq], step: int) -> fmpq_poly:
    coefficients = [fmpq(0)] * (max(terms) // step + 1)
    for n, c in terms.items():
        coefficients[n // step] = c
    return fmpq_poly(coefficients)


def _sum(polynomial: fmpq_poly, step: int, unit: int) -> ExpSum:
    coefficients = (polynomial[i] for i in range(polynomial.degree() + 1))
    return ExpSum({i * step: c for i, c in enumerate(coefficients) if c != 0}, unit)
