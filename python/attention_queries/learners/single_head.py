"""Learning one softmax attention head from exactly `d² + d` queries.

Queries of length one give `v`. Queries of length two give the scores in directions `u = e_i`, or `e_i + e_p` where
`v_i = 0` (with `v_p ≠ 0`), and so the entries of `W` without a linear system (Theorem 4.1 of arXiv 2601.16873, v2
numbering as reported).
"""

from __future__ import annotations

import random

import numpy as np

from attention_queries.errors import VerificationFailed
from attention_queries.learners.result import Learned, Progress
from attention_queries.learners.scores import ScoreReader, refuse_zero, refuted
from attention_queries.learners.verification import verify_on_fresh_queries
from attention_queries.models import AttentionModel, Head
from attention_queries.oracle import Oracle, QueryCount
from attention_queries.semantics.base import S, V
from attention_queries.sequences import QueryBatch

METHOD = "single-head"


def learn_single_head(
    oracle: Oracle[S, V], *, seed: int = 0, checks: int = 8, progress: Progress | None = None
) -> Learned[S, V]:
    """Recover `W` and `v` of the one head behind `oracle`, then re-check them on `checks` fresh random queries.

    `seed` determines the fresh queries. Raises `NotIdentifiable` when `v = 0` (then every `W` gives the zero
    function), and `NotASingleHead` with the query that shows it when the answers are not those of one head.
    """
    with oracle.counting(QueryCount()) as learning:
        v = oracle.many(QueryBatch.singles(np.eye(oracle.dim, dtype=np.int64)))
        rows = _learn_rows(ScoreReader(oracle, v), oracle.dim, progress) if any(x != 0 for x in v) else []
    rng = random.Random(seed)
    if not rows:
        refuse_zero(oracle, v, rng, checks)
    model = AttentionModel(oracle.semantics, oracle.dim, [Head(rows, v)])
    try:
        verification = verify_on_fresh_queries(oracle, model, rng, checks=checks)
    except VerificationFailed as error:
        raise refuted(error) from None
    return Learned(model, METHOD, learning, verification)


def _learn_rows(reader: ScoreReader[S, V], d: int, progress: Progress | None) -> list[list[S]]:
    """The rows of `W`, read column by column, each column one batch of `d` pair queries."""
    unit = np.eye(d, dtype=np.int64)
    columns = []
    for j in range(d):
        columns.append(reader.column(unit[j]))
        if progress is not None:
            progress(j + 1, d)
    return reader.entries([list(row) for row in zip(*columns, strict=True)])
