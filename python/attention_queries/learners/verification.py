"""Re-checking a recovered model on fresh random queries, counted apart from learning."""

from __future__ import annotations

import random
from typing import Any

from attention_queries.errors import VerificationFailed
from attention_queries.models import AttentionModel
from attention_queries.oracle import Oracle, QueryCount
from attention_queries.semantics.base import S, Semantics, V
from attention_queries.sequences import Query, QueryBatch

MAX_LENGTH = 8
_MAX_SPAN = 1 << 16
"""Checks prefer scores at most this far apart, to keep base-2 answers small."""


def verify_on_fresh_queries(
    oracle: Oracle[S, V],
    model: AttentionModel[S, V],
    rng: random.Random,
    *,
    checks: int = 8,
    max_length: int = MAX_LENGTH,
) -> QueryCount:
    """Ask `checks` random sequences of length up to `max_length`, some tokens repeated, and compare the answers.

    Returns the cost, which is not added to `oracle.count`. Raises `VerificationFailed` with the first query on which
    oracle and model disagree.
    """
    queries = [_random_query(model, rng, rng.randint(2, max_length)) for _ in range(checks)]
    batch = QueryBatch.of(queries)
    with oracle.fresh_count() as count:
        answers = oracle.many(batch)
    for query, answer, expected in zip(queries, answers, model.values(batch), strict=True):
        if not model.semantics.equal(answer, expected):
            raise VerificationFailed(
                f"the oracle answers {_text(model.semantics, answer)} to the query {query}, "
                f"where the recovered model gives {_text(model.semantics, expected)}",
                query,
                answer,
                expected,
            )
    return count


def _random_query(model: AttentionModel[S, V], rng: random.Random, length: int) -> Query[S]:
    support = model.dim
    while True:
        query = _draw(model, rng, length, support)
        # Large weights make dense tokens costly in base 2: thin the tokens out until scores are moderate.
        if support == 1 or model.semantics.max_span is None:
            return query
        if max(model.score_spans(QueryBatch.of([query])), default=0) <= _MAX_SPAN:
            return query
        support = support // 2


def _draw(model: AttentionModel[S, V], rng: random.Random, length: int, support: int) -> Query[S]:
    tokens = [_token(model, rng, support) for _ in range(max(2, length // 2))]
    order = [rng.choice(tokens) for _ in range(length)]
    runs: list[tuple[Any, int]] = []
    for token in order:
        if runs and runs[-1][0] is token:
            runs[-1] = token, runs[-1][1] + 1
        else:
            runs.append((token, 1))
    return Query(tuple(runs))


def _token(model: AttentionModel[S, V], rng: random.Random, support: int) -> tuple[S, ...]:
    scalar = model.semantics.scalar
    entries = [scalar(0)] * model.dim
    for i in rng.sample(range(model.dim), support):
        entries[i] = scalar(rng.choice((-2, -1, 1, 2)) if support == 1 else rng.randint(-2, 2))
    return tuple(entries)


def _text(semantics: Semantics[S, V], x: V) -> str:
    return str(x) if semantics.bits(x) <= 400 else f"a number of {semantics.bits(x)} bits"
