"""The single-head learner: exact recovery, exact count, and honest refusals."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_queries import (
    AttentionModel,
    Base2,
    CallableOracle,
    ExpField,
    Float,
    Head,
    ModelOracle,
    NotASingleHead,
    NotIdentifiable,
    Query,
    VerificationFailed,
    learn_single_head,
)
from attention_queries.errors import InputError
from attention_queries.generate import random_target
from attention_queries.learners.verification import verify_on_fresh_queries
from strategies import EXACT, models

exact_names = pytest.mark.parametrize("name", list(EXACT))


def nonzero(model: AttentionModel) -> bool:
    return any(y != 0 for y in model.heads[0].v)


@exact_names
@settings(max_examples=120)
@given(st.data())
def test_recovers_every_head_exactly(name: str, data: Any) -> None:
    model = data.draw(models(name, max_heads=1, max_dim=5).filter(nonzero))
    d = model.dim
    oracle = ModelOracle(model)
    learned = learn_single_head(oracle, seed=data.draw(st.integers(0, 9)))
    assert learned.model == model
    assert learned.learning.queries == d * d + d == model.parameters
    assert learned.learning.tokens == d + 2 * d * d
    assert learned.learning.longest == 2
    assert learned.verification.queries == 8
    assert learned.verification.longest <= 8
    assert oracle.count.queries == 0


@given(st.data())
def test_one_query_at_a_time_is_the_same(data: Any) -> None:
    model = data.draw(models("base2", max_heads=1).filter(nonzero))
    oracle = CallableOracle(lambda runs: model.value(Query(tuple(runs))), model.semantics, model.dim)
    assert learn_single_head(oracle) == learn_single_head(ModelOracle(model))


@pytest.mark.parametrize("v", [[0, 0, 5], [1, 0, 0], [fmpq(1, 10**30), 0, -(10**30)]])
@pytest.mark.parametrize("size", [1, 10**5])
def test_zero_values_and_large_entries(v: list[Any], size: int) -> None:
    rng = random.Random(size)
    W = [[rng.randint(-size, size) for _ in range(3)] for _ in range(3)]
    model = AttentionModel(Base2(), 3, [Head(W, v)])
    assert learn_single_head(ModelOracle(model)).model == model


def test_the_largest_score_allowed() -> None:
    """Checks on fresh queries stay within the memory bound whenever learning does."""
    model = AttentionModel(Base2(), 2, [Head([[2**24, 0], [-(2**24), 0]], [1, 3])])
    assert learn_single_head(ModelOracle(model), checks=3).model == model


def test_dimension_256() -> None:
    model = random_target(Base2(), 256, seed=1)
    learned = learn_single_head(ModelOracle(model))
    assert learned.model == model
    assert learned.learning.queries == 65_792


def test_progress() -> None:
    seen: list[tuple[int, int]] = []
    learn_single_head(ModelOracle(random_target(Base2(), 3)), progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize("scale", [1e300, -1e-300])
def test_float_values_of_any_size(scale: float) -> None:
    model = AttentionModel(Float(), 3, [Head([[1, 2, 0], [0, -1, 1], [2, 0, 1]], [scale, -scale / 8, 0])])
    with warnings.catch_warnings(action="error"):
        head = learn_single_head(ModelOracle(model)).model.heads[0]
    assert np.allclose(np.array(head.W), np.array(model.heads[0].W), atol=1e-8)


def test_float_is_close() -> None:
    model = random_target(Float(), 6, seed=2)
    (head,) = learn_single_head(ModelOracle(model)).model.heads
    (expected,) = model.heads
    assert [x for row in head.W for x in row] == pytest.approx([x for row in expected.W for x in row], abs=1e-6)
    assert head.v == pytest.approx(expected.v)


@exact_names
@given(st.data())
def test_zero_v_is_not_identifiable(name: str, data: Any) -> None:
    model = data.draw(models(name, max_heads=1))
    zero = AttentionModel(model.semantics, model.dim, [Head(model.heads[0].W, [0] * model.dim)])
    with pytest.raises(NotIdentifiable, match="W is not identifiable"):
        learn_single_head(ModelOracle(zero))


@exact_names
@settings(max_examples=100)
@given(st.data())
def test_a_second_head_is_noticed_or_is_no_second_head(name: str, data: Any) -> None:
    model = data.draw(models(name))
    heads = model.canonical_heads()
    if len(heads) > 1:
        with pytest.raises(NotASingleHead) as caught:
            learn_single_head(ModelOracle(model))
        assert model.value(caught.value.query) == caught.value.answer
    elif heads:
        assert learn_single_head(ModelOracle(model)).model.canonical_heads() == heads
    else:
        with pytest.raises(NotIdentifiable):
            learn_single_head(ModelOracle(model))


def test_two_heads_with_cancelling_values() -> None:
    heads = [Head([[1, 2], [3, 4]], [1, 2]), Head([[0, 1], [0, 2]], [-1, -2])]
    model = AttentionModel(ExpField(), 2, heads)
    with pytest.raises(NotASingleHead, match="0 to every single token") as caught:
        learn_single_head(ModelOracle(model))
    assert model.value(caught.value.query) == caught.value.answer != 0


@pytest.mark.parametrize("semantics", [Base2(), ExpField()])
def test_noise_is_noticed(semantics: Any) -> None:
    model = random_target(semantics, 4, seed=3)
    rng = random.Random(0)

    def noisy(runs: Any) -> Any:
        return model.value(Query(tuple(runs))) + fmpq(rng.randint(-1, 1), 10**9)

    with pytest.raises(NotASingleHead) as caught:
        learn_single_head(CallableOracle(noisy, semantics, 4))
    assert "the query" in str(caught.value)
    assert caught.value.query.dim == 4


@pytest.mark.parametrize("outer", ["relu", "affine", "square", "last token"])
def test_other_functions_are_noticed(outer: str) -> None:
    model = random_target(ExpField(), 3, seed=4)

    def ask(runs: Any) -> Any:
        y = model.value(Query(tuple(runs)))
        if outer == "relu":
            return max(runs[-1][0][0], fmpq(0)) + y
        return {"affine": y + 1, "square": y * y, "last token": model.heads[0].v[0] * runs[-1][0][0]}[outer]

    with pytest.raises(NotASingleHead):
        learn_single_head(CallableOracle(ask, ExpField(), 3))


def test_answers_of_the_last_token_alone_have_no_odds() -> None:
    with pytest.raises(NotASingleHead) as caught:
        learn_single_head(CallableOracle(lambda runs: runs[0][0][0], Base2(), 1))
    assert caught.value.query.length == 2


def test_position_dependence_is_noticed_by_the_checks() -> None:
    """A head on short sequences that answers longer ones differently."""
    model = random_target(Base2(), 2, seed=5)

    def ask(runs: Any) -> Any:
        query = Query(tuple(runs))
        return model.value(query) if query.length <= 2 else fmpq(0)

    with pytest.raises(NotASingleHead, match="recovered model") as caught:
        learn_single_head(CallableOracle(ask, Base2(), 2))
    assert caught.value.query.length > 2


def test_oracle_errors_pass_through() -> None:
    with pytest.raises(InputError, match="answer"):
        learn_single_head(CallableOracle(lambda runs: None, Base2(), 2))


def test_verification_reports_both_values() -> None:
    right, wrong = random_target(Base2(), 3, seed=6), random_target(Base2(), 3, seed=7)
    oracle = ModelOracle(right)
    assert verify_on_fresh_queries(oracle, right, random.Random(0), checks=5, max_length=4).longest <= 4
    with pytest.raises(VerificationFailed) as caught:
        verify_on_fresh_queries(oracle, wrong, random.Random(0))
    assert right.value(caught.value.query) == caught.value.answer
    assert wrong.value(caught.value.query) == caught.value.expected
    assert oracle.count.queries == 0


def test_checks_repeat_tokens() -> None:
    oracle = ModelOracle(random_target(Base2(), 3))
    seen: list[Query] = []
    oracle._answers = lambda batch: (seen.extend(batch), oracle._model.values(batch))[1]  # type: ignore[method-assign]
    verify_on_fresh_queries(oracle, oracle._model, random.Random(1), checks=20)
    assert any(query.merged() != query for query in seen)
    assert {query.length for query in seen} >= {2, 8}


@pytest.mark.parametrize("scale", [1e-12, 1e-6, 1e12])
def test_float_checks_do_not_depend_on_the_scale(scale: float) -> None:
    heads = [Head([[1, -1], [2, 0]], [scale, scale]), Head([[0, 1], [-1, 1]], [scale, -scale])]
    assert learn_single_head(ModelOracle(AttentionModel(Float(), 2, heads[:1]))).verification.queries == 8
    with pytest.raises(NotASingleHead):
        learn_single_head(ModelOracle(AttentionModel(Float(), 2, heads)))
