"""Learning one head with affine scores and values from exactly `(d + 1)²` queries, as many as it has parameters.

The queries are `[0]` for `b`, the `[e_j]` for `v`, the `[u_i; 0]` for `c` and the `[e_j + u_i; e_j]` for `W`, with the
directions `u_i` of the learner for a head without biases. They determine the head: see
`AttentionQueries.Semantics.affine_unique_queries`.
"""

from __future__ import annotations

import random

import numpy as np

from attention_queries.errors import VerificationFailed
from attention_queries.learners.result import Progress, Result
from attention_queries.learners.scores import ScoreReader, refuse_constant, refuted
from attention_queries.learners.verification import verify_on_fresh_queries
from attention_queries.models.affine import AffineHead
from attention_queries.oracle import Oracle, QueryCount
from attention_queries.semantics.base import S, V
from attention_queries.sequences import QueryBatch

METHOD = "affine"


def learn_affine(
    oracle: Oracle[S, V], *, seed: int = 0, checks: int = 8, progress: Progress | None = None
) -> Result[AffineHead[S, V]]:
    """Recover `W`, `c`, `v` and `b` of the one head behind `oracle`, then re-check them on `checks` random queries.

    If the head is a layer with projections and biases, these are `KᵀQ`, `Kᵀb_Q`, `Vᵀw` and `⟨w, b_V⟩`; nothing else
    about the layer is identifiable (`AttentionQueries.Semantics.projected_eq_iff`).

    Raises `NotIdentifiable` when `v = 0` (then all answers are `b`, whatever `W` and `c` are), and `NotASingleHead`
    with the query that shows it when the answers are not those of one head.
    """
    d, rng = oracle.dim, random.Random(seed)
    points = [np.zeros(d, dtype=np.int64), *np.eye(d, dtype=np.int64)]
    columns: list[list[S]] = []
    with oracle.counting(QueryCount()) as learning:
        b, *answers = oracle.many(QueryBatch.singles(points))
        v = [answer - b for answer in answers]
        if any(x != 0 for x in v):
            reader = ScoreReader(oracle, v, b)
            for j, q in enumerate(points):
                columns.append(reader.column(q))
                if progress is not None:
                    progress(j + 1, d + 1)
    if not columns:
        constant = AffineHead(oracle.semantics, [[0] * d] * d, [0] * d, v, b)
        refuse_constant(oracle, constant, rng, checks, answer="the same", cause="v = 0", unknown="W and c are")
    rows = reader.entries([list(row) for row in zip(*columns, strict=True)])
    c = [first for first, *_ in rows]
    W = [[x - first for x in rest] for first, *rest in rows]
    head = AffineHead(oracle.semantics, W, c, v, b)
    try:
        verification = verify_on_fresh_queries(oracle, head, rng, checks=checks)
    except VerificationFailed as error:
        raise refuted(error) from None
    return Result(head, METHOD, learning, verification)
