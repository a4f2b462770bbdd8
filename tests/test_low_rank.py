"""Learning heads of low rank: always exact, never more queries than entries, and as few as the rank allows."""

from __future__ import annotations

import json
import random
from pathlib import Path
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
    Float,
    Head,
    ModelOracle,
    NotASingleHead,
    NotIdentifiable,
    Query,
    ScoreTooLarge,
    learn_low_rank,
    learn_single_head,
)
from attention_queries.cli import main
from attention_queries.errors import InputError
from attention_queries.generate import random_target
from attention_queries.learners.low_rank import cross, factors, false_stop_bound, learn_one_head
from attention_queries.learners.low_rank.columns import ExactColumns, FloatColumns
from strategies import EXACT, models

both = pytest.mark.parametrize("learn", [learn_low_rank, learn_one_head])
exact_names = pytest.mark.parametrize("name", list(EXACT))

Matrix = list[list[Any]]


def product_of_rank(rng: random.Random, d: int, r: int, size: int = 2) -> Matrix:
    A, B = ([[rng.randint(-size, size) for _ in range(d)] for _ in range(r)] for _ in range(2))
    return [[sum(a[i] * b[j] for a, b in zip(A, B, strict=True)) for j in range(d)] for i in range(d)]


def permutation(rng: random.Random, d: int, r: int) -> Matrix:
    image = rng.sample(range(d), d)
    return [[int(image[i] == j and i < r) for j in range(d)] for i in range(d)]


def nilpotent(rng: random.Random, d: int, r: int) -> Matrix:
    return [[rng.randint(1, 3) if j == i + 1 and j <= r else 0 for j in range(d)] for i in range(d)]


def single_entry(rng: random.Random, d: int, r: int) -> Matrix:
    W = [[0] * d for _ in range(d)]
    W[rng.randrange(d)][rng.randrange(d)] = rng.choice([-5, 1, 7])
    return W


def equal_rows(rng: random.Random, d: int, r: int) -> Matrix:
    rows = product_of_rank(rng, d, max(r, 1))[: max(r, 1)]
    return [rows[i % len(rows)] for i in range(d)]


def differences(rng: random.Random, d: int, r: int) -> Matrix:
    """Rows that are 1 and -1 at two places: probes with equal entries there miss them."""
    return [[0] * d for _ in range(d - min(r, d - 1))] + [
        [(j == i) - (j == i + 1) for j in range(d)] for i in range(min(r, d - 1))
    ]


SHAPES = (product_of_rank, product_of_rank, permutation, nilpotent, single_entry, equal_rows, differences)


def head(rng: random.Random, W: Matrix, name: str) -> Head[Any, Any]:
    """A head with this `W`, about a third of its values zero, with fractions where they are allowed."""
    d = len(W)
    v = [rng.choice([0, 1]) * fmpq(rng.randint(-6, 6), rng.choice([1, 2, 3])) for _ in range(d)]
    v[rng.randrange(d)] = fmpq(rng.choice([-2, 1]), 3)
    if name == "exp":
        W = [[x * fmpq(1, 6) for x in row] for row in W]
    return Head(W, v)


def rank(model: AttentionModel[Any, Any]) -> int:
    return len(factors(model.heads[0].W)[0])


@exact_names
@pytest.mark.parametrize("part", range(2))
def test_hundreds_of_heads(name: str, part: int) -> None:
    """500 heads in all, of every rank and of every shape, each with both learners."""
    rng = random.Random(f"{name} {part}")
    for case in range(125):
        d = rng.randint(1, 24 if case % 3 == 0 else 10)
        r = rng.choice([0, 1, 2, d, rng.randint(0, d)])
        W = SHAPES[case % len(SHAPES)](rng, d, min(r, d))
        model = AttentionModel(EXACT[name], d, [head(rng, W, name)])
        r = rank(model)
        for learn in (learn_low_rank, learn_one_head):
            learned = learn(ModelOracle(model), seed=case)
            assert learned.model == model
            assert learned.learning.longest <= 2
            scores = learned.learning.queries - d
            extra = 0 if learn is learn_low_rank else d - r
            # Two checks, and a probe that missed: once in a while, and only in base 2.
            assert scores <= min(d * d, r * (2 * d - r) + extra) + 2 + 2 * (name == "base2")


@both
@pytest.mark.parametrize("semantics", [Base2(), ExpField()])
@pytest.mark.parametrize(("d", "r"), [(2, 1), (6, 0), (6, 5), (16, 3), (32, 2)])
def test_count(learn: Any, semantics: Any, d: int, r: int) -> None:
    model = AttentionModel(semantics, d, [Head(product_of_rank(random.Random(1), d, r), [1] * d)])
    assert rank(model) == r
    learned = learn(ModelOracle(model))
    last = (d - r) ** 2 if learn is learn_low_rank else (d - r) * (d - r - 1)
    extra = 0 if learn is learn_low_rank else d - r
    assert learned.model == model
    assert learned.learning.queries == d + r * (2 * d - r) + extra + min(2, last)
    assert learned.verification.queries == 8


@pytest.mark.parametrize("checks", [1, 2, 5])
def test_checks_are_settable(checks: int) -> None:
    model = AttentionModel(Base2(), 32, [Head(product_of_rank(random.Random(0), 32, 2), [1] * 32)])
    learned = learn_low_rank(ModelOracle(model), checks=checks, fresh=3)
    assert learned.learning.queries == 32 + 124 + checks
    assert learned.verification.queries == 3
    (note,) = learned.notes
    assert note.startswith("W has rank 2")
    assert f"{checks} random scores" in note


def test_the_bound_of_a_false_stop() -> None:
    assert false_stop_bound(Base2(), 1) == 2 / 63
    assert false_stop_bound(Base2(), 4) < 2e-6
    assert false_stop_bound(ExpField()) < 1e-11
    with pytest.raises(InputError, match="at least one check"):
        learn_low_rank(ModelOracle(random_target(Base2(), 2)), checks=0)


def test_misses_are_as_rare_as_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    """With probe entries ±1 only, false stops are frequent; each is noticed afterwards and put right."""
    monkeypatch.setitem(cross.PROBE_ENTRIES, "base2", 2)
    missed = 0
    for seed in range(60):
        W = [[0] * 8 for _ in range(6)] + [[1, -1] + [0] * 6, [0] * 8]
        model = AttentionModel(Base2(), 8, [Head(W, [1] * 8)])
        learned = learn_low_rank(ModelOracle(model), seed=seed, checks=1)
        assert learned.model == model
        assert learned.learning.queries <= 8 + 64 + 1
        missed += "missed" in "".join(learned.notes)
    assert missed > 5


def test_dimension_256() -> None:
    rng = random.Random(1)
    model = AttentionModel(Base2(), 256, [Head(product_of_rank(rng, 256, 8), [rng.randint(-3, 3) for _ in range(256)])])
    learned = learn_low_rank(ModelOracle(model))
    assert learned.model == model
    assert learned.learning.queries == 256 + 4032 + 2


@exact_names
@settings(max_examples=60)
@given(st.data())
def test_arbitrary_heads(name: str, data: Any) -> None:
    model = data.draw(models(name, max_heads=1).filter(lambda m: any(y != 0 for y in m.heads[0].v)))
    for learn in (learn_low_rank, learn_one_head):
        assert learn(ModelOracle(model)).model == model


def test_invertible_matrices_take_the_queries_of_the_single_head_learner() -> None:
    model = random_target(Base2(), 64, seed=1)
    assert learn_one_head(ModelOracle(model)) == learn_single_head(ModelOracle(model))
    assert learn_low_rank(ModelOracle(model)).learning.queries == 64 * 65


def test_one_query_at_a_time_is_the_same() -> None:
    model = AttentionModel(ExpField(), 6, [Head(product_of_rank(random.Random(3), 6, 2), [0, 1, 0, 2, 3, 0])])
    oracle = CallableOracle(lambda runs: model.value(Query(tuple(runs))), model.semantics, model.dim)
    assert learn_low_rank(oracle) == learn_low_rank(ModelOracle(model))


def test_probes_too_large_for_base2() -> None:
    model = AttentionModel(Base2(), 4, [Head([[2**22, 0, 0, 0]] * 4, [1, 3, 2, 5])])
    learned = learn_low_rank(ModelOracle(model))
    assert learned.model == model
    assert learned.learning.queries == 20
    assert "too large" in learned.notes[0]


@both
@exact_names
def test_zero_v_is_not_identifiable(learn: Any, name: str) -> None:
    zero = AttentionModel(EXACT[name], 3, [Head([[1, 2, 3]] * 3, [0] * 3)])
    with pytest.raises(NotIdentifiable, match="W is not identifiable"):
        learn(ModelOracle(zero))


@both
@exact_names
@settings(max_examples=60)
@given(st.data())
def test_a_second_head_is_noticed(learn: Any, name: str, data: Any) -> None:
    model = data.draw(models(name))
    heads = model.canonical_heads()
    if len(heads) > 1:
        with pytest.raises(NotASingleHead) as caught:
            learn(ModelOracle(model))
        assert model.value(caught.value.query) == caught.value.answer
    elif heads:
        assert learn(ModelOracle(model)).model.canonical_heads() == heads
    else:
        with pytest.raises(NotIdentifiable):
            learn(ModelOracle(model))


@both
@pytest.mark.parametrize(("d", "r"), [(1, 0), (1, 1), (5, 0), (5, 5), (12, 2), (32, 3), (64, 8)])
def test_floats_are_close(learn: Any, d: int, r: int) -> None:
    rng = random.Random(d + r)
    v = [rng.gauss() * rng.choice([1, 1e-9, 0]) for _ in range(d - 1)] + [1.0]
    model = AttentionModel(Float(), d, [Head(product_of_rank(rng, d, r), v)])
    learned = learn(ModelOracle(model))
    pairs = zip(learned.model.heads[0].W, model.heads[0].W, strict=True)
    assert max(abs(x - y) for row, expected in pairs for x, y in zip(row, expected, strict=True)) < 1e-8
    extra = 0 if learn is learn_low_rank else d - r
    assert learned.learning.queries <= d + r * (2 * d - r) + extra + 2


@both
def test_scores_too_large_for_floats(learn: Any) -> None:
    model = AttentionModel(Float(), 2, [Head([[1e5, 0], [0, 1]], [1, 1])])
    with pytest.raises(ScoreTooLarge, match="too large to be read"):
        learn(ModelOracle(model))


def test_float_tolerance() -> None:
    """A matrix that is of rank 1 up to 1e-3 counts as such when the tolerance says so."""
    W = [[1 + 1e-3 * (i == j) for j in range(8)] for i in range(8)]
    model = AttentionModel(Float(), 8, [Head(W, [1] * 8)])
    assert learn_low_rank(ModelOracle(model)).learning.queries == 8 + 64
    assert learn_low_rank(ModelOracle(model), tolerance=1e-2, fresh=0).learning.queries == 8 + 15 + 2


@pytest.mark.parametrize(("d", "r"), [(6, 0), (8, 3), (5, 5)])
def test_command_line(d: int, r: int, tmp_path: Path, capsys: Any) -> None:
    path = str(tmp_path / "target.json")
    assert main(["generate", "--dim", str(d), "--rank", str(r), "--seed", "1", "--out", path]) == 0
    reports = []
    for options in ([], ["--method", "low-rank"], ["--method", "low-rank", "--checks", "5"]):
        assert main(["learn", path, "--json", *options]) == 0
        reports.append(json.loads(capsys.readouterr().out))
    assert all(report["exact"] for report in reports)
    assert [report["method"] for report in reports] == ["low-rank" if r < d else "single-head", "low-rank", "low-rank"]
    freedom, rest = d + r * (2 * d - r), (d - r) ** 2
    assert [report["queries"] for report in reports[1:]] == [freedom + min(2, rest), freedom + min(5, rest)]
    assert reports[0]["queries"] <= d * d + d


def test_bad_options(tmp_path: Path, capsys: Any) -> None:
    path = str(tmp_path / "target.json")
    assert main(["generate", "--dim", "3", "--rank", "4"]) == 2
    assert "the rank must be from 0 to the dimension 3, not 4" in capsys.readouterr().err
    assert main(["generate", "--dim", "3", "--rank", "1", "--out", path]) == 0
    assert main(["learn", path, "--method", "low-rank", "--checks", "0"]) == 2
    assert "at least one check" in capsys.readouterr().err
    assert main(["learn", path, "--checks", "3"]) == 2
    assert "has no option --checks" in capsys.readouterr().err


def test_progress() -> None:
    seen: list[tuple[int, int]] = []
    model = AttentionModel(Base2(), 8, [Head(product_of_rank(random.Random(0), 8, 3), [1] * 8)])
    learn_low_rank(ModelOracle(model), progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 8), (2, 8), (3, 8)]


def test_the_prime_has_no_influence() -> None:
    """Columns that vanish, or become dependent, modulo the prime of the moment are recognised all the same."""
    columns = ExactColumns(3, random.Random(0))
    p = columns._prime
    assert columns.extend([fmpq(p, 3), 2 * p, fmpq(1, p)]) is not None
    p = columns._prime
    assert columns.extend([1, 1, p]) is not None
    q = columns._prime
    combination = [fmpq(p, 3) + q, 2 * p + q, fmpq(1, p) + p * q]
    assert columns.extend(combination) is None
    assert columns.extend([combination[0], combination[1], combination[2] + q * columns._prime]) is not None
    assert sorted(columns.pivots) == [0, 1, 2]


def test_floats_choose_the_largest_pivot() -> None:
    columns = FloatColumns(3, 1e-8)
    assert columns.extend([1.0, -4.0, 2.0]) == 1
    assert columns.extend([2.0, -8.0, 4.0 + 1e-10]) is None
    assert columns.extend([2.0, -8.0, 4.1]) == 2
