"""The Kronecker learner: two queries a head, and numbers as long as that takes."""

from __future__ import annotations

from typing import Any

import pytest

from attention_queries import AttentionModel, Base2, CallableOracle, ExpField, Float, Head, InputError, ModelOracle
from attention_queries.errors import NotMultiHead, ScoreTooLarge
from attention_queries.fibre import canonical
from attention_queries.generate import random_target
from attention_queries.learners.kronecker import learn_kronecker
from strategies import EXACT

exact_names = pytest.mark.parametrize("name", list(EXACT))

CASES = [("base2", 1, 1, 9), ("base2", 2, 1, 3), ("base2", 3, 1, 1), ("base2", 1, 3, 5), ("base2", 2, 3, 1)]
CASES += [("exp", d, 1, 3) for d in (1, 4, 32)] + [("exp", 2, 4, 3), ("exp", 4, 2, 3)]


@pytest.mark.parametrize(("name", "dim", "heads", "bound"), CASES)
def test_two_queries_a_head(name: str, dim: int, heads: int, bound: int) -> None:
    for seed in range(3):
        model = canonical(random_target(EXACT[name], dim, heads=heads, low=-bound, high=bound, seed=seed))
        learned = learn_kronecker(ModelOracle(model), bound=bound, max_heads=heads, seed=seed)
        assert learned.model == model
        assert learned.learning.queries == 2 * heads
        assert learned.learning.longest <= heads + 1
        assert learned.method == "kronecker"


def test_the_price_is_in_the_bits() -> None:
    model = random_target(Base2(), 3, low=-1, high=1, seed=3)
    learned = learn_kronecker(ModelOracle(model), bound=1)
    assert learned.learning.queries == 2
    assert learned.learning.bits > 10_000
    assert "longest answer" in learned.notes[0]


@exact_names
def test_fewer_heads_than_allowed(name: str) -> None:
    for heads in (1, 2):
        model = canonical(random_target(EXACT[name], 2, heads=heads, low=-1, high=1, seed=5))
        assert learn_kronecker(ModelOracle(model), bound=1, max_heads=3).model == model


@exact_names
@pytest.mark.parametrize("heads", [1, 2])
def test_the_zero_function(name: str, heads: int) -> None:
    model = AttentionModel(EXACT[name], 2, [Head([[1, 0], [1, 1]], [0, 0])])
    assert learn_kronecker(ModelOracle(model), bound=1, max_heads=heads).model.heads == ()


@pytest.mark.parametrize(("bound", "allowed"), [(1, 2), (2, 1), (1, 1)])
def test_a_bound_that_does_not_hold(bound: int, allowed: int) -> None:
    model = AttentionModel(Base2(), 2, [Head([[2, 0], [-2, 1]], [1, 2]), Head([[0, 1], [1, 1]], [2, -1])])
    with pytest.raises(NotMultiHead):
        learn_kronecker(ModelOracle(model), bound=bound, max_heads=allowed)


def test_other_functions_are_refused() -> None:
    for f in (lambda runs: runs[0][0][0], lambda runs: "1/2", lambda runs: sum(k for _, k in runs)):
        for heads in (1, 2):
            with pytest.raises(NotMultiHead):
                learn_kronecker(CallableOracle(f, Base2(), 2), bound=1, max_heads=heads)


def test_too_large_for_base2() -> None:
    with pytest.raises(ScoreTooLarge, match="exp semantics"):
        learn_kronecker(ModelOracle(random_target(Base2(), 4, low=-1, high=1, seed=3)), bound=1)


@pytest.mark.parametrize("arguments", [{"bound": 0}, {"bound": True}, {"max_heads": 0}, {"max_heads": "2"}])
def test_bad_arguments(arguments: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        learn_kronecker(ModelOracle(random_target(Base2(), 2)), **arguments)


def test_what_is_not_offered() -> None:
    with pytest.raises(InputError):
        learn_kronecker(ModelOracle(random_target(Float(), 2)))
    with pytest.raises(InputError, match="bits"):
        learn_kronecker(ModelOracle(random_target(ExpField(), 40, heads=2)), max_heads=2)
