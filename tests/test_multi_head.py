"""The learner of several heads: exact canonical forms, exact counts, coincidences, and honest refusals."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from flint import fmpq
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from attention_queries import (
    AttentionModel,
    Base2,
    CallableOracle,
    ExpField,
    ExpFraction,
    Float,
    Head,
    InputError,
    ModelOracle,
    Query,
    save_target,
)
from attention_queries.cli import main
from attention_queries.errors import NotASingleHead, NotIdentifiable, NotMultiHead, TooManyHeads, UnsupportedValues
from attention_queries.fibre import canonical
from attention_queries.generate import random_target
from attention_queries.learners.automatic import learn_automatically
from attention_queries.learners.kronecker import learn_kronecker
from attention_queries.learners.multi_head import VARIANTS, formula, learn_multi_head
from attention_queries.learners.multi_head.directions import Total, ask_directions, decode, ratios, visible_heads
from attention_queries.learners.multi_head.directions import response as response_values
from attention_queries.learners.multi_head.modular import SmoothPrime, rational, simple_roots, solve
from attention_queries.learners.multi_head.reduction import Reductions, Retry
from attention_queries.learners.multi_head.values import residues_at_poles
from attention_queries.reproduce.head_families import FAMILIES, draw
from attention_queries.reproduce.multi_head import ROWS
from attention_queries.reproduce.row import Context
from attention_queries.transcript import Transcript
from strategies import EXACT, models

both_variants = pytest.mark.parametrize("variant", VARIANTS)
ROWS_BY_NAME = {row.name: row for row in ROWS}

exact_names = pytest.mark.parametrize("name", list(EXACT))


def heads_in_direction(model: AttentionModel, u: list[int], q: list[int]) -> list[tuple[Any, Any]]:
    """Score and residue of every head."""
    pairs = []
    for head in model.heads:
        score = sum(a * w * b for a, row in zip(u, head.W, strict=True) for w, b in zip(row, q, strict=True))
        pairs.append((score, sum((x * a for x, a in zip(head.v, u, strict=True)), model.semantics.value(0))))
    return pairs


@exact_names
@settings(max_examples=40)
@given(st.data())
def test_response_is_a_partial_fraction(name: str, data: Any) -> None:
    model = data.draw(models(name))
    s, d = model.semantics, model.dim
    u, q = (data.draw(st.lists(st.integers(-3, 3), min_size=d, max_size=d)) for _ in range(2))
    k, m = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 5))
    tokens = [tuple(map(s.scalar, x)) for x in ([a + b for a, b in zip(u, q, strict=True)], q)]
    expected = model.value(Query(((tokens[1], 1),)))
    for score, b in heads_in_direction(model, u, q):
        expected = expected + b / (1 + fmpq(m, k) * s.exp(s.scalar(-score)))
    assert model.value(Query(((tokens[0], k), (tokens[1], m)))) == expected


@exact_names
@pytest.mark.parametrize("heads", range(1, 7))
def test_direction_count(name: str, heads: int) -> None:
    """`2H - 1` answers determine scores and residues; the rank of more of them shows the number of heads."""
    model = random_target(EXACT[name], 3, heads=heads, seed=heads)
    oracle = ModelOracle(model)
    reduction = Reductions(model.semantics, random.Random(1)).draw()
    V = [sum(x[1:], x[0]) for x in zip(*(head.v for head in model.heads), strict=True)]
    total = Total(V, reduction)
    u, q = [17, -9, 5], [3, 2, -4]
    samples = ask_directions(oracle, [u], q, 2 * heads + 1)[0]
    assert oracle.count.longest == heads + 2
    assert visible_heads(reduction, response_values(reduction, total, samples, reduction.p)) == heads
    samples.answers = samples.answers[: 2 * heads - 1]
    expected = {s: reduction.residue(b, reduction.p) for s, b in heads_in_direction(model, u, q)}
    assert len(expected) == heads
    assert decode(reduction, total, samples, heads) == expected
    if heads > 1:
        with pytest.raises(Retry):
            decode(reduction, total, samples, heads - 1)


def test_ratios_are_distinct_and_need_few_tokens() -> None:
    pairs = ratios(41)
    assert len({Fraction(k, m) for k, m in pairs}) == 41
    assert all(max(k + m for k, m in pairs[: 2 * h - 1]) == h + 1 for h in range(1, 21))


@pytest.mark.parametrize(("heads", "dim"), [(1, 1), (1, 6), (2, 1), (2, 5), (3, 4), (4, 8), (6, 3), (6, 8)])
def test_short_variant_count(heads: int, dim: int) -> None:
    model = canonical(random_target(Base2(), dim, heads=heads, low=-9, high=9, seed=7))
    learned = learn_multi_head(ModelOracle(model), max_heads=heads, variant="short")
    assert learned.model == model
    assert learned.learning.queries == formula(heads, dim, "short") == (2 * heads - 1) * dim**2 + dim
    assert learned.learning.longest <= 2 * heads + 1
    assert learned.learning.longest == heads + 1
    assert learned.verification.queries == 8
    assert learned.method == "multi-head"
    assert len(learned.notes) == 1


@pytest.mark.parametrize(("heads", "dim"), [(1, 1), (1, 6), (2, 1), (2, 5), (3, 4), (4, 8), (6, 3), (6, 8)])
def test_long_variant_count(heads: int, dim: int) -> None:
    model = canonical(random_target(Base2(), dim, heads=heads, low=-9, high=9, seed=7))
    learned = learn_multi_head(ModelOracle(model), max_heads=heads, variant="long")
    assert learned.model == model
    assert learned.learning.queries == formula(heads, dim, "long") <= heads * (dim**2 + 2 * dim - 1)


def test_six_heads_of_dimension_32() -> None:
    model = random_target(Base2(), 32, heads=6, seed=1)
    learned = learn_multi_head(ModelOracle(model), max_heads=6, variant="long")
    assert learned.model == canonical(model)
    assert learned.learning.queries == 6491 < 4 * 6 * 32**2 - 2 * 6 + 1


@both_variants
@exact_names
def test_equal_values(name: str, variant: Any) -> None:
    """Heads with equal values are told apart by their scores, at no further cost."""
    rng = random.Random(3)
    W = [[[rng.randint(-3, 3) for _ in range(4)] for _ in range(4)] for _ in range(3)]
    model = canonical(AttentionModel(EXACT[name], 4, [Head(w, [1, -2, 0, 3]) for w in W]))
    learned = learn_multi_head(ModelOracle(model), max_heads=3, variant=variant)
    assert learned.model == model
    assert learned.learning.queries == formula(3, 4, variant)


@both_variants
@pytest.mark.parametrize("family", FAMILIES)
def test_coincidences(family: str, variant: Any) -> None:
    for n in range(6):
        rng = random.Random(f"{family} {n}")
        heads, dim = rng.randint(1, 6), rng.randint(1, 6)
        model = draw(family, Base2(), rng, heads, dim)
        bound = rng.choice([None, heads, heads + 3])
        assert learn_multi_head(ModelOracle(model), max_heads=bound, variant=variant, seed=n).model == canonical(model)


@both_variants
@pytest.mark.parametrize("family", FAMILIES)
def test_coincidences_of_the_true_softmax(family: str, variant: Any) -> None:
    rng = random.Random(family)
    model = draw(family, ExpField(), rng, rng.randint(1, 3), rng.randint(1, 3))
    assert learn_multi_head(ModelOracle(model), variant=variant).model == canonical(model)


@exact_names
@settings(max_examples=40, deadline=None)
@given(st.data())
def test_recovers_every_sum(name: str, data: Any) -> None:
    model = data.draw(models(name))
    variant = data.draw(st.sampled_from(VARIANTS))
    oracle = ModelOracle(model)
    learned = learn_multi_head(oracle, variant=variant, seed=data.draw(st.integers(0, 3)))
    assert learned.model == canonical(model)
    assert oracle.count.queries == 0


def test_without_a_bound_one_query_is_added() -> None:
    model = canonical(random_target(Base2(), 4, heads=3, seed=2))
    learned = learn_multi_head(ModelOracle(model))
    assert learned.model == model
    assert learned.learning.queries == formula(3, 4, "short") + 1
    assert learned.notes[1].startswith("1 more")


def test_a_bound_that_is_too_large_costs_two_queries_a_head() -> None:
    model = canonical(random_target(Base2(), 4, heads=3, seed=2))
    learned = learn_multi_head(ModelOracle(model), max_heads=10)
    assert learned.model == model
    assert learned.learning.queries == formula(3, 4, "short") + 2 * (10 - 3)


@exact_names
@pytest.mark.parametrize(("heads", "allowed"), [(2, 1), (4, 3), (6, 1), (6, 5)])
def test_more_heads_than_allowed(name: str, heads: int, allowed: int) -> None:
    model = random_target(EXACT[name], 3, heads=heads, seed=1)
    with pytest.raises(TooManyHeads, match=f"take {heads} heads") as caught:
        learn_multi_head(ModelOracle(model), max_heads=allowed)
    assert caught.value.query is not None
    assert model.value(caught.value.query) == caught.value.answer


@pytest.mark.parametrize("size", [10**3, 10**4])
@both_variants
def test_large_entries(size: int, variant: Any) -> None:
    model = canonical(random_target(Base2(), 3, heads=2, low=-size, high=size, seed=2))
    assert learn_multi_head(ModelOracle(model), variant=variant).model == model


def test_large_entries_of_the_true_softmax() -> None:
    model = canonical(random_target(ExpField(), 3, heads=2, low=-(10**6), high=10**6, seed=2))
    assert learn_multi_head(ModelOracle(model)).model == model


@both_variants
@pytest.mark.parametrize("heads", [1, 2, 3])
def test_values_that_are_exponential_sums(heads: int, variant: Any) -> None:
    e = ExpFraction.power(1)
    model = AttentionModel(
        ExpField(), 2, [Head([[1, h], [fmpq(h, 3), 2 - h]], [e - h, 1 / (e + 1) + h]) for h in range(heads)]
    )
    assert learn_multi_head(ModelOracle(model), variant=variant).model == canonical(model)


def test_many_irrational_values_are_refused() -> None:
    e = ExpFraction.power(1)
    model = AttentionModel(ExpField(), 1, [Head([[h]], [e + h]) for h in range(5)])
    with pytest.raises(UnsupportedValues):
        learn_multi_head(ModelOracle(model))


def test_the_zero_function_has_no_heads() -> None:
    W = [[1, 2], [3, 4]]
    model = AttentionModel(Base2(), 2, [Head(W, [1, 2]), Head(W, [-1, -2]), Head([[0, 1], [1, 0]], [0, 0])])
    learned = learn_multi_head(ModelOracle(model), max_heads=3)
    assert learned.model.heads == ()
    assert "zero" in learned.notes[0]


BASE = random_target(Base2(), 2, heads=2, seed=1)


def base_three(runs: Any) -> fmpq:
    q = runs[-1][0]
    low = min(token[0] * q[0] for token, _ in runs)
    weights = [copies * 3 ** (token[0] * q[0] - low) for token, copies in runs]
    return fmpq(sum(w * token[0] for w, (token, _) in zip(weights, runs, strict=True)), sum(weights))


STRANGE = {
    "a square": lambda runs: sum(copies * token[0] for token, copies in runs) ** 2,
    "another exponential": base_three,
    "a constant": lambda runs: 1,
    "wrong on three runs": lambda runs: BASE.value(Query(tuple(runs))) + (len(runs) > 2),
    "wrong on odd copies": lambda runs: BASE.value(Query(tuple(runs))) + (len(runs) > 1 and runs[0][1] % 2),
}


@pytest.mark.parametrize("bound", [None, 3])
@pytest.mark.parametrize("kind", STRANGE)
def test_other_functions_are_refused(kind: str, bound: int | None) -> None:
    oracle = CallableOracle(STRANGE[kind], Base2(), 2)
    with pytest.raises(NotMultiHead) as caught:
        learn_multi_head(oracle, max_heads=bound)
    assert caught.value.query is not None
    assert oracle.ask(caught.value.query) == caught.value.answer


def test_a_result_is_determined_by_the_seed() -> None:
    model = random_target(Base2(), 3, heads=2, seed=4)
    transcripts = []
    for seed in (1, 1, 2):
        oracle = ModelOracle(model)
        oracle.sink = transcript = Transcript(model.semantics, model.dim)
        learn_multi_head(oracle, seed=seed)
        transcripts.append(transcript.entries)
    assert transcripts[0] == transcripts[1] != transcripts[2]


def test_bad_arguments() -> None:
    oracle = ModelOracle(BASE)
    for arguments in ({"variant": "middle"}, {"max_heads": 0}, {"max_heads": True}):
        with pytest.raises(InputError):
            learn_multi_head(oracle, **arguments)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="exact answers"):
        learn_multi_head(ModelOracle(random_target(Float(), 2, heads=2)))


@exact_names
@pytest.mark.parametrize("heads", [1, 2, 3])
def test_the_method_is_chosen_by_the_answers(name: str, heads: int) -> None:
    model = canonical(random_target(EXACT[name], 3, heads=heads, seed=heads))
    oracle = ModelOracle(model)
    oracle.sink = transcript = Transcript(model.semantics, model.dim)
    learned = learn_automatically(oracle)
    assert learned.model == model
    assert oracle.sink is transcript
    checks = sum(entry.check for entry in transcript.entries)
    assert learned.verification.queries == checks
    assert learned.learning.queries == len(transcript.entries) - checks
    assert ("not enough" in " ".join(learned.notes)) == (heads > 1)


def test_choosing_passes_refusals_on() -> None:
    with pytest.raises(NotIdentifiable):
        learn_automatically(ModelOracle(AttentionModel(Base2(), 2, [Head([[1, 2], [3, 4]], [0, 0])])))
    with pytest.raises(NotASingleHead):
        learn_automatically(ModelOracle(random_target(Float(), 2, heads=2)))
    with pytest.raises(TooManyHeads):
        learn_automatically(ModelOracle(random_target(Base2(), 3, heads=3, seed=1)), max_heads=2)


@pytest.mark.parametrize(("bits", "generator"), [(30, 2), (60, None), (200, None)])
def test_discrete_logarithms(bits: int, generator: int | None) -> None:
    prime = SmoothPrime.draw(random.Random(bits), bits, generator)
    assert prime.p >> bits
    for n in (0, 1, -1, 12345, -(1 << (bits - 2)), 1 << (bits - 2)):
        assert prime.log(pow(prime.g, n, prime.p)) == n


@given(st.integers(-(10**9), 10**9), st.integers(1, 10**9))
def test_rational_reconstruction(n: int, d: int) -> None:
    modulus = 10**40 + 121
    x = fmpq(n, d)
    assert rational(n * pow(d, -1, modulus) % modulus, modulus, 24) == x


def test_no_small_rational_number() -> None:
    rng = random.Random(1)
    assert all(rational(rng.getrandbits(120), 2**127 - 1, 24) is None for _ in range(200))


def test_linear_algebra_of_both_sizes() -> None:
    for p in (10007, 2**127 - 1):
        assert solve([[1, 2], [3, 5]], [5, 13], p) == [1, 2]
        assert solve([[1, 2], [2, 4]], [5, 10], p) is None
        assert sorted(simple_roots([6, p - 5, 1], p) or []) == [2, 3]
        assert simple_roots([4, p - 4, 1], p) is None


@given(st.lists(st.tuples(st.integers(-4, 4), st.integers(-9, 9)), min_size=1, max_size=4, unique_by=lambda t: t[0]))
def test_residues_at_known_poles(pairs: list[tuple[int, int]]) -> None:
    powers = [fmpq(2) ** s for s, _ in pairs]
    points = [fmpq(0), *(fmpq(m, k) for k, m in ratios(len(pairs) - 1))]
    assume(len(pairs) > 0)
    values = [sum(b / (1 + x / E) for E, (_, b) in zip(powers, pairs, strict=True)) for x in points]
    assert residues_at_poles(powers, points, values) == [b for _, b in pairs]


def learn(capsys: Any, *arguments: object) -> tuple[int, str, str]:
    code = main(["learn", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def three_heads(tmp_path: Path) -> Path:
    path = tmp_path / "target.json"
    save_target(random_target(Base2(), 4, heads=3, seed=2), path)
    return path


@pytest.mark.parametrize(
    ("options", "queries"),
    [
        (("--method", "multi-head", "--max-heads", 3), 84),
        (("--method", "multi-head", "--variant", "short"), 85),
        (("--method", "multi-head", "--variant", "long", "--max-heads", 3), 66),
    ],
)
def test_command(options: tuple[object, ...], queries: int, three_heads: Path, capsys: Any) -> None:
    code, text, errors = learn(capsys, three_heads, "--json", *options)
    assert (code, errors) == (0, "")
    report = json.loads(text)
    assert report | {"method": "multi-head", "exact": True, "queries": queries, "parameters": 60} == report


def test_command_without_a_method(three_heads: Path, capsys: Any) -> None:
    code, text, errors = learn(capsys, three_heads)
    assert (code, errors) == (0, "")
    assert "a single head is not enough" in text
    assert "H = 3" in text
    assert "yes: the recovered model equals the target" in text


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--method", "multi-head", "--max-heads", 2), 1, "take 3 heads"),
        (("--max-heads", 2), 1, "take 3 heads"),
        (("--method", "single-head"), 1, "not a single attention head"),
        (("--method", "single-head", "--variant", "long"), 2, "no option --variant"),
        (("--method", "multi-head", "--variant", "x"), 2, "known: short, long"),
        (("--method", "multi-head", "--max-heads", 0), 2, "positive integer"),
        (("--method", "kronecker"), 2, "exp semantics"),
    ],
)
def test_command_refuses(options: tuple[object, ...], code: int, words: str, three_heads: Path, capsys: Any) -> None:
    result, text, errors = learn(capsys, three_heads, *options)
    assert (result, text) == (code, "")
    assert words in errors
    assert errors.count("\n") == 1


def test_tables_of_figures_are_reported() -> None:
    outcome = ROWS_BY_NAME["kronecker"].run(Context(True, 0, Path()))
    assert outcome.exact
    assert outcome.queries == outcome.bound
    (table,) = outcome.tables
    assert len(table.cells()) == outcome.cases
    assert all(len(row) == len(table.headings) for row in table.rows)


@pytest.mark.parametrize("name", ["multi-head-exp", "too-many-heads", "orthogonal-values"])
def test_rows(name: str) -> None:
    outcome = ROWS_BY_NAME[name].run(Context(True, 0, Path()))
    assert outcome.exact
    assert outcome.queries <= outcome.bound


@pytest.mark.parametrize("learn", [learn_multi_head, learn_automatically, learn_kronecker])
@pytest.mark.parametrize("max_heads", [0, -1, 1001, 10**30])
def test_bounds_on_the_number_of_heads(learn: Any, max_heads: int) -> None:
    with pytest.raises(InputError, match="the largest number of heads is"):
        learn(ModelOracle(random_target(Base2(), 2)), max_heads=max_heads)
