"""The order of values: the sign of a number of any semantics, decided exactly for the exact ones."""

from __future__ import annotations

from typing import Any

from flint import arb, ctx, fmpq

from attention_queries.semantics.expfraction import ExpFraction
from attention_queries.semantics.expsum import ExpSum

_FIRST_PRECISION = 64


def sign(x: Any) -> int:
    """-1, 0 or 1 as `x` (a rational, floating or exponential number) is negative, zero or positive."""
    if isinstance(x, ExpFraction):
        return _sign_of_sum(x.numerator) * _sign_of_sum(x.denominator)
    return int(x > 0) - int(x < 0)


def _sign_of_sum(x: ExpSum) -> int:
    """The sign of `Σ c·e^q`: zero is a sum without terms, and any other sum is told from zero at some precision."""
    if x.is_zero():
        return 0
    signs = {sign(c) for c in x.terms.values()}
    if len(signs) == 1:
        return signs.pop()
    top = x.leading()[0]
    terms = [(c, q - top) for q, c in x.sorted_terms()]
    precision = _FIRST_PRECISION
    while True:
        total = _enclosure(terms, precision)
        if total > 0:
            return 1
        if total < 0:
            return -1
        precision *= 2


def _enclosure(terms: list[tuple[fmpq, fmpq]], precision: int) -> Any:
    """An interval that contains the sum of the terms `c·e^q`, given as pairs `(c, q)`."""
    with ctx.workprec(precision):
        return sum((arb(c) * arb(q).exp() for c, q in terms), arb(0))
