"""The true softmax, exactly: rational scalars and values that are fractions of sums `Σ c·e^q`."""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq

from attention_queries.errors import NotAPower
from attention_queries.semantics.base import Semantics
from attention_queries.semantics.expfraction import ExpFraction
from attention_queries.semantics.expsum import ExpSum
from attention_queries.semantics.rational import format_rational, parse_rational


class ExpField(Semantics[fmpq, ExpFraction]):
    """Scalars are `flint.fmpq`, values are `ExpFraction`, and `exp(s) = e^s`."""

    name = "exp"
    exact = True

    def scalar(self, x: object) -> fmpq:
        """Read a rational number."""
        return parse_rational(x)

    def value(self, x: object) -> ExpFraction:
        """Read a rational number, an `ExpFraction`, or the text of one."""
        if isinstance(x, ExpFraction):
            return x
        if isinstance(x, str) and "e" in x:
            return ExpFraction.parse(x)
        return ExpFraction.rational(x)

    def cast(self, s: fmpq) -> ExpFraction:
        """The rational number `s` as a value."""
        return ExpFraction.rational(s)

    def exp(self, s: fmpq) -> ExpFraction:
        """`e^s`."""
        return ExpFraction.power(s)

    def log(self, x: ExpFraction) -> fmpq:
        """The exponent of a pure power `e^q`."""
        monomial = x.as_monomial()
        if monomial is None or monomial[0] != 1:
            raise NotAPower(f"{_short(x)} is not e^q with a rational q")
        return monomial[1]

    def softmax_mean(self, scores: Sequence[fmpq], copies: Sequence[int], values: Sequence[ExpFraction]) -> ExpFraction:
        """The mean with weights `k_i e^{s_i}`, as one lazy fraction."""
        high = max(scores)
        shifted = [s - high for s in scores]
        weights = ExpSum.of((s, fmpq(k)) for s, k in zip(shifted, copies, strict=True))
        # Values over one denominator are added first: fractions multiply the denominators that they meet.
        denominators: list[ExpSum] = []
        numerators: list[list[tuple[fmpq, fmpq]]] = []
        for s, k, y in zip(shifted, copies, values, strict=True):
            if y.denominator not in denominators:
                denominators.append(y.denominator)
                numerators.append([])
            terms = numerators[denominators.index(y.denominator)]
            terms += [(s + q, k * c) for q, c in y.numerator.sorted_terms()]
        first, *others = (ExpFraction(ExpSum.of(n), d) for n, d in zip(numerators, denominators, strict=True))
        return sum(others, first) / ExpFraction(weights)

    def format_scalar(self, s: fmpq) -> int | str:
        """An integer or `"p/q"`."""
        return format_rational(s)

    def format_value(self, x: ExpFraction) -> int | str:
        """An integer, `"p/q"`, or an expression such as `"(e + 2)/(1 + e)"`."""
        rational = x.as_rational()
        return str(x) if rational is None else format_rational(rational)

    def bits(self, x: ExpFraction) -> int:
        """Bits of all coefficients and exponents of the fraction as it was given."""
        return x.bits()


def _short(x: ExpFraction) -> str:
    return str(x) if x.bits() <= 200 else f"a fraction of {x.bits()} bits"
