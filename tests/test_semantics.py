"""The interface that all number systems share."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from flint import fmpq, fmpz
from hypothesis import given
from hypothesis import strategies as st

from attention_queries import Base2, ExpField, Float, InputError, ScoreTooLarge, semantics
from attention_queries.errors import NotAPower
from attention_queries.semantics.base2 import MAX_POWER_BITS
from attention_queries.semantics.rational import format_rational, parse_rational
from strategies import EXACT, SEMANTICS, rationals, scalars, values

names = pytest.mark.parametrize("name", list(SEMANTICS))
exact_names = pytest.mark.parametrize("name", list(EXACT))


@names
@given(st.data())
def test_log_undoes_exp(name: str, data: Any) -> None:
    s = SEMANTICS[name]
    x = data.draw(scalars(name))
    assert s.equal(s.cast(s.log(s.exp(x))), s.cast(x))


@names
@given(st.data())
def test_formatting_is_read_back(name: str, data: Any) -> None:
    s = SEMANTICS[name]
    x, y = data.draw(scalars(name)), data.draw(values(name))
    assert s.scalar(s.format_scalar(x)) == x
    assert s.value(s.format_value(y)) == y
    assert s.bits(y) >= 1


@names
@given(st.data())
def test_softmax_mean_is_the_weighted_mean(name: str, data: Any) -> None:
    s = SEMANTICS[name]
    rows = data.draw(st.lists(st.tuples(scalars(name), st.integers(1, 9), values(name)), min_size=1, max_size=5))
    weights = [k * s.exp(x) for x, k, _ in rows]
    total = sum((w * y for w, (_, _, y) in zip(weights, rows, strict=True)), s.value(0))
    mean = s.softmax_mean(*(list(column) for column in zip(*rows, strict=True)))
    assert s.equal(mean, total / sum(weights, s.value(0)))


@names
@given(st.data())
def test_many_means_agree_with_single_ones(name: str, data: Any) -> None:
    s = SEMANTICS[name]
    size = 4
    scores = dict(enumerate(data.draw(st.lists(scalars(name), min_size=size, max_size=size))))
    outputs = data.draw(st.lists(values(name), min_size=size, max_size=size))
    runs = st.lists(st.tuples(st.integers(0, size - 1), st.integers(1, 4)), min_size=1, max_size=4)
    sequences = data.draw(st.lists(runs, max_size=4))
    singly = [
        s.softmax_mean([scores[i] for i, _ in r], [k for _, k in r], [outputs[i] for i, _ in r]) for r in sequences
    ]
    assert all(map(s.equal, s.softmax_means(scores, outputs, sequences), singly))


@given(st.lists(st.integers(-40, 40), max_size=6), st.integers(0, 5))
def test_log_many_names_the_culprit(exponents: list[int], place: int) -> None:
    s = Base2()
    powers = [s.exp(e) for e in exponents]
    assert s.log_many(powers) == exponents
    place = min(place, len(powers))
    with pytest.raises(NotAPower) as caught:
        s.log_many([*powers[:place], fmpq(3, 4), *powers[place:]])
    assert caught.value.position == place


@pytest.mark.parametrize("x", [fmpq(0), fmpq(-2), fmpq(3), fmpq(2, 3), fmpq(3, 2), fmpq(1, 3), fmpq(-1, 4), fmpq(6, 4)])
def test_base2_log_refuses(x: fmpq) -> None:
    with pytest.raises(NotAPower):
        Base2().log(x)


def test_base2_refuses_powers_that_do_not_fit() -> None:
    s = Base2()
    with pytest.raises(ScoreTooLarge, match="exp semantics"):
        s.softmax_mean([0, MAX_POWER_BITS + 1], [1, 1], [fmpq(0), fmpq(1)])
    with pytest.raises(ScoreTooLarge):
        s.exp(10**5000)
    assert s.softmax_mean([10**5000, 10**5000], [1, 1], [fmpq(0), fmpq(1)]) == fmpq(1, 2)


def test_float_does_not_overflow() -> None:
    s = Float()
    assert s.softmax_mean([1e300, -1e300], [1, 1], [2.0, 3.0]) == 2.0
    with pytest.raises(InputError):
        s.exp(1e5)
    for x in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(NotAPower):
            s.log(x)


GOOD: list[tuple[object, fmpq]] = [
    (3, fmpq(3)),
    ("-3", fmpq(-3)),
    ("6/4", fmpq(3, 2)),
    (Fraction(-1, 7), fmpq(-1, 7)),
    (fmpz(5), fmpq(5)),
    (fmpq(5, 3), fmpq(5, 3)),
    (np.int64(-8), fmpq(-8)),
    (np.uint64(2**64 - 1), fmpq(2**64 - 1)),
    (sympy.Rational(2, 3), fmpq(2, 3)),
    (10**30, fmpq(10**30)),
    ("9" * 5000, fmpq(fmpz("9" * 5000))),
]


@pytest.mark.parametrize(("x", "expected"), GOOD)
def test_rationals_are_read(x: object, expected: fmpq) -> None:
    assert parse_rational(x) == expected
    assert ExpField().scalar(x) == expected
    assert Base2().value(x) == expected


BAD: list[object] = [
    True, np.bool_(True), None, 1.0, np.float64(2), math.nan, math.inf, "",
    "1.5", "1e5", "1/0", "1/-2", "+1", " 1", "1 ",
    "1_000", "٣", "0x10", "nan", "--1", "1/2/3", [1], (1,), {}, 1j, b"1", object,
]  # fmt: skip


@exact_names
@pytest.mark.parametrize("x", BAD, ids=str)
def test_exact_semantics_refuse(name: str, x: object) -> None:
    with pytest.raises(InputError) as caught:
        EXACT[name].scalar(x)
    assert "\n" not in str(caught.value)
    with pytest.raises(InputError):
        EXACT[name].value(x)


@pytest.mark.parametrize("x", ["1/2", fmpq(1, 2), Fraction(1, 2)])
def test_base2_scalars_are_integers(x: object) -> None:
    with pytest.raises(InputError, match="not an integer"):
        Base2().scalar(x)


@pytest.mark.parametrize("x", [math.nan, math.inf, -math.inf, 10**400, "x", None, False])
def test_float_refuses(x: object) -> None:
    with pytest.raises(InputError):
        Float().scalar(x)


def test_huge_numbers_are_named_shortly() -> None:
    with pytest.raises(InputError) as caught:
        Base2().scalar(fmpq(10**5000, 3))
    assert len(str(caught.value)) < 300


@given(rationals)
def test_rational_text(x: fmpq) -> None:
    assert parse_rational(format_rational(x)) == x


def test_huge_rational_text() -> None:
    x = fmpq(1 << 100_000, 3)
    assert parse_rational(format_rational(x)) == x
    assert isinstance(format_rational(fmpq(1 << 100_000)), str)


def test_names() -> None:
    assert [semantics.get(name).name for name in semantics.NAMES] == ["base2", "exp", "float"]
    assert semantics.get("base2") == Base2()
    assert semantics.get("base2") != semantics.get("exp")
    for name in ("", "Base2", None, ["base2"]):
        with pytest.raises(InputError):
            semantics.get(name)


def test_float_means_of_large_values_and_of_too_many_copies() -> None:
    s = Float()
    assert s.equal(s.softmax_mean([0.0, 0.0], [10, 30], [1e308, -1e308]) / 1e308, -0.5)
    assert s.softmax_mean([0.0], [10], [1.7e308]) == 1.7e308
    with pytest.raises(InputError, match="too large"):
        s.softmax_mean([0.0, 0.0], [10**400, 1], [1.0, 2.0])
