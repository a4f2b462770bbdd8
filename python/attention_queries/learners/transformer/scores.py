"""Learning the matrix `W` of a transformer whose network is known, through the network."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from attention_queries.errors import InputError, NotATransformer, NotIdentifiable, SearchExhausted
from attention_queries.learners.result import Progress
from attention_queries.oracle import Oracle
from attention_queries.sequences import Query, QueryBatch
from attention_queries.transformer.network import ReluNetwork
from attention_queries.transformer.plan import LARGEST, Fan, Independent, fans, with_probes

RATIOS = ((1, 1), *((1 << n, 1) if up else (1, 1 << n) for n in range(1, 33) for up in (True, False)))
"""Copies `(k, m)` of the two tokens, tried one after the other while several scores explain all answers."""

_PROBES = 2
"""Scores that test whether a column of `W` lies in the span of the columns before."""

Matrix = list[list[Any]]


def learn_scores(
    oracle: Oracle[Any, Any],
    network: ReluNetwork,
    rng: random.Random,
    *,
    progress: Progress | None = None,
) -> Matrix:
    """The matrix `W` behind `oracle`, whose network is `network`.

    About d² queries of two tokens: for d query tokens, the scores in d directions. When the columns `W q` seen
    so far span `W q` for the next token as well, as two random scores with large entries show up to a probability of
    about 1 / `PROBE_SIZE`², the column needs no more: for rank r, about r(2d - r) queries and 2(d - r) such checks.

    Raises `NotIdentifiable` for a constant network, `SearchExhausted` when no informative tokens are found within the
    stated bound, and `NotATransformer` with a query whose answer no `W` explains.
    """
    if network.is_constant:
        raise NotIdentifiable(
            "the network is constant at all points asked, so W is not identifiable: "
            "with a constant network every sequence has the same answer, whatever W is"
        )
    learner = _Scores(oracle, network, rng, low_rank=oracle.semantics.exact)
    for fan in fans(network, rng, learner.tokens):
        learner.take(fan)
        if progress is not None:
            progress(len(learner.columns), oracle.dim)
        if len(learner.columns) == oracle.dim:
            return learner.matrix()
    raise SearchExhausted(
        f"W was not found: with integer tokens of entries up to {LARGEST}, or beside a hyperplane, the network is flat "
        f"along too many segments between two tokens; {len(learner.columns)} of {oracle.dim} columns were determined"
    )


class _Scores:
    def __init__(self, oracle: Oracle[Any, Any], network: ReluNetwork, rng: random.Random, *, low_rank: bool) -> None:
        self._oracle = oracle
        self._rng = rng
        self._network = network
        self._low_rank = low_rank
        self.tokens = Independent()
        self.columns: list[list[Any]] = []
        """`W q` for every `q` in `tokens`."""
        self._span = Independent()
        self._last: tuple[Query[Any], Any] | None = None

    def take(self, fan: Fan) -> None:
        """Learn `W q` for the query token of a fan, unless a score stays ambiguous."""
        known: dict[int, Any] = {}
        rank = len(self._span.vectors)
        column: list[Any] | None = None
        if self._low_rank and rank < len(self.columns) and rank + _PROBES < self._oracle.dim:
            probed = with_probes(self._network, self._rng, fan, _PROBES)
            few = self._few(fan)
            if probed is not None and len(few) == rank:
                few += range(self._oracle.dim, self._oracle.dim + _PROBES)
                if not self._ask(probed, few, known):
                    return
                column = self._predicted(probed, few, known)
        if column is None:
            rest = [i for i in range(self._oracle.dim) if i not in known]
            if not self._ask(fan, rest, known):
                return
            column = self._solve(fan, known)
            if self._low_rank:
                self._span.add(tuple(column))
        self.tokens.add(fan.q)
        self.columns.append(column)

    def _few(self, fan: Fan) -> list[int]:
        """As many directions as the span has dimensions, that tell its vectors apart."""
        restrictions = Independent()
        few: list[int] = []
        for i, u in enumerate(fan.directions):
            if len(few) == len(self._span.vectors):
                break
            if restrictions.add(tuple(_dot(u, c) for c in self._span.vectors)):
                few.append(i)
        return few

    def _predicted(self, fan: Fan, few: list[int], known: dict[int, Any]) -> list[Any] | None:
        """The vector of the span with the known scores; None if there is none."""
        basis = self._span.vectors
        r = len(basis)
        if r == 0:
            coefficients: list[Any] = []
        else:
            square = fmpq_mat(r, r, [_dot(fan.directions[i], c) for i in few[:r] for c in basis])
            coefficients = square.solve(fmpq_mat(r, 1, [fmpq(known[i]) for i in few[:r]])).entries()
        column = [_dot(coefficients, [c[i] for c in basis]) for i in range(self._oracle.dim)]
        return column if all(_dot(fan.directions[i], column) == known[i] for i in few[r:]) else None

    def _ask(self, fan: Fan, which: Sequence[int], known: dict[int, Any]) -> bool:
        """Learn the scores in some directions of a fan; False when one stays ambiguous."""
        if not which:
            return True
        k, m = RATIOS[0]
        batch = _queries(fan, which, k, m)
        semantics = self._oracle.semantics
        for j, (i, y) in enumerate(zip(which, self._oracle.many(batch), strict=True)):
            self._last = batch.query(j), y
            scores = fan.chords[i].scores(semantics, y, k, m)
            if scores is None or len(scores) > 1:
                scores = self._disambiguate(fan, i, scores)
                if scores is None:
                    return False
            if not scores:
                raise self._contradiction("no attention weight explains it")
            known[i] = scores[0]
        return True

    def _disambiguate(self, fan: Fan, i: int, scores: list[Any] | None) -> list[Any] | None:
        """Other numbers of copies until one score is left; None when several stay possible."""
        semantics, chord = self._oracle.semantics, fan.chords[i]
        for k, m in RATIOS[1:]:
            query = _queries(fan, [i], k, m).query(0)
            y = self._oracle.ask(query)
            self._last = query, y
            if scores is None:
                scores = chord.scores(semantics, y, k, m)
            else:
                scores = [s for s in scores if chord.explains(semantics, s, y, k, m)]
            if scores is not None and len(scores) <= 1:
                return scores
        return None

    def _contradiction(self, why: str) -> NotATransformer:
        assert self._last is not None
        query, answer = self._last
        return NotATransformer(
            f"the oracle is not a one-layer transformer with the network found: for its answer to {query}, {why}",
            query,
            answer,
        )

    def _solve(self, fan: Fan, known: dict[int, Any]) -> list[Any]:
        """`W q` from the scores in all directions."""
        d = self._oracle.dim
        scores = [known[i] * fan.unit**2 for i in range(d)]
        if not self._oracle.semantics.exact:
            result: list[Any] = np.linalg.solve(np.array(fan.directions, dtype=np.float64), np.array(scores)).tolist()
            return result
        exact: list[Any] = _exact_matrix(fan.directions).solve(fmpq_mat(d, 1, [fmpq(s) for s in scores])).entries()
        return exact

    def matrix(self) -> Matrix:
        """`W` from its values on d independent tokens; raises `NotATransformer` when it has a wrong kind of entry."""
        if not self._oracle.semantics.exact:
            Q, C = np.array(self.tokens.vectors, dtype=np.float64), np.array(self.columns, dtype=np.float64)
            result: Matrix = np.linalg.solve(Q, C).T.tolist()
            return result
        W = _exact_matrix(self.tokens.vectors).solve(_exact_matrix(self.columns)).transpose().tolist()
        try:
            return [list(self._oracle.semantics.token(row)) for row in W]
        except InputError as error:
            raise self._contradiction(f"W would have a wrong entry: {error}") from None


def _queries(fan: Fan, which: Sequence[int], k: int, m: int) -> QueryBatch:
    rows = [[x + y for x, y in zip(fan.q, fan.directions[i], strict=True)] for i in which]
    if fan.unit == 1:
        return QueryBatch.pairs(rows, fan.q, k, m)
    return QueryBatch.pairs([[x / fan.unit for x in row] for row in rows], [x / fan.unit for x in fan.q], k, m)


def _exact_matrix(rows: Sequence[Sequence[Any]]) -> Any:
    return fmpq_mat(len(rows), len(rows[0]), [fmpq(x) for row in rows for x in row])


def _dot(x: Sequence[Any], y: Sequence[Any]) -> fmpq:
    return sum((a * b for a, b in zip(x, y, strict=True)), fmpq(0))
