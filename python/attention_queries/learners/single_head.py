"""Learning one softmax attention head from exactly `d² + d` queries.

Queries of length one give `v`. For `u = x - q` and `a = f(x, q) - ⟨v, q⟩`, the odds `a / (⟨v, u⟩ - a)` are
`exp(uᵀ W q)`; directions `u = e_i`, or `e_i + e_p` where `v_i = 0` (with `v_p ≠ 0`), turn them into the entries of `W`
without a linear system (Theorem 4.1 of arXiv 2601.16873, v2 numbering as reported).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from attention_queries.errors import NotAPower, NotASingleHead, NotIdentifiable, VerificationFailed
from attention_queries.learners.result import Learned, Progress
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
        unit = np.eye(oracle.dim, dtype=np.int64)
        v = oracle.many(QueryBatch.singles(unit))
        support = [i for i, x in enumerate(v) if x != 0]
        columns = _learn_columns(oracle, v, support[0], progress) if support else []
    rng = random.Random(seed)
    if not support:
        _refuse_zero(oracle, v, rng, checks)
    model = AttentionModel(oracle.semantics, oracle.dim, [Head(zip(*columns, strict=True), v)])
    try:
        verification = verify_on_fresh_queries(oracle, model, rng, checks=checks)
    except VerificationFailed as error:
        raise NotASingleHead(f"the oracle is not a single attention head: {error}", error.query, error.answer) from None
    return Learned(model, METHOD, learning, verification)


def _learn_columns(oracle: Oracle[S, V], v: Sequence[V], p: int, progress: Progress | None) -> list[list[S]]:
    """The columns of `W`, each from one batch of `d` pair queries; `v[p]` is not 0."""
    d, unit = oracle.dim, np.eye(oracle.dim, dtype=np.int64)
    zero = [i for i, x in enumerate(v) if x == 0]
    directions = unit.copy()
    directions[zero, p] += 1
    slopes = [v[p] if x == 0 else x for x in v]  # ⟨v, u⟩ for each direction u
    columns = []
    for j in range(d):
        batch = QueryBatch.pairs(directions + unit[j], unit[j])
        column = _scores(oracle, batch, v[j], slopes)
        for i in zero:
            column[i] -= column[p]
        columns.append(column)
        if progress is not None:
            progress(j + 1, d)
    return columns


def _scores(oracle: Oracle[S, V], batch: QueryBatch, at_q: V, slopes: Sequence[V]) -> list[S]:
    """The score differences `uᵀ W q` behind a batch of pair queries with the same query token."""
    answers = oracle.many(batch)
    above = [answer - at_q for answer in answers]
    below = [slope - a for slope, a in zip(slopes, above, strict=True)]
    try:
        odds = [a / b for a, b in zip(above, below, strict=True)]
    except ZeroDivisionError:
        j = next(j for j, b in enumerate(below) if b == 0)
        raise _not_a_head(batch, j, answers[j], "the query token has weight 0") from None
    try:
        return oracle.semantics.log_many(odds)
    except NotAPower as error:
        raise _not_a_head(batch, error.position, answers[error.position], f"the odds {error}") from None


def _not_a_head(batch: QueryBatch, j: int, answer: Any, why: str) -> NotASingleHead:
    query = batch.query(j)
    return NotASingleHead(
        f"the oracle is not a single attention head: its answer to the query {query} is impossible for one, "
        f"because there {why}",
        query,
        answer,
    )


def _refuse_zero(oracle: Oracle[S, V], v: Sequence[V], rng: random.Random, checks: int) -> None:
    """Raise the error that fits an oracle whose answers to single tokens are all 0."""
    d = oracle.dim
    zero = AttentionModel(oracle.semantics, d, [Head(np.zeros((d, d), dtype=np.int64).tolist(), v)])
    try:
        verify_on_fresh_queries(oracle, zero, rng, checks=checks)
    except VerificationFailed as error:
        raise NotASingleHead(
            f"the oracle is not a single attention head: it answers 0 to every single token, but {error}",
            error.query,
            error.answer,
        ) from None
    raise NotIdentifiable(
        "v = 0, so W is not identifiable: the head answers 0 to every sequence, whatever W is, "
        "and no number of queries can tell one W from another"
    )
