"""Asking an oracle whose answers are off by a tolerance: batches of experiments, repetition, averages."""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq

from attention_queries.errors import InputError
from attention_queries.learners.noisy.certification import Directions, Experiment
from attention_queries.learners.noisy.enclosure import PRECISION, ball_interval, value_interval
from attention_queries.oracle import Oracle
from attention_queries.sequences import Query, QueryBatch

_FINE = fmpq(1, 1 << 40)
_BIAS = fmpq(1, 1 << 20)
"""The mean of random errors may differ from 0 by this part of the tolerance."""


class NoisyAnswers:
    """Answers as rational numbers, each off by at most `tolerance`.

    With `repeats` above 1 every query is asked that often and the answers averaged. Then errors are taken to be
    independent, of mean 0 (up to `τ / 2^20`) and at most τ in size, and by Hoeffding's inequality all `most` averages
    are within `τ · (sqrt(2 ln(2 · most / (1 - confidence)) / repeats) + 1 / 2^20)` at the same time with probability at
    least `confidence`.
    """

    def __init__(
        self,
        oracle: Oracle[Any, Any],
        tolerance: fmpq,
        *,
        repeats: int = 1,
        confidence: fmpq | None = None,
        most: int = 1,
    ) -> None:
        self._oracle = oracle
        self._repeats = repeats
        # Answers that are irrational expressions are enclosed; the width of that is part of the tolerance.
        self._grain = tolerance * _FINE
        average = tolerance if confidence is None else min(tolerance, _hoeffding(tolerance, repeats, confidence, most))
        self.tolerance = average if oracle.semantics.name != "exp" else average + self._grain

    def many(self, batch: QueryBatch) -> list[fmpq]:
        """The averaged answers to a batch."""
        times = self._repeats
        if times > 1:
            sequences = [runs for runs in batch.sequences for _ in range(times)]
            batch = QueryBatch(batch.tokens, sequences, batch.denominator)
        answers = [value_interval(y, self._grain).midpoint for y in self._oracle.many(batch)]
        if times == 1:
            return answers
        return [sum(answers[i : i + times], fmpq(0)) / times for i in range(0, len(answers), times)]

    def values(self) -> list[fmpq]:
        """The answers to the unit vectors: estimates of `v`."""
        return self.many(QueryBatch.singles(np.eye(self._oracle.dim, dtype=np.int64)))

    def experiments(self, experiments: Sequence[Experiment], directions: Directions) -> list[fmpq]:
        """The answers to experiments."""
        if not experiments:
            return []
        return self.many(experiment_batch(experiments, directions, exact=self._oracle.semantics.exact))


def experiment_batch(experiments: Sequence[Experiment], directions: Directions, *, exact: bool) -> QueryBatch:
    """The queries of experiments, tokens shared."""
    d = len(directions.kinds)
    denominator = lcm(*{e.n for e in experiments})
    rows: list[list[int]] = []
    index: dict[tuple[int, ...], int] = {}

    def row(j: int, n: int, i: int | None = None) -> int:
        key = (j, n) if i is None else (j, n, i)
        if key not in index:
            token = [0] * d
            token[j] = denominator // n
            if i is not None:
                token[i] += denominator
                token[directions.pivot] += denominator * directions.kinds[i].value
            index[key] = len(rows)
            rows.append(token)
        return index[key]

    sequences = [((row(e.j, e.n, e.i), e.k), (row(e.j, e.n), e.m)) for e in experiments]
    if exact:
        return QueryBatch(rows, sequences, denominator)
    return QueryBatch(np.array(rows, dtype=np.float64) / denominator, sequences)


def experiment_query(experiment: Experiment, directions: Directions, *, exact: bool) -> Query[Any]:
    """The query of one experiment."""
    return experiment_batch([experiment], directions, exact=exact).query(0)


def _hoeffding(tolerance: fmpq, repeats: int, confidence: fmpq, most: int) -> fmpq:
    with ctx.workprec(PRECISION):
        ball = (2 * arb(2 * most / (1 - confidence)).log() / repeats).sqrt()
        return tolerance * (ball_interval(ball).high + _BIAS)


def check_repetition(repeats: int, confidence: fmpq) -> None:
    """Raise `InputError` unless the number of repetitions and the confidence make sense."""
    if type(repeats) is not int or repeats < 1:
        raise InputError(f"the number of repeats is a positive integer, not {repeats}")
    if not 0 < confidence < 1:
        raise InputError(f"the confidence is a number strictly between 0 and 1, not {confidence}")
