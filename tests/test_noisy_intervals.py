"""Interval arithmetic on weights, rounding outwards, and recognising the only number allowed."""

from __future__ import annotations

from fractions import Fraction
from math import exp, log
from typing import Any

import pytest
from flint import arb, ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st

from attention_queries import Base2, ExpField, ExpFraction, Float
from attention_queries.errors import InputError
from attention_queries.learners.noisy.certification import (
    CONTRADICTION,
    Experiment,
    Kind,
    Weight,
    choose_directions,
    entry_weights,
    experiment_weight,
)
from attention_queries.learners.noisy.enclosure import log2_ceil, score_bounds, value_interval
from attention_queries.learners.noisy.interval import Interval
from attention_queries.learners.noisy.oracles import read_number, read_tolerance
from attention_queries.learners.noisy.planning import Plan, log_of, share

rationals = st.builds(fmpq, st.integers(-60, 60), st.integers(1, 12))
positive = st.builds(fmpq, st.integers(1, 10**6), st.integers(1, 10**6))


@given(rationals, st.builds(fmpq, st.integers(0, 30), st.integers(1, 60)), st.integers(1, 6))
def test_the_only_rational(low: fmpq, width: fmpq, largest: int) -> None:
    high = low + width
    numbers = {
        fmpq(p, q) for q in range(1, largest + 1) for p in range(int((low * q).floor()), int((high * q).ceil()) + 1)
    }
    inside = [x for x in numbers if low <= x <= high]
    assert Interval(low, high).only_rational(largest) == (inside[0] if len(inside) == 1 else None)


@given(positive)
def test_log2_ceil(x: fmpq) -> None:
    n = log2_ceil(x)
    assert fmpq(2) ** (n - 1) < x <= fmpq(2) ** n


@given(positive, positive)
def test_logarithms_are_rounded_outwards(x: fmpq, y: fmpq) -> None:
    low, high = sorted((x, y))
    for semantics in (ExpField(), Float()):
        below, above = score_bounds(semantics, low, high)
        assert below is not None
        assert above is not None
        with ctx.workprec(600):
            assert arb(below).exp() <= arb(low)
            assert arb(above).exp() >= arb(high)
        assert float(above - below) <= (log_of(high) - log_of(low)) * 1.01 + 1e-12
    below, above = score_bounds(Base2(), low, high)
    assert below is not None
    assert above is not None
    assert all((low <= fmpq(2) ** n <= high) == (below <= n <= above) for n in range(-22, 22))
    assert score_bounds(Base2(), None, high)[0] is None
    assert score_bounds(ExpField(), low, None)[1] is None


def test_values_are_enclosed() -> None:
    x = ExpFraction.parse("(e^50 - 2)/(e^50 + e^(1/3))")
    bounds = value_interval(x, fmpq(1, 10**40))
    assert bounds.width <= fmpq(1, 10**40)
    assert float(bounds.midpoint) == pytest.approx((exp(50) - 2) / (exp(50) + exp(1 / 3)))
    assert value_interval(fmpq(1, 3), fmpq(1)) == Interval(fmpq(1, 3), fmpq(1, 3))
    assert value_interval(0.5, fmpq(1)).low == fmpq(1, 2)
    assert value_interval(ExpFraction.rational(7), fmpq(1)).width == 0


shares = st.builds(fmpq, st.integers(1, 99), st.just(100))
errors = st.builds(fmpq, st.integers(-8, 8), st.just(8))


@given(st.data())
def test_one_experiment_contains_the_weight(data: Any) -> None:
    """Odds in place of `e^(s/n)`: any share, slope and errors within the tolerance."""
    p, tau = data.draw(shares), data.draw(st.sampled_from([fmpq(1, 10), fmpq(1, 1000)]))
    v_j, D = data.draw(rationals), data.draw(rationals)
    kind = data.draw(st.sampled_from(list(Kind)))
    e = Experiment(0, 0, *data.draw(st.tuples(*[st.integers(1, 5)] * 3)))
    wrong = [tau * data.draw(errors) for _ in range(4)]
    slope = D + wrong[0] + (0 if kind is Kind.PLAIN else wrong[1])
    answer = v_j / e.n + p * D + wrong[2]
    weight = experiment_weight(e, answer, v_j + wrong[3], slope, kind, tau)
    truth = (p / (1 - p) * fmpq(e.m, e.k)) ** e.n
    assert weight.low <= truth
    assert weight.high is None or truth <= weight.high
    assert not weight.empty


def test_one_experiment_is_sharp_and_notices_contradictions() -> None:
    tau, e = fmpq(1, 100), Experiment(0, 0)
    weight = experiment_weight(e, fmpq(1, 2), fmpq(0), fmpq(1), Kind.PLAIN, tau)
    assert weight == Weight(fmpq(48, 53), fmpq(52, 47))
    assert experiment_weight(e, fmpq(1, 2), fmpq(0), fmpq(-1), Kind.PLAIN, tau) == CONTRADICTION
    assert experiment_weight(e, fmpq(2), fmpq(0), fmpq(1), Kind.PLAIN, tau) == CONTRADICTION
    assert experiment_weight(e, fmpq(1), fmpq(0), fmpq(1), Kind.PLAIN, tau).high is None
    assert experiment_weight(e, fmpq(0), fmpq(0), fmpq(1), Kind.PLAIN, tau).low == 0
    assert experiment_weight(e, fmpq(5), fmpq(0), tau, Kind.PLAIN, tau) == Weight()


weights = st.builds(Weight, st.one_of(st.just(fmpq(0)), positive), st.one_of(st.none(), positive))


@given(weights, weights, positive, positive)
def test_arithmetic_of_weights(a: Weight, b: Weight, x: fmpq, y: fmpq) -> None:
    def has(w: Weight, t: fmpq) -> bool:
        return w.low <= t and (w.high is None or bool(t <= w.high))

    if has(a, x) and has(b, y):
        assert has(a * b, x * y)
        assert has(a / b, x / y)
    assert has(a & b, x) == (has(a, x) and has(b, x))


def test_directions() -> None:
    values = [fmpq(1), fmpq(-4), fmpq(2), fmpq(-1), fmpq(0)]
    directions = choose_directions(values)
    assert directions.pivot == 1
    assert directions.kinds == (Kind.MINUS, Kind.PLAIN, Kind.PLAIN, Kind.PLUS, Kind.PLUS)
    assert directions.slopes == (5, -4, 2, -5, -4)
    points = [Weight(fmpq(x), fmpq(x)) for x in (6, 2, 3, 10, 4)]
    assert [w.low for w in entry_weights(points, directions)] == [12, 2, 3, 5, 2]


NOISE = fmpq(1), fmpq(1, 1000), fmpq(1, 1000)


def test_plans_respect_the_length() -> None:
    plan = Plan(16, "any")
    assert plan.copies(0.0) == (1, 1)
    assert plan.copies(100.0) == (1, 15)
    assert plan.copies(-1.1) == (3, 1)
    assert Plan(2, "any").copies(5.0) == (1, 1)
    assert share(1, 1, 0.0) == pytest.approx(0.5)
    assert share(2, 1, 1000.0) == pytest.approx(1)
    assert share(1, 2, -1000.0) == pytest.approx(0)
    following = plan.next(Experiment(0, 0), Weight(fmpq(100), fmpq(10**4)), *NOISE)
    assert following is not None
    assert following.k + following.m <= 16
    assert plan.next(Experiment(0, 0), Weight(), *[fmpq(1, 1000)] * 3) is None
    assert Plan(2, "none").next(Experiment(0, 0), Weight(fmpq(50)), fmpq(1), fmpq(1, 100), fmpq(1, 100)) is None


@pytest.mark.parametrize("text", ["1e-6", "0.000001", "1/1000000", "1E-6", "10e-7"])
def test_tolerances_as_text(text: str) -> None:
    assert read_tolerance(text) == fmpq(1, 10**6)


def test_other_numbers() -> None:
    assert read_number(0.5, "x") == fmpq(1, 2)
    assert read_number("-2.25", "x") == fmpq(-9, 4)
    assert read_number("3.", "x") == 3
    assert read_number(Fraction(1, 3), "x") == fmpq(1, 3)
    assert log_of(fmpq(10) ** 1000) == pytest.approx(1000 * log(10))
    for bad in ("", "x", "1e99999", float("nan"), float("inf"), None, True, "1/0"):
        with pytest.raises(InputError):
            read_number(bad, "x")
    for bad in (0, -1, "0", "-1e-3"):
        with pytest.raises(InputError, match="positive"):
            read_tolerance(bad)
