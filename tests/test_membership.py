"""Learning from one-bit answers: exact integers within the formula, certified intervals, and refusals by name."""

from __future__ import annotations

import random
from typing import Any

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_queries import AttentionModel, Base2, ExpField, Float, Head, Query
from attention_queries.errors import (
    InputError,
    MarginTooSmall,
    NotIdentifiable,
    OracleInconsistent,
    OutOfBounds,
    ScoreTooLarge,
)
from attention_queries.generate import random_target
from attention_queries.learners.membership import ModelThreshold, learn_membership
from attention_queries.learners.membership.bits import search, search_bits
from attention_queries.learners.membership.integers import query_bound
from attention_queries.learners.membership.oracle import CallableThreshold
from attention_queries.reproduce.noise import gaussian_head
from attention_queries.transcript import Transcript

THRESHOLDS = (fmpq(1), fmpq(-3, 2), fmpq(7, 3), fmpq(20), fmpq(-1, 100))


@pytest.mark.parametrize("theta", THRESHOLDS)
def test_integers_are_exact_within_the_formula(theta: fmpq) -> None:
    """200 targets in all: entries up to 8, dimensions up to 6."""
    for seed in range(40):
        d = 1 + seed % 6
        target = random_target(Base2(), d, low=-8, high=8, seed=int(theta.p) * 1000 + seed + 10**6)
        learned = learn_membership(ModelThreshold(target, theta), theta, bound=8, seed=seed, checks=2)
        assert learned.model == target
        assert learned.violations(target.heads[0]) == 0
        assert learned.learning.queries <= query_bound(d, 8) == 5 * d + 6 * d * d == learned.query_bound
        assert learned.learning.bits == learned.learning.queries


@settings(max_examples=40)
@given(st.data())
def test_every_integer_head_is_recovered(data: Any) -> None:
    d, bound = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 20))
    entries = st.integers(-bound, bound)
    W = data.draw(st.tuples(*[st.tuples(*[entries] * d)] * d))
    v = data.draw(st.tuples(*[entries] * d).filter(any))
    theta = data.draw(st.builds(fmpq, st.integers(-9, 9).filter(bool), st.integers(1, 9)))
    target = AttentionModel(Base2(), d, [Head(W, v)])
    learned = learn_membership(ModelThreshold(target, theta), theta, bound=bound)
    assert learned.model == target
    assert learned.learning.queries <= query_bound(d, bound)


@pytest.mark.parametrize("semantics", [ExpField(), Float()])
@pytest.mark.parametrize("bound", [None, 12])
def test_real_weights_get_certified_intervals(semantics: Any, bound: int | None) -> None:
    counts = []
    for digits in (2, 6):
        exact = gaussian_head(random.Random(1), 3, 3)
        heads = exact.heads
        if not semantics.exact:
            (head,) = heads
            heads = (Head([[int(x.p) / int(x.q) for x in row] for row in head.W], [float(str(1.5)), -0.25, 0.0]),)
        target = AttentionModel(semantics, 3, heads)
        for theta in ("1/3", -2):
            learned = learn_membership(
                ModelThreshold(target, fmpq(1, 3) if theta == "1/3" else fmpq(-2)),
                theta,
                bound=bound,
                precision=fmpq(1, 10**digits),
            )
            assert learned.certified == 12
            assert learned.violations(target.heads[0]) == 0
            assert learned.widest is not None
            assert learned.widest <= fmpq(5, 2) / 10**digits
            assert learned.learning.queries <= learned.query_bound
        counts.append(learned.learning.queries)
    assert counts[1] <= counts[0] + 12 * 15


def test_base_2_without_a_bound() -> None:
    """Fractional values get intervals, weights are exact; a promise about denominators makes the values exact."""
    for seed in range(4):
        (head,) = random_target(Base2(), 3, low=-20, high=20, seed=seed).heads
        target = AttentionModel(Base2(), 3, [Head(head.W, [x / 3 for x in head.v])])
        learned = learn_membership(ModelThreshold(target, fmpq(7, 5)), "7/5", precision="1e-3")
        assert learned.violations(target.heads[0]) == 0
        assert all(b is not None and b.width == 0 for row in learned.W_intervals for b in row)
        assert learned.learning.queries <= learned.query_bound
        promised = learn_membership(ModelThreshold(target, fmpq(7, 5)), "7/5", precision="1e-3", max_denominator=3)
        assert promised.model == target


def test_threshold_zero_and_no_value() -> None:
    target = random_target(Base2(), 2, seed=1)
    with pytest.raises(NotIdentifiable, match="2v"):
        learn_membership(ModelThreshold(target, fmpq(0)), 0, bound=3)
    zero = AttentionModel(Base2(), 2, [Head([[1, 2], [3, 4]], [0, 0])])
    with pytest.raises(NotIdentifiable, match="v = 0"):
        learn_membership(ModelThreshold(zero, fmpq(1)), 1, bound=3)
    with pytest.raises(MarginTooSmall):
        learn_membership(ModelThreshold(zero, fmpq(1)), 1)


@pytest.mark.parametrize(
    ("W", "v"),
    [
        ([[1, 2], [3, 9]], [1, 2]),
        ([[1, 2], [-9, 3]], [1, 2]),
        ([[1, 2], [3, 3]], [9, 2]),
        ([[1, 2], [3, 3]], [-9, 2]),
        ([[1, 2], [3, 3]], [fmpq(3, 2), 2]),
        ([[100, 2], [3, 3]], [0, 2]),
        ([[-100, 2], [3, 3]], [0, 2]),
    ],
)
@pytest.mark.parametrize("theta", [fmpq(2), fmpq(-2)])
def test_a_broken_promise_is_noticed(W: Any, v: Any, theta: fmpq) -> None:
    target = AttentionModel(Base2(), 2, [Head(W, v)])
    with pytest.raises(OutOfBounds):
        learn_membership(ModelThreshold(target, theta), theta, bound=3)


def test_weights_beyond_the_bound_in_the_true_softmax() -> None:
    target = AttentionModel(ExpField(), 2, [Head([[9, 0], [0, 1]], [1, 2])])
    with pytest.raises(OutOfBounds, match="larger than"):
        learn_membership(ModelThreshold(target, fmpq(1)), 1, bound=4)
    target = AttentionModel(ExpField(), 1, [Head([[0]], [1 << 40])])
    with pytest.raises(OutOfBounds):
        learn_membership(ModelThreshold(target, fmpq(1)), 1)


def test_two_heads_are_noticed() -> None:
    for seed in range(4):
        target = random_target(ExpField(), 3, heads=2, low=-2, high=2, seed=seed)
        with pytest.raises((OracleInconsistent, OutOfBounds)):
            learn_membership(ModelThreshold(target, fmpq(1, 2)), "1/2", precision="1e-4", checks=60)


def test_a_callable_with_signs_or_truth_values() -> None:
    target = random_target(Base2(), 2, seed=3)

    def sign(runs: Any) -> int:
        y = target.value(Query(tuple(runs))) - 1
        return (y > 0) - (y < 0)

    for f in (sign, lambda runs: sign(runs) > 0):
        assert learn_membership(CallableThreshold(f, Base2(), 2), 1, bound=3).model == target
    for bad in (None, 2, 0.5, "yes"):
        with pytest.raises(InputError, match="truth value nor a sign"):
            learn_membership(CallableThreshold(lambda runs, bad=bad: bad, Base2(), 2), 1, bound=3)


def test_bits_are_counted_and_recorded() -> None:
    target = random_target(Base2(), 2, seed=3)
    oracle = ModelThreshold(target, fmpq(1))
    oracle.sink = transcript = Transcript(Base2(), 2)
    learned = learn_membership(oracle, 1, bound=3)
    assert len(transcript.entries) == learned.learning.queries + learned.verification.queries
    assert {int(entry.answer) for entry in transcript.entries} == {-1, 1}
    single = Query((((1, 0), 1),))
    assert oracle.ask(single) is (target.value(single) > 1)
    assert oracle.count.queries == oracle.count.bits == 1


@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(0, 7), st.integers(0, 10**9)), min_size=1, max_size=6))
def test_searches_side_by_side(cases: list[tuple[int, int, int]]) -> None:
    truth = [low + x % 2**bits for low, bits, x in cases]
    asked: list[int] = []

    def test(tests: Any) -> list[bool]:
        asked.extend(i for i, _ in tests)
        return [truth[i] > n for i, n in tests]

    assert search(test, [low for low, _, _ in cases], [bits for _, bits, _ in cases]) == truth
    assert [asked.count(i) for i in range(len(cases))] == [bits for _, bits, _ in cases]


def test_search_bits() -> None:
    assert [search_bits(z) for z in (0, 1, 2, 3, 4, 8, 16)] == [0, 2, 3, 3, 4, 5, 6]
    assert all(2 ** search_bits(z) >= 2 * z + 1 > 2 ** (search_bits(z) - 1) for z in range(1, 200))


def test_what_would_not_fit_memory_is_refused() -> None:
    target = random_target(Base2(), 2, seed=1)
    with pytest.raises(ScoreTooLarge, match="copies"):
        learn_membership(ModelThreshold(target, fmpq(1)), 1, bound=10**20)
    with pytest.raises(ScoreTooLarge):
        learn_membership(ModelThreshold(target, fmpq(10**12)), 10**12)
    with pytest.raises(InputError, match="at most"):
        learn_membership(ModelThreshold(random_target(ExpField(), 2), fmpq(1)), 1, bound=10**20)
    with pytest.raises(InputError, match="fewer digits"):
        learn_membership(ModelThreshold(random_target(Float(), 2), fmpq(10**300 + 1)), fmpq(10**300 + 1))


@pytest.mark.parametrize("theta", [fmpq(1, 7), fmpq(-3)])
def test_small_values_are_not_taken_for_zero(theta: fmpq) -> None:
    target = AttentionModel(Base2(), 2, [Head([[0, 0], [0, 0]], [0, "1/3"])])
    with pytest.raises(OutOfBounds, match=r"v\[1\] is not the integer 0"):
        learn_membership(ModelThreshold(target, theta), theta, bound=1)
    zero = AttentionModel(Base2(), 2, [Head([[0, 0], [0, 0]], [0, 0])])
    with pytest.raises(NotIdentifiable, match="v = 0"):
        learn_membership(ModelThreshold(zero, theta), theta, bound=1)


@pytest.mark.parametrize(
    "options", [{"bound": 0}, {"bound": -3}, {"precision": 0}, {"precision": "x"}, {"max_denominator": 0}]
)
def test_bad_options(options: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        learn_membership(ModelThreshold(random_target(Base2(), 2), fmpq(1)), 1, **options)
