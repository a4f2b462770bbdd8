"""Rows about learning several heads: counts, coincidences, refusals, and the price of exactness."""

from __future__ import annotations

import random
from typing import Any

from attention_queries.errors import LearningError, TooManyHeads
from attention_queries.fibre import canonical
from attention_queries.generate import random_target
from attention_queries.learners.kronecker import learn_kronecker
from attention_queries.learners.multi_head import VARIANTS, Variant, formula, learn_multi_head
from attention_queries.learners.orthogonal_values import formula as orthogonal_formula
from attention_queries.learners.orthogonal_values import learn_orthogonal_values
from attention_queries.learners.result import Learned
from attention_queries.models import AttentionModel, Head
from attention_queries.oracle import ModelOracle
from attention_queries.reproduce.head_families import FAMILIES, draw
from attention_queries.reproduce.row import Context, DataTable, Outcome, Row
from attention_queries.semantics import Base2, ExpField
from attention_queries.semantics.base import Semantics


def _learned(
    target: AttentionModel[Any, Any], variant: Variant, seed: int, max_heads: int | None
) -> Learned[Any, Any] | None:
    try:
        return learn_multi_head(ModelOracle(target), max_heads=max_heads, variant=variant, seed=seed)
    except LearningError:
        return None


def _counted(
    context: Context, semantics: Semantics[Any, Any], variant: Variant, sizes: list[tuple[int, int]]
) -> Outcome:
    """Random heads, their number known: every run is exact, and its count is the formula unless it was unlucky."""
    queries = bound = repeated = 0
    exact = True
    for seed, (heads, d) in context.track(enumerate(sizes, context.seed), len(sizes)):
        target = canonical(random_target(semantics, d, heads=heads, seed=seed))
        learned = _learned(target, variant, seed, len(target.heads))
        if learned is None:
            exact = False
            continue
        expected = formula(len(target.heads), d, variant)
        exact &= learned.model == target and (variant == "long" or learned.learning.longest <= 2 * heads + 1)
        if learned.learning.queries == expected:
            queries += expected
            bound += expected
        else:
            repeated += 1
    exact &= 4 * repeated <= len(sizes)
    return Outcome(len(sizes), queries, bound, exact, {"runs with repeated questions, not counted": repeated})


def _short(context: Context) -> Outcome:
    return _counted(context, Base2(), "short", _sizes(8 if context.quick else 16))


def _long(context: Context) -> Outcome:
    large = [] if context.quick else [(6, 32), (4, 64)]
    return _counted(context, Base2(), "long", _sizes(8 if context.quick else 16) + large)


def _exp(context: Context) -> Outcome:
    sizes = [(heads, d) for heads in range(1, 4) for d in range(1, 5)]
    short, long = (_counted(context, ExpField(), variant, sizes) for variant in VARIANTS)
    return Outcome(
        short.cases + long.cases,
        short.queries + long.queries,
        short.bound + long.bound,
        short.exact and long.exact,
        {variant: outcome.details for variant, outcome in zip(VARIANTS, (short, long), strict=True)},
    )


def _sizes(largest: int) -> list[tuple[int, int]]:
    dims = [d for d in (1, 2, 3, 4, 6, 8, 12, 16) if d <= largest]
    return [(heads, d) for heads in range(1, 7) for d in dims]


def _coincidences(context: Context) -> Outcome:
    """Every family, both variants, both semantics, with and without a bound on the heads: none may come out wrong."""
    cases = 340 if context.quick else 1000
    names = list(FAMILIES)
    exact = True
    repeated = 0
    for n in context.track(range(cases), cases):
        rng = random.Random(f"{context.seed} {n}")
        semantics: Semantics[Any, Any] = ExpField() if n % 7 == 0 else Base2()
        heads, d = (rng.randint(1, 3), rng.randint(1, 4)) if n % 7 == 0 else (rng.randint(1, 6), rng.randint(1, 8))
        target = draw(names[n % len(names)], semantics, rng, heads, d)
        variant = VARIANTS[n // len(names) % 2]
        learned = _learned(target, variant, n, rng.choice([None, heads, heads + 2]))
        exact &= learned is not None and learned.model == canonical(target)
        repeated += learned is not None and len(learned.notes) > 2
    return Outcome(cases, 0, 0, exact, {"families": names, "runs with a repeated attempt": repeated})


def _too_many(context: Context) -> Outcome:
    exact = True
    cases = [(heads, allowed) for heads in range(2, 7) for allowed in range(1, heads)]
    for heads, allowed in context.track(cases, len(cases)):
        target = canonical(random_target(Base2(), 3, heads=heads, seed=context.seed + heads))
        try:
            learn_multi_head(ModelOracle(target), max_heads=allowed, seed=context.seed)
            exact = False
        except TooManyHeads as error:
            exact &= error.query is not None and target.value(error.query) == error.answer
    return Outcome(len(cases), 0, 0, exact)


def _kronecker(context: Context) -> Outcome:
    queries = bound = 0
    exact = True
    cases: list[tuple[Semantics[Any, Any], int, int, int]] = [
        *((Base2(), d, 1, b) for d, b in ((1, 9), (2, 3), (3, 1))),
        *((Base2(), 2, heads, 1) for heads in (2, 3, 4)),
        *((ExpField(), d, 1, 3) for d in (4, 16, 64)),
        *((ExpField(), d, heads, 3) for d in (2, 4, 6) for heads in (2, 3)),
    ]
    figures = []
    for semantics, d, heads, b in context.track(cases, len(cases)):
        target = canonical(random_target(semantics, d, heads=heads, low=-b, high=b, seed=context.seed + d))
        learned = learn_kronecker(ModelOracle(target), bound=b, max_heads=heads, seed=context.seed)
        exact &= learned.model == target
        queries += learned.learning.queries
        bound += 2 * heads
        figures.append(
            (semantics.name, heads, d, b, learned.learning.queries, target.parameters, learned.learning.bits)
        )
    headings = ("semantics", "H", "d", "largest entry", "queries", "parameters", "bits of answers")
    table = DataTable("What two queries a head cost", headings, tuple(figures))
    return Outcome(len(cases), queries, bound, exact, tables=(table,))


def _orthogonal(context: Context) -> Outcome:
    queries = bound = 0
    exact = True
    cases = [(heads, d) for d in range(2, 9) for heads in range(1, min(d, 4) + 1)]
    for heads, d in context.track(cases, len(cases)):
        rng = random.Random(context.seed + 10 * d + heads)
        # The coordinates are dealt out to the heads.
        bases = [[[int(i == j) for j in range(d)] for i in range(h, d, heads)] for h in range(heads)]
        target: AttentionModel[Any, Any] = AttentionModel(
            Base2(),
            d,
            [
                Head(
                    [[rng.randint(-3, 3) for _ in range(d)] for _ in range(d)],
                    [rng.choice([-2, -1, 1, 3]) * (i % heads == h) for i in range(d)],
                )
                for h in range(heads)
            ],
        )
        learned = learn_orthogonal_values(ModelOracle(target), bases, seed=context.seed)
        exact &= learned.model == canonical(target)
        queries += learned.learning.queries
        bound += orthogonal_formula(heads, d)
    return Outcome(len(cases), queries, bound, exact)


def published(heads: int, dim: int) -> int:
    """The query count `4Hd² - 2H + 1` of arXiv 2608.03294."""
    return 4 * heads * dim**2 - 2 * heads + 1


def _short_number(x: int) -> int | str:
    return x if x < 10**7 else f"{x:.1e}"


def _comparison(context: Context) -> Outcome:
    dims = (2, 4, 8) if context.quick else (2, 4, 8, 16, 32)
    sizes = [(heads, d) for heads in range(1, 7) for d in dims]
    rows = []
    exact = True
    queries = bound = 0
    for heads, d in context.track(sizes, len(sizes)):
        target = canonical(random_target(Base2(), d, heads=heads, low=-9, high=9, seed=context.seed + d))
        cells: list[int | float | str] = [heads, d, target.parameters, published(heads, d)]
        for variant in VARIANTS:
            learned = _learned(target, variant, context.seed, heads)
            if learned is None:
                return Outcome(len(sizes), 0, 0, False)
            count = learned.learning
            exact &= learned.model == target
            queries += count.queries
            bound += published(heads, d)
            cells += [formula(heads, d, variant), count.queries]
            cells += [_short_number(count.tokens), _short_number(count.longest), count.bits]
        rows.append(tuple(cells))
    measured = [f"{variant}: {x}" for variant in VARIANTS for x in ("formula", "queries", "tokens", "longest", "bits")]
    table = DataTable(
        "Several heads: queries, tokens, longest sequence and bits of the answers (base 2, entries up to 9)",
        ("H", "d", "parameters H(d² + d)", "4Hd² - 2H + 1", *measured),
        tuple(rows),
    )
    return Outcome(2 * len(sizes), queries, bound, exact, tables=(table,))


LEARNER = "attention_queries.learners.multi_head.learn_multi_head"
KRONECKER = "attention_queries.learners.kronecker.learn_kronecker"
ORTHOGONAL = "attention_queries.learners.orthogonal_values.learn_orthogonal_values"

ROWS = (
    Row(
        "multi-head-short",
        "H heads recovered by (2H - 1)d² + d sequences of at most 2H + 1 tokens",
        ("AttentionQueries.Results.direction_decoder", "AttentionQueries.Results.several_heads_congruent"),
        LEARNER,
        _short,
    ),
    Row(
        "multi-head-long",
        "H heads recovered by H(d² + 2d - 1) - (d - 1) queries, H labelled scores from H of them",
        ("AttentionQueries.Results.divided_answer", "AttentionQueries.Results.labelled_scores"),
        LEARNER,
        _long,
    ),
    Row(
        "multi-head-exp",
        "both for the true softmax, with the same counts",
        ("AttentionQueries.Results.direction_count",),
        LEARNER,
        _exp,
    ),
    Row(
        "multi-head-coincidences",
        "the canonical form is recovered whatever coincides: matrices, values, scores, sums",
        ("AttentionQueries.Results.canonical_complete",),
        LEARNER,
        _coincidences,
    ),
    Row(
        "too-many-heads",
        "more heads than allowed: refused, with a query that shows it",
        ("AttentionQueries.Results.direction_count",),
        LEARNER,
        _too_many,
    ),
    Row(
        "multi-head-counts",
        "queries beside the published 4Hd² - 2H + 1, with tokens and bits",
        ("AttentionQueries.Results.direction_count", "AttentionQueries.Results.direction_count_sharp"),
        LEARNER,
        _comparison,
    ),
    Row(
        "orthogonal-values",
        "K heads with values in known orthogonal subspaces: Kd² + d·K(K - 1)/2 + d short queries",
        ("AttentionQueries.Results.orthogonal_values_projection", "AttentionQueries.Results.orthogonal_values_learnt"),
        ORTHOGONAL,
        _orthogonal,
    ),
    Row(
        "kronecker",
        "bounded integer weights: two queries a head, with enormous answers",
        ("AttentionQueries.Results.kronecker_two_queries", "AttentionQueries.Results.kronecker_several_heads"),
        KRONECKER,
        _kronecker,
    ),
)
