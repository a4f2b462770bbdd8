"""Learning one head from membership queries: the oracle tells only whether the output exceeds a threshold θ ≠ 0.

With the zero token as query token the output is a plain mean, which finds `v` by bisection on token scale and copies;
then copies of a token of value above θ and of one below it compare `e^s` with any positive number (appendix B of arXiv
2601.16873, v2 numbering as reported).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from flint import fmpq

from attention_queries.errors import InputError, NotIdentifiable, OracleInconsistent, OutOfBounds
from attention_queries.learners.membership.bits import PositiveThreshold
from attention_queries.learners.membership.integers import IntegerHead, check_values, learn_integers, query_bound
from attention_queries.learners.membership.oracle import ThresholdOracle
from attention_queries.learners.membership.reals import learn_intervals
from attention_queries.learners.noisy.checking import random_query, value_bounds
from attention_queries.learners.noisy.interval import Interval, rounded
from attention_queries.learners.noisy.oracles import read_number, read_tolerance
from attention_queries.learners.noisy.result import Bounds, LearnedIntervals, check_denominator, middle
from attention_queries.learners.result import Progress
from attention_queries.oracle import QueryCount
from attention_queries.sequences import Query, QueryBatch

METHOD = "membership"
PRECISION = "1/1000000"
_CANDIDATES = 8


def learn_membership(
    oracle: ThresholdOracle[Any],
    theta: object,
    *,
    bound: int | None = None,
    precision: object = PRECISION,
    max_denominator: int | None = None,
    seed: int = 0,
    checks: int = 8,
    progress: Progress | None = None,
) -> LearnedIntervals:
    """The head behind an oracle that tells whether the output exceeds `theta`.

    In the base2 semantics with a `bound`, `W` and `v` are promised to be integers of at most this size and recovered
    exactly by at most `d · L(B) + d² · L(2B)` queries, `L(Z) = ⌈log2(2Z + 1)⌉`; the promise is tested by fresh queries.
    Otherwise every entry gets a certified interval, of width about `precision` (base-2 weights are exact), by
    `O((d² + d) log(1/ε))` queries. `max_denominator` is as in `learn_noisy`.

    Raises `NotIdentifiable` when `theta` is 0 or `v` is, `MarginTooSmall` when all values may be 0, `OutOfBounds` when
    entries exceed the bound, and `OracleInconsistent` when a fresh query contradicts the result.
    """
    threshold, epsilon = read_number(theta, "threshold"), read_tolerance(precision, "precision")
    if bound is not None and (type(bound) is not int or bound < 1):
        raise InputError(f"the bound is a positive integer, not {bound}")
    check_denominator(max_denominator)
    if threshold == 0:
        raise NotIdentifiable(
            "with the threshold 0 the answers are the same for v and 2v, so v is not identifiable; choose another one"
        )
    asked, rng = PositiveThreshold(oracle, threshold), random.Random(seed)
    integers = bound is not None and oracle.semantics.name == "base2"
    with oracle.counting(QueryCount()) as learning:
        if integers:
            assert bound is not None
            head = learn_integers(asked, bound)
            W: tuple[tuple[Bounds, ...], ...] = tuple(tuple(map(_point, row)) for row in head.W)
            v: tuple[Bounds, ...] = tuple(map(_point, head.v))
            allowed = query_bound(oracle.dim, bound)
        else:
            W, v, allowed = learn_intervals(oracle, asked, None if bound is None else fmpq(bound), epsilon)
    if progress is not None:
        progress(1, 1)
    with oracle.fresh_count() as verification:
        if integers:
            _check_integers(asked, head)
        _check(oracle, threshold, W, v, rng, checks)
    notes = (f"{learning.queries:,} one-bit answers, at most {allowed:,} by the formula",)
    denominator = 1 if integers else max_denominator
    return LearnedIntervals(
        middle(oracle.semantics, W, v, denominator),
        METHOD,
        learning,
        verification,
        notes,
        semantics=oracle.semantics,
        W_intervals=W,
        v_intervals=v,
        max_denominator=denominator,
        query_bound=allowed,
    )


def _point(x: int) -> Interval:
    return Interval(fmpq(x), fmpq(x))


def _check_integers(asked: PositiveThreshold, head: IntegerHead) -> None:
    """Raise `OutOfBounds` unless every value lies within 1/8 of the integer found, and no score below its range."""
    check_values(asked, [asked.sign * x for x in head.v])
    if not all(asked.above(head.true_tests)):
        raise OutOfBounds("an entry of W is not within the bound that was promised")


def _check(
    oracle: ThresholdOracle[Any],
    theta: fmpq,
    W: Sequence[Sequence[Bounds]],
    v: Sequence[Bounds],
    rng: random.Random,
    checks: int,
) -> None:
    """Ask fresh queries with outputs near the threshold; raises `OracleInconsistent` when an answer is impossible."""
    queries, bounds = [], []
    for _ in range(checks):
        drawn = [_candidate(oracle, W, v, rng) for _ in range(_CANDIDATES)]
        query, possible = min(drawn, key=lambda pair: abs(pair[1].midpoint - theta))
        queries.append(query)
        bounds.append(possible)
    for query, possible, above in zip(queries, bounds, oracle.many(QueryBatch.of(queries)), strict=True):
        if possible.high < theta if above else possible.low > theta:
            raise OracleInconsistent(
                f"the oracle says that the output on the fresh query {query} is {'above' if above else 'not above'} "
                f"{rounded(theta, 6)}, where the recovered head gives from {rounded(possible.low, 12)} to "
                f"{rounded(possible.high, 12)}",
                (query,),
                (above,),
            )


def _candidate(
    oracle: ThresholdOracle[Any], W: Sequence[Sequence[Bounds]], v: Sequence[Bounds], rng: random.Random
) -> tuple[Query[Any], Interval]:
    query = random_query(oracle.semantics, oracle.dim, rng)
    possible = value_bounds(oracle.semantics, W, v, query)
    assert possible is not None
    return query, possible
