"""Rows about one head: what determines it, how many queries it takes, and when it cannot be known."""

from __future__ import annotations

import random
from typing import Any

from flint import fmpq

from attention_queries.errors import NotASingleHead, NotIdentifiable
from attention_queries.generate import random_target
from attention_queries.learners.single_head import learn_single_head
from attention_queries.models import AttentionModel, Head
from attention_queries.oracle import ModelOracle
from attention_queries.reproduce.row import Context, Outcome, Row
from attention_queries.semantics import Base2, ExpField
from attention_queries.semantics.base import Semantics


def _recover(context: Context, semantics: Semantics[Any, Any], dims: list[int]) -> Outcome:
    queries = bound = 0
    exact = True
    for seed, d in context.track(enumerate(dims, context.seed), len(dims)):
        target = _fractional(random_target(semantics, d, low=-9, high=9, seed=seed))
        learned = learn_single_head(ModelOracle(target), seed=seed)
        queries += learned.learning.queries
        bound += d * d + d
        exact &= learned.model == target and learned.learning.longest == 2
    return Outcome(len(dims), queries, bound, exact, {"dimensions": sorted(set(dims)), "semantics": semantics.name})


def _fractional(target: AttentionModel[Any, Any]) -> AttentionModel[Any, Any]:
    """The target with thirds for values and, where scalars may be rational, halves for weights."""
    half = fmpq(1, 2) if target.semantics.name == "exp" else 1
    heads = [Head([[half * x for x in row] for row in head.W], [x / 3 for x in head.v]) for head in target.heads]
    return AttentionModel(target.semantics, target.dim, heads)


def _base2(context: Context) -> Outcome:
    dims = [d for d in range(1, 17) for _ in range(4)] + ([64] if context.quick else [64, 128, 256])
    return _recover(context, Base2(), dims)


def _exp(context: Context) -> Outcome:
    dims = [d for d in range(1, 9) for _ in range(2)] + ([16] if context.quick else [32, 64])
    return _recover(context, ExpField(), dims)


def _zero_value(context: Context) -> Outcome:
    exact = True
    queries = bound = 0
    dims = list(range(1, 9))
    for d in context.track(dims, len(dims)):
        rng = random.Random(context.seed + d)
        W = [[rng.randint(-9, 9) for _ in range(d)] for _ in range(d)]
        oracle = ModelOracle(AttentionModel(Base2(), d, [Head(W, [0] * d)]))
        try:
            learn_single_head(oracle, seed=d)
            exact = False
        except NotIdentifiable:
            pass
        queries += d
        bound += d
    return Outcome(len(dims), queries, bound, exact)


def _two_heads(context: Context) -> Outcome:
    exact = True
    dims = list(range(2, 9))
    for d in context.track(dims, len(dims)):
        target: AttentionModel[Any, Any] = random_target(Base2(), d, heads=2, seed=context.seed + d)
        try:
            learn_single_head(ModelOracle(target), seed=d)
            exact = False
        except NotASingleHead as error:
            exact &= target.value(error.query) == error.answer
    return Outcome(len(dims), 0, 0, exact)


LEARNER = "attention_queries.learners.single_head.learn_single_head"

ROWS = (
    Row(
        "single-head",
        "one head, v ≠ 0: recovered by d² + d queries of length ≤ 2 (base 2)",
        ("AttentionQueries.Results.learner_correct",),
        LEARNER,
        _base2,
    ),
    Row(
        "single-head-exp",
        "the same for the true softmax, exactly",
        ("AttentionQueries.Results.single_head_unique",),
        LEARNER,
        _exp,
    ),
    Row(
        "zero-value",
        "v = 0: W is not identifiable, and the learner says so",
        ("AttentionQueries.Results.single_head_identifiable_iff",),
        LEARNER,
        _zero_value,
    ),
    Row(
        "not-a-head",
        "two heads are never taken for one: a query that shows it",
        ("AttentionQueries.Results.learner_rejects",),
        LEARNER,
        _two_heads,
    ),
)
