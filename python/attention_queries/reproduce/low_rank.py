"""Rows about heads of low rank: exact learning by few queries, factors, and the floating-point methods beside it."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from flint import fmpq

from attention_queries.learners.low_rank import CHECKS, baselines, factors, gauge, gauge_between, learn_low_rank
from attention_queries.models import AttentionModel, Head
from attention_queries.oracle import ModelOracle
from attention_queries.reproduce.low_rank_figure import Panel, draw
from attention_queries.reproduce.row import Context, DataTable, Outcome, Row
from attention_queries.semantics import Base2, ExpField, Float
from attention_queries.semantics.base import Semantics

DATA = Path(__file__).with_name("low_rank_baselines.json")
"""Numbers of queries of the floating-point methods at larger dimensions, measured by `benchmarks/low_rank.py`."""

FIGURE = "low-rank.svg"


def _exact_head(rng: random.Random, semantics: Semantics[Any, Any], d: int, r: int) -> AttentionModel[Any, Any]:
    """A head with `W` of rank at most `r`, a third of the values 0, and fractions where they are allowed."""
    unit = fmpq(1, 6) if semantics.name == "exp" else 1
    K, Q = ([[rng.randint(-2, 2) for _ in range(d)] for _ in range(r)] for _ in range(2))
    W = [[unit * sum(k[i] * q[j] for k, q in zip(K, Q, strict=True)) for j in range(d)] for i in range(d)]
    v = [rng.choice([0, 1, 1]) * fmpq(rng.randint(1, 9), 3) for _ in range(d)]
    v[rng.randrange(d)] = fmpq(-2, 3)
    return AttentionModel(semantics, d, [Head(W, v)])


def _recover(context: Context, semantics: Semantics[Any, Any], sizes: Sequence[tuple[int, int]]) -> Outcome:
    queries = bound = 0
    exact = True
    largest = {}
    for seed, (d, r) in context.track(enumerate(sizes, context.seed), len(sizes)):
        target = _exact_head(random.Random(seed), semantics, d, r)
        learned = learn_low_rank(ModelOracle(target), seed=seed)
        r = len(factors(target.heads[0].W)[0])
        queries += learned.learning.queries
        # Up to CHECKS - 1 probes may agree by chance before each of the r columns is found.
        bound += d + min(d * d, r * (2 * d - r)) + CHECKS + (CHECKS - 1) * r
        exact &= learned.model == target and learned.learning.longest <= 2
        largest = {"d": d, "r": r, "queries": learned.learning.queries, "of": d * d + d}
    return Outcome(len(sizes), queries, bound, exact, {"semantics": semantics.name, "largest": largest})


def _base2(context: Context) -> Outcome:
    small = [(d, r) for d in range(1, 25, 2 if context.quick else 1) for r in {0, 1, 2, d // 2, d - 1, d} if r <= d]
    return _recover(context, Base2(), [*small, (64, 4)] if context.quick else [*small, (64, 8), (256, 8)])


def _exp(context: Context) -> Outcome:
    small = [(d, r) for d in range(1, 13, 2 if context.quick else 1) for r in {0, 1, d // 2, d} if r <= d]
    return _recover(context, ExpField(), [*small, (24, 2)] if context.quick else [*small, (24, 3), (64, 4)])


def _factors(context: Context) -> Outcome:
    exact = True
    sizes = [(d, r) for d in range(1, 13) for r in {1, d // 2, d} if r > 0]
    for seed, (d, r) in context.track(enumerate(sizes, context.seed), len(sizes)):
        rng = random.Random(seed)
        W = _exact_head(rng, ExpField(), d, r).heads[0].W
        K, Q = factors(W)
        r = len(K)
        A = [[fmpq(rng.randint(-5, 5), 7) + 9 * (i == j) for j in range(r)] for i in range(r)]
        other = gauge(K, Q, A)
        exact &= _product(K, Q, d) == _product(*other, d) == [list(row) for row in W]
        exact &= gauge_between((K, Q), other) == tuple(map(tuple, A))
    return Outcome(len(sizes), 0, 0, exact)


def _product(K: Sequence[Sequence[fmpq]], Q: Sequence[Sequence[fmpq]], d: int) -> list[list[fmpq]]:
    return [[sum((k[i] * q[j] for k, q in zip(K, Q, strict=True)), fmpq(0)) for j in range(d)] for i in range(d)]


def float_head(rng: np.random.Generator, d: int, r: int) -> tuple[Head[float, float], ModelOracle[float, float]]:
    """A head with Gaussian factors and values, in the float semantics, and its oracle."""
    W = rng.standard_normal((r, d)).T @ rng.standard_normal((r, d))
    head: Head[float, float] = Head(W.tolist(), rng.standard_normal(d).tolist())
    return head, ModelOracle(AttentionModel(Float(), d, [head]))


def _compare(context: Context) -> Outcome:
    sizes = [(8, 1, (15, 17, *range(20, 45, 3))), (12, 2, (44, 46, *range(52, 107, 6)))]
    trials = 4 if context.quick else 8
    work = [(size, trial) for size in sizes for trial in range(trials)]
    panels = [Panel(d, r, list(counts)) for d, r, counts in sizes]
    queries = bound = 0
    exact = True
    for (d, r, counts), trial in context.track(work, len(work)):
        panel = panels[sizes.index((d, r, counts))]
        rng = np.random.default_rng([context.seed, d, trial])
        head, oracle = float_head(rng, d, r)
        W = np.array(head.W)
        learned = learn_low_rank(oracle, seed=trial)
        used = learned.learning.queries
        queries += used
        bound += d + r * (2 * d - r) + CHECKS
        exact &= baselines.recovered(np.array(learned.model.heads[0].W), W)
        panel.add("exact", {n: used - d <= n for n in panel.counts})
        data = baselines.measure(oracle, head.v, max(counts), rng)
        panel.add(
            "alternating",
            {
                n: baselines.recovered(baselines.alternating_minimisation(data.first(n), r, rng, rounds=60), W)
                for n in panel.counts
            },
        )
        if baselines.have_solver():
            panel.add(
                "nuclear", {n: baselines.recovered(baselines.nuclear_norm(data.first(n)), W) for n in panel.counts}
            )
    draw(panels, context.out / FIGURE)
    details: dict[str, Any] = {"figure": FIGURE, "rates": [panel.as_json() for panel in panels]}
    if not baselines.have_solver():
        details["left out"] = "nuclear norm: its solver, the extra `baselines`, is not installed"
    measured = baseline_table(json.loads(DATA.read_text(encoding="utf-8")))
    return Outcome(len(work), queries, bound, exact, details, (measured,))


def baseline_table(results: dict[str, Any]) -> DataTable:
    """The measured numbers of queries as a table."""
    title = f"Low rank: score queries of three methods; {results['measured']} (measured by `{results['command']}`)"
    headings = ("d", "r", "r(2d - r)", "this package, two checks", "alternating minimisation", "nuclear norm")
    keys = ("d", "r", "freedom", "exact", "alternating", "nuclear")
    return DataTable(title, headings, tuple(tuple(case[key] for key in keys) for case in results["cases"]))


LEARNER = "attention_queries.learners.low_rank.learn_low_rank"

ROWS = (
    Row(
        "low-rank",
        "one head, W of rank r, r not given: recovered by d + r(2d - r) queries and two checks (base 2)",
        ("AttentionQueries.Results.low_rank_step", "AttentionQueries.Results.random_check"),
        LEARNER,
        _base2,
    ),
    Row(
        "low-rank-exp",
        "the same for the true softmax, exactly",
        ("AttentionQueries.Results.low_rank_determined", "AttentionQueries.Results.random_check"),
        LEARNER,
        _exp,
    ),
    Row(
        "low-rank-factors",
        "keys and queries: factors of W, determined up to one invertible matrix",
        ("AttentionQueries.Results.low_rank_factors",),
        "attention_queries.learners.low_rank.factors",
        _factors,
    ),
    Row(
        "low-rank-baselines",
        f"the same learner in floating point, beside nuclear norm and alternating minimisation ({FIGURE})",
        ("AttentionQueries.Results.low_rank_determined",),
        "attention_queries.learners.low_rank.baselines.nuclear_norm",
        _compare,
    ),
)
