"""Learning one head with vector outputs `V x`, several scores from one query.

Queries of length one give the columns `V e_j`. On `[q + u_1, …, q + u_n; q]` the output is `V q + Σ_i p_i V u_i`, where
the `p_i` are the softmax weights; if the `V u_i` are linearly independent, a linear system gives the `p_i`, and so the
scores `u_iᵀ W q = log (p_i / (1 - Σ p))`. As directions `u_i` serve the `e_i`, or `e_i + e_p` where the `V e_i` are
dependent. So `r` directions fit in one query, where `r ≥ 1` is the rank of `V`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from attention_queries.errors import InputError, NotAPower, VerificationFailed
from attention_queries.learners.result import Progress, Result
from attention_queries.learners.scores import not_a_head, refuse_constant, refuted
from attention_queries.learners.span import Span
from attention_queries.learners.verification import verify_on_fresh_queries
from attention_queries.models.vector import VectorHead
from attention_queries.oracle import Oracle, QueryCount
from attention_queries.semantics.base import S, Semantics, V
from attention_queries.semantics.vectors import VectorValues
from attention_queries.sequences import QueryBatch

METHOD = "vector-values"


def formula(dim: int, rank: int) -> int:
    """The number of queries for `V` of this rank, `d + d⌈d/r⌉`: between `2d` and `d² + d`."""
    return dim + dim * -(-dim // rank)


def learn_vector_values(
    oracle: Oracle[S, tuple[V, ...]], *, seed: int = 0, checks: int = 8, progress: Progress | None = None
) -> Result[VectorHead[S, V]]:
    """Recover `W` (d×d) and `V` (m×d) of the one head behind `oracle`, re-checked on `checks` fresh random queries.

    The oracle's semantics is `VectorValues` over an exact one. With `r` the rank of `V` there are `d + d⌈d/r⌉` queries,
    none longer than `r + 1`; for `m = 1` they are the `d² + d` of `learn_single_head`.

    Raises `NotIdentifiable` when `V = 0` (see `AttentionQueries.Semantics.vector_identifiable_iff`), `NotASingleHead`
    with the query that shows it when the answers are not those of one head, and `InputError` for other semantics.
    """
    semantics = oracle.semantics
    if not isinstance(semantics, VectorValues) or not semantics.exact:
        raise InputError(f"this learner needs vectors of exact values as answers, not {semantics!r}")
    d, rng = oracle.dim, random.Random(seed)
    entries: Semantics[S, V] = semantics.entries
    W: list[list[S]] = [[] for _ in range(d)]
    with oracle.counting(QueryCount()) as learning:
        columns = oracle.many(QueryBatch.singles(np.eye(d, dtype=np.int64)))
        groups = _groups(columns)
        for j in range(d if groups else 0):
            for row, s in zip(W, _column(oracle, entries, columns, groups, j), strict=True):
                row.append(s)
            if progress is not None:
                progress(j + 1, d)
    rows = list(zip(*columns, strict=True))
    if not groups:
        zero = VectorHead(entries, [[0] * d] * d, rows)
        refuse_constant(oracle, zero, rng, checks, answer="0", cause="V = 0", unknown="W is")
    head = VectorHead(entries, W, rows)
    try:
        verification = verify_on_fresh_queries(oracle, head, rng, checks=checks)
    except VerificationFailed as error:
        raise refuted(error) from None
    return Result(head, METHOD, learning, verification)


@dataclass
class _Group:
    """Directions `e_i + e_p`, or `e_i` where `p` is None, as pairs `(i, p)`; their images under `V` are independent."""

    directions: list[tuple[int, int | None]] = field(default_factory=list)
    span: Span = field(default_factory=Span)

    def add(self, i: int, p: int | None, columns: Sequence[Sequence[Any]]) -> bool:
        """Take one more direction, if it is independent of those before."""
        image = columns[i] if p is None else [x + y for x, y in zip(columns[i], columns[p], strict=True)]
        if not self.span.add(image):
            return False
        self.directions.append((i, p))
        return True


def _groups(columns: Sequence[Sequence[Any]]) -> list[_Group]:
    """One direction for every `e_i`, in as few groups as the rank of `V` allows; none when `V = 0`.

    The `e_p` of the first group form a basis of the image of `V`. Elsewhere, where `V e_i` lies in the span of the
    fewer than `r` vectors before it, some `V e_p` does not, and neither does `V (e_i + e_p)`.
    """
    first = _Group()
    others = [i for i in range(len(columns)) if not first.add(i, None, columns)]
    if not first.directions:
        return []
    basis = [i for i, _ in first.directions]
    groups = [first]
    for start in range(0, len(others), len(basis)):
        group = _Group()
        for i in others[start : start + len(basis)]:
            any(group.add(i, p, columns) for p in (None, *basis))
        groups.append(group)
    return groups


def _column(
    oracle: Oracle[Any, Any], semantics: Semantics[S, Any], columns: Sequence[Any], groups: list[_Group], j: int
) -> list[S]:
    """Column `j` of `W`, by one query for each group."""
    d = len(columns)
    directions = np.eye(d, dtype=np.int64)
    for group in groups:
        for i, p in group.directions:
            if p is not None:
                directions[i, p] += 1
    q = np.eye(d, dtype=np.int64)[j]
    batch = QueryBatch(np.vstack([directions + q, q]), (_runs(group, d) for group in groups))
    scores: dict[int, S] = {}
    for n, (group, answer) in enumerate(zip(groups, oracle.many(batch), strict=True)):
        above = [x - y for x, y in zip(answer, columns[j], strict=True)]
        weights = group.span.coordinates(above)
        if weights is None:
            raise not_a_head(batch, n, answer, "it is no mean of the values of the tokens")
        own = 1 - sum(weights)
        if own == 0:
            raise not_a_head(batch, n, answer, "the query token has weight 0")
        try:
            found = semantics.log_many([x / own for x in weights])
        except NotAPower as error:
            raise not_a_head(batch, n, answer, f"the odds {error}") from None
        for (i, p), s in zip(group.directions, found, strict=True):
            scores[i] = s if p is None else s - scores[p]
    return [scores[i] for i in range(d)]


def _runs(group: _Group, query_token: int) -> Iterator[tuple[int, int]]:
    for i, _ in group.directions:
        yield i, 1
    yield query_token, 1
