"""Re-checking a recovered model on fresh random queries, counted apart from learning."""

from __future__ import annotations

import random
from typing import Any

from attention_queries.errors import VerificationFailed
from attention_queries.models import SequenceModel
from attention_queries.oracle import Oracle, QueryCount
from attention_queries.semantics.base import S, Semantics, V
from attention_queries.sequences import Query, QueryBatch

MAX_LENGTH = 8
_MAX_SPAN = 1 << 16
"""Checks prefer scores at most this far apart, to keep base-2 answers small."""


def verify_on_fresh_queries(
    oracle: Oracle[S, V],
    model: SequenceModel[S, V],
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
    values = model.values(batch)
    agree = _agreement(model.semantics, answers, values)
    for query, answer, expected, same in zip(queries, answers, values, agree, strict=True):
        if not same:
            raise VerificationFailed(
                f"the oracle answers {_text(model.semantics, answer)} to the query {query}, "
                f"where the recovered model gives {_text(model.semantics, expected)}",
                query,
                answer,
                expected,
            )
    return count


def _agreement(semantics: Semantics[S, V], answers: list[V], values: list[V]) -> list[bool]:
    if semantics.exact:
        return list(map(semantics.equal, answers, values))
    # In floating point the largest value is the unit: what counts as equal does not depend on the scale of the model.
    unit = max(map(abs, [*answers, *values]), default=0) or 1
    return [semantics.equal(x / unit, y / unit) for x, y in zip(answers, values, strict=True)]


def _random_query(model: SequenceModel[S, V], rng: random.Random, length: int) -> Query[S]:
    """A random query whose scores are moderate where their size matters: dense tokens if possible, else sparse ones."""
    limit, support, size = model.semantics.max_span, model.dim, 2
    while True:
        query = _draw(model.semantics, rng, model.dim, length, support, size)
        if limit is None:
            return query
        span = max(model.score_spans(QueryBatch.of([query])), default=0)
        if span <= _MAX_SPAN or (size == 1 and span <= limit):
            return query
        if size == 1:
            return Query(((query.token, length),))
        support, size = (support // 2, size) if support > 1 else (support, 1)


def _draw(semantics: Semantics[S, Any], rng: random.Random, dim: int, length: int, support: int, size: int) -> Query[S]:
    """A sequence of tokens with `support` entries from `-size` to `size`, only half of the tokens distinct."""
    tokens = []
    for _ in range(max(2, length // 2)):
        entries = [semantics.scalar(0)] * dim
        for i in rng.sample(range(dim), support):
            entries[i] = semantics.scalar(rng.randint(-size, size))
        tokens.append(tuple(entries))
    return Query(tuple((rng.choice(tokens), 1) for _ in range(length)))


def _text(semantics: Semantics[S, V], x: V) -> str:
    return str(semantics.format_value(x)) if semantics.bits(x) <= 200 else f"a number of {semantics.bits(x)} bits"
