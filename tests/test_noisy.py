"""Learning from noisy answers: intervals are never wrong, and failures have names."""

from __future__ import annotations

import random
from typing import Any

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_queries import (
    AttentionModel,
    Base2,
    CallableOracle,
    ExpField,
    ExpFraction,
    Float,
    Head,
    ModelOracle,
    Query,
    QueryBatch,
)
from attention_queries.errors import InputError, LearningError, MarginTooSmall, OracleInconsistent, ToleranceTooLarge
from attention_queries.generate import random_target
from attention_queries.learners.noisy import NoisyOracle, learn_noisy
from attention_queries.learners.noisy.checking import value_bounds
from attention_queries.learners.noisy.enclosure import value_interval
from attention_queries.learners.noisy.interval import Interval, rounded
from attention_queries.learners.noisy.learner import ROUNDS
from attention_queries.learners.noisy.oracles import exact_version
from attention_queries.learners.noisy.paper import paper_estimate, sufficient_tolerance
from attention_queries.reproduce.noise import gaussian_head, noise_groups, noise_table, pole_error
from strategies import SEMANTICS, models, queries

names = pytest.mark.parametrize("name", list(SEMANTICS))
NOISES = ("rounding", "extreme", "uniform")


@names
@settings(max_examples=80)
@given(st.data())
def test_no_interval_is_ever_wrong(name: str, data: Any) -> None:
    model = data.draw(models(name, max_heads=1))
    d, (head,) = model.dim, model.heads
    tau = fmpq(1, 10 ** data.draw(st.integers(1, 9)))
    seed, noise = data.draw(st.integers(0, 99)), data.draw(st.sampled_from(NOISES))
    length = data.draw(st.sampled_from([2, 5, 64]))
    try:
        learned = learn_noisy(NoisyOracle(model, tau, noise=noise, seed=seed), tau, max_length=length, seed=seed)
    except (MarginTooSmall, ToleranceTooLarge):
        assert max(abs(float(x)) if name != "exp" else abs(float(x.as_rational())) for x in head.v) <= 200 * float(
            tau
        ) or (name == "base2" and length < 64)
        return
    assert learned.violations(head) == 0
    assert learned.learning.queries <= d + ROUNDS * d * d == learned.query_bound
    assert learned.learning.longest <= length
    assert learned.verification.queries == 8


@pytest.mark.parametrize("scale", [1, 6])
@pytest.mark.parametrize("digits", [3, 8])
def test_every_entry_is_certified(scale: int, digits: int) -> None:
    tau = fmpq(1, 10**digits)
    target = gaussian_head(random.Random(scale), 8, scale)
    learned = learn_noisy(NoisyOracle(target, tau), tau)
    assert learned.certified == 72
    assert learned.violations(target.heads[0]) == 0
    assert learned.widest is not None
    assert float(learned.widest) < 1000 * float(tau)
    assert learned.model is not None
    assert learned.learning.queries < 72 + 4 * 64


def test_longer_queries_and_more_repeats_buy_accuracy() -> None:
    tau = fmpq(1, 1000)
    target = gaussian_head(random.Random(5), 4, 5)
    widths = []
    for length in (2, 16, 256):
        learned = learn_noisy(NoisyOracle(target, tau), tau, max_length=length)
        assert learned.violations(target.heads[0]) == 0
        widths.append(sum(float(b.width) for row in learned.W_intervals for b in row if b is not None))
    assert widths[0] > 2 * widths[1] > 2 * widths[2]
    averaged = learn_noisy(NoisyOracle(target, tau, noise="uniform"), tau, max_length=256, repeats=400, rounds=4)
    assert averaged.violations(target.heads[0]) == 0
    assert sum(float(b.width) for row in averaged.W_intervals for b in row if b is not None) < widths[2] / 2
    assert averaged.learning.queries <= 400 * (4 + 4 * 16) == averaged.query_bound
    assert "probability at least 0.999" in averaged.notes[0]


def test_integers_are_recovered_exactly_in_base_2() -> None:
    for seed in range(20):
        target = random_target(Base2(), 1 + seed % 6, low=-8, high=8, seed=seed)
        tau = fmpq(1, 10 ** (4 + seed % 4))
        learned = learn_noisy(NoisyOracle(target, tau, seed=seed), tau, max_length=256, max_denominator=1)
        assert learned.model == target
        assert learned.determined == target.parameters


def test_bounded_denominators_are_recovered_exactly() -> None:
    rng = random.Random(3)
    W = [[fmpq(rng.randint(-9, 9), rng.randint(1, 4)) for _ in range(3)] for _ in range(3)]
    target = AttentionModel(ExpField(), 3, [Head(W, [fmpq(1), fmpq(-1, 2), fmpq(0)])])
    tau = fmpq(1, 10**7)
    learned = learn_noisy(NoisyOracle(target, tau), tau, max_denominator=4)
    assert learned.model == target
    assert learned.determined == 12
    assert learn_noisy(NoisyOracle(target, tau), tau).determined == 0
    coarse = learn_noisy(NoisyOracle(target, "1/50"), "1/50", max_denominator=4)
    assert coarse.determined < 12
    assert coarse.violations(target.heads[0]) == 0


def test_base_2_weights_that_are_not_determined_are_not_guessed() -> None:
    target = AttentionModel(Base2(), 1, [Head([[30]], [1])])
    with pytest.raises(ToleranceTooLarge):
        learn_noisy(NoisyOracle(target, "1e-3"), "1e-3", max_length=16)
    target = AttentionModel(Base2(), 2, [Head([[30, 1], [1, 1]], [1, 1])])
    learned = learn_noisy(NoisyOracle(target, "1e-3"), "1e-3", max_length=16)
    assert learned.W_intervals[0][0] is None
    assert learned.model is None
    assert learned.certified == 5


def test_exact_answers_of_all_kinds() -> None:
    """Oracles without noise, also with irrational answers, are within every tolerance."""
    irrational = AttentionModel(ExpField(), 2, [Head([[1, 2], [0, -1]], [ExpFraction.parse("e^(1/2)"), 1])])
    for model in (irrational, random_target(Base2(), 3, seed=1), random_target(Float(), 3, seed=2)):
        learned = learn_noisy(ModelOracle(model), "1e-5")
        assert learned.violations(model.heads[0]) == 0
        assert learned.certified == model.parameters


@names
@given(st.data())
def test_noise_stays_within_the_tolerance(name: str, data: Any) -> None:
    model = data.draw(models(name))
    tau = fmpq(1, 10 ** data.draw(st.integers(0, 9)))
    oracle = NoisyOracle(model, tau, noise=data.draw(st.sampled_from(NOISES)), seed=data.draw(st.integers(0, 9)))
    query = data.draw(queries(name, model.dim))
    answer = value_interval(oracle.ask(query), tau)
    truth = ModelOracle(exact_version(model)).ask(
        query
        if model.semantics.exact
        else Query(tuple((tuple(fmpq(*x.as_integer_ratio()) for x in token), k) for token, k in query.runs))
    )
    bounds = value_interval(truth, tau / 2**40)
    assert answer.low >= bounds.low - tau
    assert answer.high <= bounds.high + tau
    assert oracle.count.queries == 1


def test_the_seed_determines_the_noise() -> None:
    target = gaussian_head(random.Random(0), 3, 2)
    batch = QueryBatch.singles([[1, 0, 0], [0, 1, 0]])
    for noise in NOISES:
        first, again = (NoisyOracle(target, "1/10", noise=noise, seed=4).many(batch) for _ in range(2))
        assert first == again
        assert first != NoisyOracle(target, "1/10", noise=noise, seed=5).many(batch)


def test_floating_point_rounding_is_part_of_the_tolerance() -> None:
    target = AttentionModel(Float(), 1, [Head([[0.3]], [1000.0])])
    with pytest.raises(InputError, match="rounding"):
        NoisyOracle(target, fmpq(1, 10**18)).ask(Query((((0.1,), 1), ((0.7,), 1))))
    learned = learn_noisy(NoisyOracle(target, fmpq(1, 10**9)), fmpq(1, 10**9))
    assert learned.violations(target.heads[0]) == 0
    assert learned.certified == 2


def test_noise_beyond_floating_point_is_refused() -> None:
    with pytest.raises(InputError, match="too large"):
        NoisyOracle(random_target(Float(), 1), "1e400", noise="extreme").ask(Query((((1.0,), 1),)))


def test_margin_too_small() -> None:
    target = AttentionModel(ExpField(), 2, [Head([[1, 2], [3, 4]], [fmpq(1, 1000), 0])])
    with pytest.raises(MarginTooSmall, match="margin"):
        learn_noisy(NoisyOracle(target, "1/500"), "1/500")
    with pytest.raises(ToleranceTooLarge, match="tolerance"):
        learn_noisy(NoisyOracle(target, "1/1500"), "1/1500")
    assert issubclass(MarginTooSmall, LearningError)


@pytest.mark.parametrize("semantics", [Base2(), ExpField(), Float()])
def test_larger_errors_than_stated_are_noticed(semantics: Any) -> None:
    for seed in range(5):
        target = random_target(semantics, 3, seed=seed)
        with pytest.raises(OracleInconsistent) as caught:
            learn_noisy(NoisyOracle(target, "1/10", noise="extreme", seed=seed), "1/100000", seed=seed)
        assert len(caught.value.queries) == len(caught.value.answers) > 0


def test_two_heads_are_noticed() -> None:
    for seed in range(5):
        target = random_target(ExpField(), 3, heads=2, seed=seed)
        with pytest.raises(OracleInconsistent):
            learn_noisy(NoisyOracle(target, "1e-6"), "1e-6", seed=seed)


def test_fresh_queries_notice_what_short_ones_do_not() -> None:
    target = random_target(ExpField(), 2, seed=1)

    def ask(runs: Any) -> Any:
        return target.value(Query(tuple(runs))) if len(runs) <= 2 else fmpq(0)

    with pytest.raises(OracleInconsistent, match="fresh query") as caught:
        learn_noisy(CallableOracle(ask, ExpField(), 2), "1e-6", max_length=2)
    assert len(caught.value.queries) == 1


@given(st.data())
def test_bounds_on_values(data: Any) -> None:
    model = data.draw(models("exp", max_heads=1))
    (head,) = model.heads
    query = data.draw(queries("exp", model.dim))
    radius = fmpq(1, 8)
    W = [[None if data.draw(st.integers(0, 9)) == 0 else Interval.around(x, radius) for x in row] for row in head.W]
    v = [Interval.around(x.as_rational(), radius) for x in head.v]
    possible = value_bounds(model.semantics, W, v, query)
    assert possible is not None
    value = value_interval(model.value(query), fmpq(1, 10**20))
    assert possible.low <= value.high
    assert value.low <= possible.high
    assert value_bounds(model.semantics, W, [None] * model.dim, query) is None or not any(query.token)


def test_the_paper_estimator_and_its_sufficient_tolerance() -> None:
    for seed in range(3):
        target = gaussian_head(random.Random(seed), 4, 2)
        (head,) = target.heads
        v = [x.as_rational() for x in head.v]
        largest = max(abs(float(x)) for x in v)
        most = 2 * max(abs(float(x)) for row in head.W for x in row)
        tau = fmpq(*sufficient_tolerance(0.01, most, largest / 2).as_integer_ratio())
        paper = paper_estimate(NoisyOracle(target, tau, seed=seed), tau)
        assert paper.intervals.certified == 20
        assert paper.intervals.violations(head) == 0
        assert paper.intervals.learning.queries == 2 * 16 + 4
        assert max(abs(paper.W[i][j] - float(head.W[i][j])) for i in range(4) for j in range(4)) <= 0.02
    zero = AttentionModel(ExpField(), 1, [Head([[0]], [0])])
    with pytest.raises(MarginTooSmall):
        paper_estimate(ModelOracle(zero), "1/10")
    clipped = AttentionModel(ExpField(), 1, [Head([[40]], [1])])
    estimate = paper_estimate(NoisyOracle(clipped, "1e-3"), "1e-3")
    assert estimate.intervals.W_intervals[0][0] is None
    assert 0 < estimate.W[0][0] < 10


def test_large_scores_where_the_paper_estimator_fails() -> None:
    tau = fmpq(1, 10**6)
    target = gaussian_head(random.Random("large"), 16, 6)
    (head,) = target.heads
    learned = learn_noisy(NoisyOracle(target, tau), tau, max_length=256)
    assert learned.certified == 272
    assert learned.violations(head) == 0
    pairs = [(learned.W_intervals[i][j], head.W[i][j]) for i in range(16) for j in range(16)]
    assert max(abs(float(b.midpoint - x)) for b, x in pairs if b is not None) <= 5e-5
    assert paper_estimate(NoisyOracle(target, tau), tau).intervals.certified < 272


def test_the_comparison_has_no_violations() -> None:
    groups = noise_groups(1, 1)
    assert sum(group.violations for group in groups) == 0
    assert all(group.queries <= group.bound for group in groups)
    assert len(noise_table(groups).rows) == len(groups) == 27


def test_conditioning_of_several_heads_gets_worse() -> None:
    import numpy as np

    errors = [np.median([pole_error(np.random.default_rng(s), H, 1e-8) for s in range(15)]) for H in (1, 2, 3)]
    assert errors[0] < errors[1] < errors[2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_length": 1}, "longest"),
        ({"rounds": 0}, "rounds"),
        ({"repeats": 0}, "repeats"),
        ({"repeats": 2, "confidence": 1}, "confidence"),
        ({"max_denominator": 0}, "denominator"),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        learn_noisy(ModelOracle(random_target(ExpField(), 2)), "1/10", **options)


def test_unknown_noise() -> None:
    with pytest.raises(InputError, match="unknown noise"):
        NoisyOracle(random_target(ExpField(), 2), "1/10", noise="pink")  # type: ignore[arg-type]


def test_numbers_beyond_floating_point() -> None:
    oracle = ModelOracle(random_target(Base2(), 2, seed=1))
    with pytest.raises(MarginTooSmall, match=r"against 1\.00e\+400"):
        learn_noisy(oracle, "1e400")
    assert any("1.00e-400" in note for note in learn_noisy(oracle, "1e-400").notes)
    assert [rounded(fmpq(x), 3) for x in ("0", "1/3", "-2000000")] == ["0", "0.333", "-2e+06"]
