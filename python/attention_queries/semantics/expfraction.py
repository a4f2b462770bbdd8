"""Exact fractions of finite sums `Σ c·e^q`: the field in which the true softmax of rational weights lives."""

from __future__ import annotations

from numbers import Rational
from operator import index
from typing import Any, SupportsIndex

from flint import fmpq, fmpz

from attention_queries.semantics.expsum import ExpSum, lowest_terms
from attention_queries.semantics.rational import parse_rational

_ONE = ExpSum({0: fmpq(1)})
_RATIONALS = (int, fmpq, fmpz, Rational)


class ExpFraction:
    """A fraction of two sums `Σ c·e^q` with rational `c` and `q`.

    Arithmetic is lazy: no common factor is removed, unless `reduced` is called. Equality is exact (cross
    multiplication), and equal fractions hash alike.
    """

    __slots__ = ("denominator", "numerator")

    def __init__(self, numerator: ExpSum, denominator: ExpSum = _ONE) -> None:
        if denominator.is_zero():
            raise ZeroDivisionError("division by an exponential sum that is 0")
        self.numerator = numerator
        self.denominator = denominator

    @classmethod
    def rational(cls, x: object) -> ExpFraction:
        """The rational number `x`."""
        c = parse_rational(x)
        return cls(ExpSum({0: c} if c != 0 else {}))

    @classmethod
    def power(cls, q: object) -> ExpFraction:
        """`e^q` for a rational `q`."""
        return cls(ExpSum.of([(parse_rational(q), fmpq(1))]))

    def is_zero(self) -> bool:
        """Whether the fraction is 0."""
        return self.numerator.is_zero()

    def as_monomial(self) -> tuple[fmpq, fmpq] | None:
        """The pair `(c, q)` with `self == c·e^q` and `c != 0`, or None when there is none."""
        n, d = self.numerator, self.denominator
        if n.is_zero() or len(n.terms) != len(d.terms):
            return None
        (a, x), (b, y) = n.leading(), d.leading()
        c, q = x / y, a - b
        return (c, q) if n == d.scaled(c).shifted(q) else None

    def as_rational(self) -> fmpq | None:
        """The rational number equal to the fraction, or None when there is none."""
        if self.is_zero():
            return fmpq(0)
        monomial = self.as_monomial()
        return monomial[0] if monomial is not None and monomial[1] == 0 else None

    def reduced(self) -> ExpFraction:
        """The same fraction, shifted, scaled and, where degrees allow it, in lowest terms (see `lowest_terms`)."""
        return ExpFraction(*lowest_terms(self.numerator, self.denominator))

    def bits(self) -> int:
        """Bits of all coefficients and exponents together."""
        return self.numerator.bits() + self.denominator.bits()

    def __add__(self, other: Any) -> ExpFraction:
        other = _lift(other)
        if other is None:
            return NotImplemented
        a, b = self.denominator, other.denominator
        if _same(a, b):
            return ExpFraction(self.numerator + other.numerator, a)
        return ExpFraction(self.numerator * b + other.numerator * a, a * b)

    __radd__ = __add__

    def __neg__(self) -> ExpFraction:
        return ExpFraction(-self.numerator, self.denominator)

    def __pos__(self) -> ExpFraction:
        return self

    def __sub__(self, other: Any) -> ExpFraction:
        other = _lift(other)
        return NotImplemented if other is None else self + -other

    def __rsub__(self, other: Any) -> ExpFraction:
        other = _lift(other)
        return NotImplemented if other is None else other + -self

    def __mul__(self, other: Any) -> ExpFraction:
        other = _lift(other)
        if other is None:
            return NotImplemented
        if self.is_zero() or other.is_zero():
            return ExpFraction(ExpSum({}))
        if _same(self.denominator, other.numerator):
            return ExpFraction(self.numerator, other.denominator)
        if _same(self.numerator, other.denominator):
            return ExpFraction(other.numerator, self.denominator)
        return ExpFraction(self.numerator * other.numerator, self.denominator * other.denominator)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> ExpFraction:
        other = _lift(other)
        if other is None:
            return NotImplemented
        if other.is_zero():
            raise ZeroDivisionError("division by an exponential fraction that is 0")
        return self * ExpFraction(other.denominator, other.numerator)

    def __rtruediv__(self, other: Any) -> ExpFraction:
        other = _lift(other)
        return NotImplemented if other is None else other / self

    def __pow__(self, exponent: SupportsIndex) -> ExpFraction:
        exponent = index(exponent)
        base = self if exponent >= 0 else 1 / self
        result = ExpFraction(_ONE)
        for bit in f"{abs(exponent):b}":
            result = result * result
            if bit == "1":
                result = result * base
        return result

    def __eq__(self, other: object) -> bool:
        lifted = _lift(other)
        if lifted is None:
            return NotImplemented
        a, b = self.denominator, lifted.denominator
        if _same(a, b):
            return self.numerator == lifted.numerator
        return self.numerator * b == lifted.numerator * a

    def __hash__(self) -> int:
        # The first terms of the expansion at infinity depend on the value only, and need no common factor removed.
        rational = self.as_rational()
        if rational is not None:
            return hash(rational)
        expansion = []
        rest, (b, y) = self.numerator, self.denominator.leading()
        for _ in range(2):
            if rest.is_zero():
                break
            a, x = rest.leading()
            expansion.append((a - b, x / y))
            rest = rest + -self.denominator.scaled(x / y).shifted(a - b)
        return hash(tuple(expansion))

    def __bool__(self) -> bool:
        return not self.is_zero()

    def __str__(self) -> str:
        from attention_queries.semantics.exptext import to_text

        return to_text(self.reduced())

    def __repr__(self) -> str:
        return f"ExpFraction.parse({str(self)!r})"

    def latex(self) -> str:
        """The fraction in LaTeX, without dollar signs."""
        from attention_queries.semantics.exptext import to_latex

        return to_latex(self.reduced())

    def _repr_latex_(self) -> str:
        return f"${self.latex()}$"

    @classmethod
    def parse(cls, text: str) -> ExpFraction:
        """Read what `str` writes, or any expression of rationals, `e^q`, `+ - * /` and parentheses."""
        from attention_queries.semantics.exptext import parse

        return parse(text)


def _same(a: ExpSum, b: ExpSum) -> bool:
    return a is b or a == b


def _lift(x: object) -> ExpFraction | None:
    if isinstance(x, ExpFraction):
        return x
    if isinstance(x, _RATIONALS) and not isinstance(x, bool):
        return ExpFraction.rational(x)
    return None
