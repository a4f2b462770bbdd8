"""Heads with values in known orthogonal subspaces, each learned by itself."""

from __future__ import annotations

import random
from typing import Any

import pytest
from flint import fmpq

from attention_queries import (
    AttentionModel,
    Base2,
    CallableOracle,
    ExpField,
    ExpFraction,
    Head,
    InputError,
    ModelOracle,
)
from attention_queries.errors import NotMultiHead
from attention_queries.fibre import canonical
from attention_queries.learners.multi_head import formula as general_formula
from attention_queries.learners.orthogonal_values import formula, learn_orthogonal_values
from strategies import EXACT

exact_names = pytest.mark.parametrize("name", list(EXACT))


def orthogonal_basis(rng: random.Random, d: int) -> list[list[int]]:
    """The unit vectors, some neighbours rotated."""
    basis = [[int(i == j) for j in range(d)] for i in range(d)]
    for i in range(d - 1):
        if rng.random() < 0.5:
            a, b = basis[i], basis[i + 1]
            p, q = sum(x * x for x in a), sum(x * x for x in b)
            basis[i] = [x + y for x, y in zip(a, b, strict=True)]
            basis[i + 1] = [q * x - p * y for x, y in zip(a, b, strict=True)]
    return basis


def random_case(rng: random.Random, name: str) -> tuple[AttentionModel, list[list[list[int]]]]:
    d = rng.randint(1, 5)
    heads = rng.randint(1, d)
    basis = orthogonal_basis(rng, d)
    bases = [basis[h::heads] for h in range(heads)]
    unit = fmpq(1, rng.choice([1, 2, 11])) if name == "exp" else 1
    drawn = []
    for space in bases:
        coefficients = [rng.randint(-2, 2) for _ in space]
        v = [fmpq(sum(c * x[j] for c, x in zip(coefficients, space, strict=True)), 3) for j in range(d)]
        W = [[unit * rng.randint(-2, 2) for _ in range(d)] for _ in range(d)]
        drawn.append(Head(drawn[0].W if drawn and rng.random() < 0.2 else W, v))
    return AttentionModel(EXACT[name], d, drawn), bases


@exact_names
def test_recovers_every_sum(name: str) -> None:
    for seed in range(25):
        model, bases = random_case(random.Random(seed), name)
        learned = learn_orthogonal_values(ModelOracle(model), bases, seed=seed)
        visible = sum(any(x != 0 for x in head.v) for head in model.heads)
        assert learned.model == canonical(model)
        assert learned.learning.queries == formula(visible, model.dim)
        assert learned.learning.longest <= 3


def test_compared_with_the_general_learner() -> None:
    assert formula(1, 8) == general_formula(1, 8, "long") == 72
    assert formula(2, 8) < general_formula(2, 8, "long") < general_formula(2, 8, "short")


def test_values_outside_the_subspaces() -> None:
    model = AttentionModel(Base2(), 2, [Head([[1, 0], [0, 1]], [1, 1])])
    with pytest.raises(NotMultiHead) as caught:
        learn_orthogonal_values(ModelOracle(model), [[[1, 0]]])
    assert caught.value.query is not None
    assert model.value(caught.value.query) == caught.value.answer


@pytest.mark.parametrize("seed", range(5))
def test_heads_that_are_not_separated(seed: int) -> None:
    """Two heads whose sum of values fits the subspaces, but not each of them."""
    rng = random.Random(seed)
    W = [[[rng.randint(-3, 3) for _ in range(2)] for _ in range(2)] for _ in range(2)]
    model = AttentionModel(Base2(), 2, [Head(W[0], [1, 1]), Head(W[1], [1, -2])])
    with pytest.raises(NotMultiHead):
        learn_orthogonal_values(ModelOracle(model), [[[1, 0]], [[0, 1]]])


def test_the_zero_function_and_what_only_looks_like_it() -> None:
    zero = AttentionModel(Base2(), 2, [])
    assert learn_orthogonal_values(ModelOracle(zero), [[[1, 0]], [[0, 1]]]).model == zero
    assert learn_orthogonal_values(ModelOracle(zero), []).model == zero
    hidden = AttentionModel(Base2(), 2, [Head([[1, 0], [0, 1]], [1, 1]), Head([[2, 0], [0, 1]], [-1, -1])])
    with pytest.raises(NotMultiHead):
        learn_orthogonal_values(ModelOracle(hidden), [[[1, 0]], [[0, 1]]])


@pytest.mark.parametrize(
    "bases", [[[[1, 0]], [[1, 1]]], [[[1, 0], [2, 0]]], [[[1, 0, 0]]], [[[0, 0]]], [[["x", 0]]], [[[1.5, 0]]]]
)
def test_bad_bases(bases: Any) -> None:
    model = AttentionModel(Base2(), 2, [Head([[1, 0], [0, 1]], [1, 1])])
    with pytest.raises(InputError):
        learn_orthogonal_values(ModelOracle(model), bases)


def test_irrational_values_are_bad_input() -> None:
    model = AttentionModel(ExpField(), 1, [Head([[1]], [ExpFraction.power(1)])])
    with pytest.raises(InputError, match="rational"):
        learn_orthogonal_values(ModelOracle(model), [[[1]]])


def test_other_functions_are_refused() -> None:
    for f in (lambda runs: runs[0][0][0] ** 2, lambda runs: runs[0][0][0], lambda runs: len(runs) * runs[-1][0][0]):
        with pytest.raises(NotMultiHead):
            learn_orthogonal_values(CallableOracle(f, Base2(), 2), [[[1, 0]], [[0, 1]]])
