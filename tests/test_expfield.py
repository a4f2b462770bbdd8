"""Fractions of exponential sums: a field, exact equality, hashing, text."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from flint import fmpq
from hypothesis import assume, given
from hypothesis import strategies as st

from attention_queries import ExpField, ExpFraction, InputError
from attention_queries.errors import NotAPower
from attention_queries.semantics import exptext
from attention_queries.semantics.expsum import ExpSum, lowest_terms
from strategies import rationals

E = ExpField()
sums = st.lists(st.tuples(rationals, rationals), max_size=4).map(ExpSum.of)
fractions = st.builds(
    lambda n, d: ExpFraction(n, d) if not d.is_zero() else ExpFraction(n),
    sums,
    sums,
)


def to_float(x: ExpFraction) -> float:
    def total(s: ExpSum) -> float:
        return math.fsum(float(c.p) / float(c.q) * math.exp(float(q.p) / float(q.q)) for q, c in s.sorted_terms())

    return total(x.numerator) / total(x.denominator)


@given(fractions, fractions, fractions)
def test_ring_axioms(x: ExpFraction, y: ExpFraction, z: ExpFraction) -> None:
    assert (x + y) + z == x + (y + z)
    assert x + y == y + x
    assert (x * y) * z == x * (y * z)
    assert x * y == y * x
    assert x * (y + z) == x * y + x * z
    assert x - x == 0
    assert x + 0 == x
    assert x * 1 == x


@given(fractions, fractions)
def test_division(x: ExpFraction, y: ExpFraction) -> None:
    assume(not y.is_zero())
    assert (x / y) * y == x
    assert y / y == 1
    assert y**-2 == 1 / (y * y)
    assert 1 - y == -(y - 1)
    assert y**0 == 1


@given(rationals, rationals)
def test_exponential_is_a_homomorphism(s: fmpq, t: fmpq) -> None:
    assert E.exp(s + t) == E.exp(s) * E.exp(t)
    assert (E.exp(s) == E.exp(t)) == (s == t)


@given(fractions, rationals)
def test_log_sees_through_common_factors(x: ExpFraction, q: fmpq) -> None:
    assume(not x.is_zero())
    assert E.log(x * E.exp(q) / x) == q


@given(fractions)
def test_log_refuses_what_is_not_a_power(x: ExpFraction) -> None:
    try:
        q = E.log(x)
    except NotAPower:
        assert all(E.exp(fmpq(n, 6)) != x for n in range(-12, 13))
    else:
        assert E.exp(q) == x


@given(fractions, fractions)
def test_equality_and_hash_ignore_common_factors(x: ExpFraction, y: ExpFraction) -> None:
    assume(not y.is_zero())
    same = ExpFraction(x.numerator * y.numerator, x.denominator * y.numerator)
    assert same == x
    assert hash(same) == hash(x)
    assert len({same, x}) == 1


@given(rationals)
def test_rationals_equal_and_hash_like_numbers(q: fmpq) -> None:
    x = ExpFraction.rational(q)
    assert x == q
    assert hash(x) == hash(q)
    assert x.as_rational() == q
    assert (x == Fraction(int(q.p), int(q.q))) is True


@given(fractions)
def test_text_is_read_back(x: ExpFraction) -> None:
    assert ExpFraction.parse(str(x)) == x
    assert eval(repr(x), {"ExpFraction": ExpFraction}) == x
    assert E.value(E.format_value(x)) == x


@given(fractions, fractions)
def test_equal_fractions_have_equal_text(x: ExpFraction, y: ExpFraction) -> None:
    assume(not y.is_zero())
    assert str(ExpFraction(x.numerator * y.denominator, x.denominator * y.denominator)) == str(x)


@given(fractions)
def test_text_agrees_with_sympy(x: ExpFraction) -> None:
    """sympy reads the same text as the same number."""
    number = sympy.sympify(str(x).replace("e", "E").replace("^", "**"), rational=True)
    expected = to_float(x)
    assert math.isclose(float(number), expected, rel_tol=1e-6, abs_tol=1e-6 * (1 + abs(expected)))


@given(sums, sums, sums)
def test_lowest_terms(n: ExpSum, d: ExpSum, common: ExpSum) -> None:
    assume(not d.is_zero())
    assume(not common.is_zero())
    reduced = lowest_terms(n * common, d * common)
    assert ExpFraction(*reduced) == ExpFraction(n, d)
    assert len(reduced[1].terms) == len(lowest_terms(n, d)[1].terms)


def test_examples_of_text() -> None:
    x = (2 * E.exp(fmpq(1, 2)) - 3) / (1 + E.exp(fmpq(1)))
    assert str(x) == "(2*e^(1/2) - 3)/(e + 1)"
    assert x.latex() == r"\frac{2 e^{1/2} - 3}{e + 1}"
    assert str(E.exp(fmpq(-3)) - fmpq(2, 3) * E.exp(fmpq(2))) == "-2/3*e^2 + e^(-3)"
    assert str(x - x) == "0"


def test_reduction_gives_up_on_huge_degrees_and_stays_exact() -> None:
    x = (E.exp(fmpq(10**9)) - 1) / (E.exp(fmpq(1)) - 1)
    assert len(x.reduced().numerator.terms) == 2
    assert x * (E.exp(fmpq(1)) - 1) == E.exp(fmpq(10**9)) - 1


def test_division_by_zero() -> None:
    with pytest.raises(ZeroDivisionError):
        E.exp(fmpq(1)) / (E.exp(fmpq(2)) - E.exp(fmpq(2)))
    with pytest.raises(ZeroDivisionError):
        1 / ExpFraction.rational(0)


def test_other_types_are_refused() -> None:
    x = E.exp(fmpq(1))
    for other in (1.5, "1", None, True):
        assert x != other
        with pytest.raises(TypeError):
            x + other  # type: ignore[operator]


BAD = [
    "e^",
    "e^(1/0)",
    "e e",
    "1e5",
    "e/(e-e)",
    "e+",
    "(e",
    "e)",
    "e^(1/2",
    "²e",
    "e**2",
    "e^-1",
    "x*e",
    "(" * 99 + "e",
]


@pytest.mark.parametrize("text", BAD)
def test_bad_text(text: str) -> None:
    with pytest.raises(InputError):
        E.value(text)


def test_softmax_mean_of_irrational_values() -> None:
    y: Any = E.exp(fmpq(1, 3))
    mean = E.softmax_mean([fmpq(0), fmpq(5)], [2, 1], [y, 1 / y])
    assert mean == (2 * y + E.exp(fmpq(5)) / y) / (2 + E.exp(fmpq(5)))


@pytest.mark.parametrize(
    "text",
    [
        "*".join(f"(1+e^{2**i})" for i in range(64)),
        "1" + "".join(f"/(1+e^{2**i})" for i in range(64)),
        "+".join(f"1/(1+e^{2**i})" for i in range(64)),
    ],
)
def test_short_texts_of_huge_fractions_are_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exptext, "MAX_PRODUCTS", 1 << 14)
    with pytest.raises(InputError, match="too long when expanded"):
        ExpFraction.parse(text)


def test_long_sums_are_read() -> None:
    text = "+".join(f"{i}*e^{i}" for i in range(1, 5000))
    assert len(ExpFraction.parse(text).numerator.terms) == 4999
    assert ExpFraction.parse(f"({text})/(1+{text})") * ExpFraction.parse(f"1+{text}") == ExpFraction.parse(text)
    assert ExpFraction.parse("1/(1+e) - 2 + 1/(1-e) + e") == E.exp(fmpq(1)) - 2 + 2 / (1 - E.exp(fmpq(2)))


def test_powers_are_integers() -> None:
    e = E.exp(fmpq(1))
    assert e ** np.int64(-2) == E.exp(fmpq(-2))
    with pytest.raises(TypeError):
        e**0.5  # type: ignore[operator]


def test_softmax_mean_multiplies_each_denominator_once() -> None:
    y = 1 / (1 + E.exp(fmpq(1)))
    mean = E.softmax_mean([fmpq(i) for i in range(40)], [1] * 40, [i * y for i in range(40)])
    assert len(mean.denominator.terms) <= 41
    assert mean == y * E.softmax_mean([fmpq(i) for i in range(40)], [1] * 40, [E.value(i) for i in range(40)])
