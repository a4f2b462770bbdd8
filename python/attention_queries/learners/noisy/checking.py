"""Fresh queries against intervals: can any head within them, and within the tolerance, give these answers?"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from flint import arb, ctx, fmpq

from attention_queries.errors import OracleInconsistent
from attention_queries.learners.noisy.asking import NoisyAnswers
from attention_queries.learners.noisy.enclosure import PRECISION, ball_interval, exponential
from attention_queries.learners.noisy.interval import Interval, rounded
from attention_queries.learners.noisy.result import Bounds
from attention_queries.oracle import Oracle
from attention_queries.semantics.base import Semantics
from attention_queries.sequences import Query, QueryBatch

_MAX_TOKENS = 5


def check_on_fresh_queries(
    oracle: Oracle[Any, Any],
    answers: NoisyAnswers,
    W: Sequence[Sequence[Bounds]],
    v: Sequence[Bounds],
    rng: random.Random,
    checks: int,
) -> None:
    """Ask `checks` random sequences; raises `OracleInconsistent` when an answer is out of reach for all heads."""
    queries = [random_query(oracle.semantics, oracle.dim, rng) for _ in range(checks)]
    for query, answer in zip(queries, answers.many(QueryBatch.of(queries)), strict=True):
        possible = value_bounds(oracle.semantics, W, v, query)
        if possible is None:
            continue
        if answer + answers.tolerance < possible.low or possible.high < answer - answers.tolerance:
            raise OracleInconsistent(
                f"the oracle answers {rounded(answer, 12)} to the fresh query {query}, where every head within the "
                f"intervals gives from {rounded(possible.low, 12)} to {rounded(possible.high, 12)}",
                (query,),
                (answer,),
            )


def random_query(semantics: Semantics[Any, Any], dim: int, rng: random.Random) -> Query[Any]:
    """A few tokens with one or two entries ±1, one or two copies of each."""
    runs = []
    for _ in range(rng.randint(2, _MAX_TOKENS)):
        entries = [0] * dim
        for i in rng.sample(range(dim), min(dim, rng.randint(1, 2))):
            entries[i] = rng.choice((-1, 1))
        runs.append((semantics.token(entries), rng.randint(1, 2)))
    return Query(tuple(runs))


def value_bounds(
    semantics: Semantics[Any, Any], W: Sequence[Sequence[Bounds]], v: Sequence[Bounds], query: Query[Any]
) -> Interval | None:
    """An interval with the values on a query of all heads within the intervals; None where `v` is uncertified.

    Where a score is uncertified, any weight from 0 to 1 is allowed for.
    """
    q = _fractions(query.token)
    column = [_combination(row, q) for row in W]
    total = _combination(v, q)
    weights: list[tuple[arb, arb] | None] = []
    slopes: list[Interval | None] = []
    with ctx.workprec(PRECISION):
        for token, copies in query.context:
            u = [x - y for x, y in zip(_fractions(token), q, strict=True)]
            score = _combination(column, u)
            slopes.append(_combination(v, u))
            weights.append(
                None
                if score is None
                else (copies * exponential(semantics, score.low), copies * exponential(semantics, score.high))
            )
        for h, slope in enumerate(slopes):
            if slope is None or total is None:
                return None
            total = total + _times_share(slope, _share(weights, h))
    return total


def _combination(bounds: Sequence[Bounds], coefficients: Sequence[fmpq]) -> Bounds:
    total = Interval(fmpq(0), fmpq(0))
    for b, c in zip(bounds, coefficients, strict=True):
        if c == 0:
            continue
        if b is None:
            return None
        total = total + b.scaled(c)
    return total


def _share(weights: Sequence[tuple[arb, arb] | None], h: int) -> Interval:
    """Bounds on the share of one token; the query token has weight 1."""
    own, others = weights[h], [w for i, w in enumerate(weights) if i != h]
    if own is None:
        return Interval(fmpq(0), fmpq(1))
    least = 1 + sum((w[0] for w in others if w is not None), arb(0))
    high = ball_interval(1 / (1 + least / own[1])).high
    if any(w is None for w in others):
        return Interval(fmpq(0), high)
    most = 1 + sum((w[1] for w in others if w is not None), arb(0))
    return Interval(ball_interval(1 / (1 + most / own[0])).low, high)


def _times_share(slope: Interval, part: Interval) -> Interval:
    ends = [x * p for x in (slope.low, slope.high) for p in (part.low, part.high)]
    return Interval(min(ends), max(ends))


def _fractions(token: Sequence[Any]) -> list[fmpq]:
    return [fmpq(*x.as_integer_ratio()) if isinstance(x, float) else fmpq(x) for x in token]
