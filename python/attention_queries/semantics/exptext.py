"""Exponential fractions as text and LaTeX, and the way back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from flint import fmpq

from attention_queries.errors import InputError, shown
from attention_queries.semantics.expfraction import ExpFraction
from attention_queries.semantics.expsum import ExpSum
from attention_queries.semantics.rational import MAX_DIGITS, parse_rational

_TOKEN = re.compile(r"\s*([0-9]+|[-+*/^()e])")
_MAX_DEPTH = 50
MAX_PRODUCTS = 1 << 22
"""Most products of two terms that reading one text may take; `(1 + e)*(1 + e^2)*(1 + e^4)*…` doubles them each time."""


def to_text(x: ExpFraction) -> str:
    """The fraction on one line, for example `(2*e^(1/2) - 3)/(1 + e)`."""
    top = _sum_text(x.numerator)
    if x.denominator.is_one():
        return top
    if len(x.numerator.terms) > 1:
        top = f"({top})"
    return f"{top}/({_sum_text(x.denominator)})"


def _sum_text(terms: ExpSum) -> str:
    return _join([(c, _power_text(q)) for q, c in terms.sorted_terms()], lambda c, p: f"{c}*{p}", str)


def _power_text(q: fmpq) -> str:
    if q == 0:
        return ""
    if q == 1:
        return "e"
    return f"e^{q}" if q.q == 1 and q > 0 else f"e^({q})"


def to_latex(x: ExpFraction) -> str:
    """The fraction in LaTeX."""
    top = _sum_latex(x.numerator)
    return top if x.denominator.is_one() else rf"\frac{{{top}}}{{{_sum_latex(x.denominator)}}}"


def _sum_latex(terms: ExpSum) -> str:
    pairs = [(c, "" if q == 0 else f"e^{{{q}}}" if q != 1 else "e") for q, c in terms.sorted_terms()]
    return _join(pairs, lambda c, p: f"{_latex(c)} {p}", _latex)


def _latex(c: fmpq) -> str:
    return str(c) if c.q == 1 else rf"\frac{{{c.p}}}{{{c.q}}}"


def _join(pairs: list[tuple[fmpq, str]], product: Callable[[fmpq, str], str], number: Callable[[fmpq], str]) -> str:
    text = ""
    for c, power in pairs:
        sign, size = ("-", -c) if c < 0 else ("+", c)
        term = number(size) if not power else power if size == 1 else product(size, power)
        text += f" {sign} {term}" if text else term if sign == "+" else f"-{term}"
    return text or "0"


def parse(text: str) -> ExpFraction:
    """Read an expression of rationals, `e^q`, `+ - * /` and parentheses; raises `InputError`."""
    if len(text) > MAX_DIGITS:
        raise InputError(f"an expression with {len(text)} characters is too long; at most {MAX_DIGITS} are read")
    reader = _Reader(text)
    try:
        result = reader.sum(0)
    except ZeroDivisionError:
        raise InputError(f"{shown(text)} divides by 0") from None
    if reader.symbol:
        raise reader.unexpected()
    return result


class _Reader:
    """A reader by recursive descent; `symbol` is the next symbol, empty at the end."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._work = 0
        self._symbols = self._split()
        self.symbol = next(self._symbols, "")

    def _split(self) -> Iterator[str]:
        position, end = 0, len(self.text.rstrip())
        while position < end:
            match = _TOKEN.match(self.text, position)
            if match is None:
                raise InputError(f"{shown(self.text)} is not a number or an expression in powers of e")
            position = match.end()
            yield match[1]

    def unexpected(self) -> InputError:
        what = f"unexpected {shown(self.symbol)}" if self.symbol else "it ends too early"
        return InputError(f"{shown(self.text)} is not a number or an expression in powers of e: {what}")

    def take(self, symbols: str) -> str:
        """Consume and return the next symbol if it is one of `symbols`, else return nothing."""
        symbol = self.symbol
        if not symbol or symbol not in symbols:
            return ""
        self.symbol = next(self._symbols, "")
        return symbol

    def spend(self, a: ExpSum, b: ExpSum) -> None:
        """Account for the product of two sums, before it is computed."""
        self._work += len(a.terms) * len(b.terms)
        if self._work > MAX_PRODUCTS:
            raise InputError(f"{shown(self.text)} is too long when expanded: over {MAX_PRODUCTS} products of terms")

    def expect(self, symbol: str) -> None:
        if not self.take(symbol):
            raise self.unexpected()

    def sum(self, depth: int) -> ExpFraction:
        if depth > _MAX_DEPTH:
            raise InputError(f"{shown(self.text)} has more than {_MAX_DEPTH} nested parentheses")
        terms = [self.product(depth)]
        while sign := self.take("+-"):
            term = self.product(depth)
            terms.append(term if sign == "+" else -term)
        # Terms without denominators are added at once, which takes linear time.
        total = ExpFraction(
            ExpSum.of(pair for x in terms if x.denominator.is_one() for pair in x.numerator.sorted_terms())
        )
        for x in terms:
            if not x.denominator.is_one():
                self.spend(total.numerator, x.denominator)
                self.spend(total.denominator, x.numerator)
                self.spend(total.denominator, x.denominator)
                total = total + x
        return total

    def product(self, depth: int) -> ExpFraction:
        negative = bool(self.take("-"))
        result = self.factor(depth)
        while operator := self.take("*/"):
            factor = self.factor(depth)
            if operator == "/":
                factor = 1 / factor
            self.spend(result.numerator, factor.numerator)
            self.spend(result.denominator, factor.denominator)
            result = result * factor
        return -result if negative else result

    def factor(self, depth: int) -> ExpFraction:
        if self.take("("):
            result = self.sum(depth + 1)
            self.expect(")")
            return result
        if self.take("e"):
            return ExpFraction.power(self.exponent() if self.take("^") else 1)
        return ExpFraction.rational(self.digits())

    def exponent(self) -> fmpq:
        """A natural number, or a rational number in parentheses."""
        if not self.take("("):
            return parse_rational(self.digits())
        sign = self.take("-")
        numerator = self.digits()
        denominator = self.digits() if self.take("/") else "1"
        self.expect(")")
        return parse_rational(f"{sign}{numerator}/{denominator}")

    def digits(self) -> str:
        digits = self.symbol
        if not digits.isdigit():
            raise self.unexpected()
        self.symbol = next(self._symbols, "")
        return digits
