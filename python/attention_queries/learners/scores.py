"""Reading scores `uᵀ W q` of one attention head off its answers to queries of two tokens.

For `u = x - q` and `a = f(x, q) - ⟨v, q⟩`, the odds `a / (⟨v, u⟩ - a)` are `exp(uᵀ W q)`, provided `⟨v, u⟩ ≠ 0`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from attention_queries.errors import NotAPower, NotASingleHead, NotIdentifiable, ScoreTooLarge, VerificationFailed
from attention_queries.learners.verification import verify_on_fresh_queries
from attention_queries.models import AttentionModel, Head, SequenceModel
from attention_queries.oracle import Oracle
from attention_queries.semantics.base import S, Semantics, V
from attention_queries.sequences import QueryBatch

Vector = NDArray[Any]

FLOAT_REACH = 1 / 16
"""Length of the directions in floating point: the odds of scores up to 200 then keep half of their digits."""
_FLOAT_ODDS = 2.0**40
_TOO_LARGE = "a score is too large to be read from floating-point answers"


class ScoreReader(Generic[S, V]):
    """Scores in `d` independent directions `u_i` with `⟨v, u_i⟩ ≠ 0`, for a head with known `v ≠ 0`.

    The value of a token may be `⟨v, x⟩ + b` with a known constant `b`.

    `u_i = e_i`, or `e_i + c_i e_p` where `v_i` is 0; in floating point, where it is small. So the scores form the
    matrix `G` with `G_ij = W_ij + c_i W_pj`, of the same rank as `W`.
    """

    def __init__(self, oracle: Oracle[S, V], v: Sequence[V], b: V | None = None) -> None:
        self._oracle = oracle
        self._v = v
        self._b = oracle.semantics.value(0) if b is None else b
        self._p, self._shifts = _shifts(oracle.semantics, v)
        self._reach = 1 if oracle.semantics.exact else FLOAT_REACH
        directions = np.eye(oracle.dim, dtype=np.int64)
        directions[:, self._p] += self._shifts
        self._directions: Vector = directions * self._reach
        shifted = zip(v, self._shifts.tolist(), strict=True)
        self._slopes: list[V] = [(x + c * v[self._p] if c else x) * self._reach for x, c in shifted]
        self._contexts: Vector = np.empty((oracle.dim + 1, oracle.dim), dtype=self._directions.dtype)
        self._batch: QueryBatch | None = None

    def slope(self, a: Vector) -> V:
        """`⟨v, u⟩` for the direction `u = Σ a_i u_i`, as long as it is asked."""
        return _inner(self._oracle.semantics, a, self._slopes)

    def column(self, q: Vector) -> list[S]:
        """The scores at `q` in all directions: `G q`, by one query for each entry.

        Raises `NotASingleHead` with the query whose answer no head can give.
        """
        return self._scores(q, self._directions, self._slopes)

    def score(self, u: Vector, q: Vector) -> S:
        """The score `uᵀ W q` in any direction with `⟨v, u⟩ ≠ 0`, by one query."""
        u = u * self._reach
        (score,) = self._scores(q, u[None], [_inner(self._oracle.semantics, u, self._v)])
        return score

    def read(self, q: Vector, rows: Sequence[int], probe: Vector | None = None) -> list[S]:
        """The scores at `q` in the directions `u_i` for `i` in `rows`, and last, if asked for, in `Σ probe_i u_i`.

        Raises as `column` does.
        """
        directions, slopes = self._directions[list(rows)], [self._slopes[i] for i in rows]
        if probe is not None:
            u = probe.copy()
            u[self._p] += probe @ self._shifts
            directions = np.concatenate([directions, [u * self._reach]])
            slopes.append(self.slope(probe))
        return self._scores(q, directions, slopes) if slopes else []

    def _scores(self, q: Vector, directions: Vector, slopes: Sequence[V]) -> list[S]:
        # Large arrays are kept and used again: to give memory back to the system after each batch costs a third of it.
        contexts = np.add(directions, q, out=self._contexts[: len(directions)])
        batch = self._batch = QueryBatch.pairs(contexts, q)
        scores = _decode(self._oracle, batch, _inner(self._oracle.semantics, q, self._v) + self._b, slopes)
        return scores if self._reach == 1 else [s / self._reach for s in scores]

    def entries(self, rows: Sequence[Sequence[S]]) -> list[list[S]]:
        """The rows of `W` from those of `G`."""
        p = rows[self._p]
        return [
            [x - c * y for x, y in zip(row, p, strict=True)] if c else list(row)
            for row, c in zip(rows, self._shifts.tolist(), strict=True)
        ]


def _shifts(semantics: Semantics[Any, Any], v: Sequence[Any]) -> tuple[int, NDArray[np.int64]]:
    """A coordinate `p` with `v_p ≠ 0`, and the multiples of `e_p` to add to the other basis vectors."""
    if semantics.exact:
        return next(i for i, x in enumerate(v) if x != 0), np.array([int(x == 0) for x in v], dtype=np.int64)
    values = np.array(v, dtype=np.float64)
    p = int(np.abs(values).argmax())
    shares = values / values[p]
    return p, np.where(np.abs(shares) < 0.5, np.where(shares < 0, -1, 1), 0).astype(np.int64)


def _inner(semantics: Semantics[Any, V], x: Vector, v: Sequence[V]) -> V:
    terms: list[V] = [c * y for c, y in zip(x.tolist(), v, strict=True) if c != 0]
    return semantics.value(0) if not terms else reduce(add, terms)


def _decode(oracle: Oracle[S, V], batch: QueryBatch, at_q: V, slopes: Sequence[V]) -> list[S]:
    """The score differences `uᵀ W q` behind a batch of pair queries with the same query token."""
    answers = oracle.many(batch)
    above = [answer - at_q for answer in answers]
    below = [slope - a for slope, a in zip(slopes, above, strict=True)]
    try:
        odds = [a / b for a, b in zip(above, below, strict=True)]
    except ZeroDivisionError:
        if not oracle.semantics.exact:
            raise ScoreTooLarge(_TOO_LARGE) from None
        j = next(j for j, b in enumerate(below) if b == 0)
        raise not_a_head(batch, j, answers[j], "the query token has weight 0") from None
    if not oracle.semantics.exact and not all(1 < abs(x) * _FLOAT_ODDS < _FLOAT_ODDS**2 for x in odds):
        raise ScoreTooLarge(_TOO_LARGE)
    try:
        return oracle.semantics.log_many(odds)
    except NotAPower as error:
        raise not_a_head(batch, error.position, answers[error.position], f"the odds {error}") from None


def not_a_head(batch: QueryBatch, j: int, answer: Any, why: str) -> NotASingleHead:
    """The refusal of an oracle whose answer to query `j` of the batch no head can give."""
    query = batch.query(j)
    return NotASingleHead(
        f"the oracle is not a single attention head: its answer to the query {query} is impossible for one, "
        f"because there {why}",
        query,
        answer,
    )


def refuted(error: VerificationFailed) -> NotASingleHead:
    """The refusal that follows when a model that fits every answer so far fails on a fresh query."""
    return NotASingleHead(f"the oracle is not a single attention head: {error}", error.query, error.answer)


def refuse_zero(oracle: Oracle[S, V], v: Sequence[V], rng: random.Random, checks: int) -> None:
    """Raise the error that fits an oracle whose answers to single tokens are all 0."""
    d = oracle.dim
    zero = AttentionModel(oracle.semantics, d, [Head(np.zeros((d, d), dtype=np.int64).tolist(), v)])
    refuse_constant(oracle, zero, rng, checks, answer="0", cause="v = 0", unknown="W is")


def refuse_constant(
    oracle: Oracle[S, V],
    model: SequenceModel[S, V],
    rng: random.Random,
    checks: int,
    *,
    answer: str,
    cause: str,
    unknown: str,
) -> None:
    """Raise the error that fits an oracle whose answers to single tokens are all equal, as those of `model`.

    `cause` says why they are, `unknown` what does not matter then.
    """
    try:
        verify_on_fresh_queries(oracle, model, rng, checks=checks)
    except VerificationFailed as error:
        raise NotASingleHead(
            f"the oracle is not a single attention head: it answers {answer} to every single token, but {error}",
            error.query,
            error.answer,
        ) from None
    raise NotIdentifiable(
        f"{cause}, so {unknown} not identifiable: the head answers {answer} to every sequence, whatever {unknown}, "
        "and no number of queries can tell more"
    )
