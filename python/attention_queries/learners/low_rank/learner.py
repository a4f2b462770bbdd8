"""Learning one head whose score matrix has low rank, from fewer queries than it has entries.

The learner proved in Lean (`AttentionQueries.Semantics.learnLowRank`) is told a bound on the rank; it asks a fixed list
of probes that misses no such matrix, and then `2d` scores for each unit of rank. This one needs no bound, draws its
probes at random, and skips the scores that follow from earlier ones. Both split off one outer product at a time
(Wedderburn).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from attention_queries.errors import InputError, ScoreTooLarge, VerificationFailed
from attention_queries.learners import single_head
from attention_queries.learners.low_rank.cross import PROBE_ENTRIES, CrossReader
from attention_queries.learners.result import Learned, Progress
from attention_queries.learners.scores import ScoreReader, refuse_zero, refuted
from attention_queries.learners.verification import verify_on_fresh_queries
from attention_queries.models import AttentionModel, Head
from attention_queries.oracle import Oracle, QueryCount
from attention_queries.semantics.base import S, Semantics, V
from attention_queries.sequences import QueryBatch

METHOD = "low-rank"
CHECKS = 2
TOLERANCE = 1e-8


def false_stop_bound(semantics: Semantics[Any, Any], checks: int = CHECKS) -> float:
    """The largest probability with which the learner stops at a rank below the true one, in an exact semantics.

    A matrix `R ≠ 0` satisfies `aᵀ R w = 0` for at most `2/N` of the pairs of vectors with one entry 1 and the others
    from `N` numbers (`AttentionQueries.LowRank.miss_vector`, twice); pairs with `⟨v, u⟩ = 0`, at most `1/N` of them,
    are drawn again.
    """
    return float((2 / (PROBE_ENTRIES[semantics.name] - 1)) ** checks)


def learn_low_rank(
    oracle: Oracle[S, V],
    *,
    seed: int = 0,
    checks: int = CHECKS,
    fresh: int = 8,
    tolerance: float = TOLERANCE,
    progress: Progress | None = None,
) -> Learned[S, V]:
    """Recover one head from `d + r (2d - r)` queries and `checks` more, where `r` is the rank of `W`.

    The rank is discovered: the search stops when `checks` random scores in a row agree with what is known. If the rank
    is larger, each stop happens with probability at most `false_stop_bound`. The result is then re-checked on `fresh`
    random queries of many tokens; if it fails, the other scores are read too, so that nothing is left to chance. So
    there are never more than `d² + d` queries, apart from random scores that agreed. Where a random score is too large
    for the base2 semantics, all entries are read instead.

    In floating point, scores up to `tolerance` beside the largest one, or beside 1, count as 0. `seed` determines all
    random choices. Raises `NotIdentifiable` when `v = 0`, and `NotASingleHead` with the query that shows it.
    """
    return _learn(oracle, False, seed, checks, fresh, tolerance, progress)


def learn_one_head(oracle: Oracle[S, V], *, seed: int = 0, progress: Progress | None = None) -> Learned[S, V]:
    """Recover one head: as `learn_single_head` while the columns of `W` are independent, then as `learn_low_rank`.

    Asks the same queries as `learn_single_head` when `W` is invertible; when its rank is `r < d`, at most
    `d + r (2d - r) + (d - r)` queries, which is no more than `d² + d`, apart from random scores that agreed.
    """
    return _learn(oracle, True, seed, CHECKS, 8, TOLERANCE, progress)


def _learn(
    oracle: Oracle[S, V],
    columns_first: bool,
    seed: int,
    checks: int,
    fresh: int,
    tolerance: float,
    progress: Progress | None,
) -> Learned[S, V]:
    if checks < 1:
        raise InputError(f"at least one check is needed to stop, not {checks}")
    # Probes and fresh queries must not be drawn from one stream of numbers twice.
    probes, rng, d = random.Random(f"probes {seed}"), random.Random(seed), oracle.dim
    with oracle.counting(QueryCount()) as learning:
        v = oracle.many(QueryBatch.singles(np.eye(d, dtype=np.int64)))
    if all(x == 0 for x in v):
        refuse_zero(oracle, v, rng, fresh)
    reader = ScoreReader(oracle, v)
    cross = CrossReader(reader, oracle.semantics, d, probes, tolerance, progress)
    with oracle.counting(learning):
        notes = _search(cross, columns_first, checks)
    doubt: VerificationFailed | None = None
    while True:
        model = _model(oracle.semantics, reader.entries(cross.matrix()), v)
        if model is not None:
            if doubt is not None and not oracle.semantics.equal(model.value(doubt.query), doubt.answer):
                raise refuted(doubt)
            try:
                verification = verify_on_fresh_queries(oracle, model, rng, checks=fresh)
                break
            except VerificationFailed as error:
                if cross.complete:
                    raise refuted(error) from None
                doubt = error
        # A wrong stop: either the rank is larger, or the oracle is no head. All scores together tell which.
        with oracle.counting(learning):
            cross.read_rest()
        notes = ("the random scores missed a larger rank, so all scores were read",)
    if not notes:
        notes = _low_rank_notes(oracle.semantics, cross)
    method = single_head.METHOD if columns_first and cross.complete else METHOD
    return Learned(model, method, learning, verification, notes)


def _search(cross: CrossReader[S, V], columns_first: bool, checks: int) -> tuple[str, ...]:
    """Read what determines the matrix, probably; sentences about what stood in the way."""
    try:
        if columns_first:
            cross.read_columns()
        cross.search(checks)
    except ScoreTooLarge:
        # Random probes have larger scores than single entries.
        cross.read_rest()
        return ("the scores of random probes are too large for this semantics, so all entries were read",)
    return ()


def _model(semantics: Semantics[S, V], W: list[list[Any]], v: Sequence[V]) -> AttentionModel[S, V] | None:
    """The head; None if `W` has fractions where the scalars are integers, which shows that the rank is larger."""
    try:
        return AttentionModel(semantics, len(v), [Head([semantics.token(row) for row in W], v)])
    except InputError:
        return None


def _low_rank_notes(semantics: Semantics[Any, Any], cross: CrossReader[Any, Any]) -> tuple[str, ...]:
    if cross.complete:
        return ()
    rank = f"W has rank {cross.rank}"
    if not semantics.exact:
        return (f"{rank}, up to rounding",)
    bound = false_stop_bound(semantics, cross.checks)
    return (f"{rank}; {cross.checks} random scores would miss a larger rank with probability at most {bound:.1g}",)
