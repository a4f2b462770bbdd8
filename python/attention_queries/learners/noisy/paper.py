"""The estimator of the paper's robustness theorem, as a baseline: fixed scales, one experiment an entry, clipping.

`p̂ = (f̂(x, q) - f̂(q)) / (f̂(x) - f̂(q))` with `q = e_j` and `x = q + u` is off by at most `ε = 2τ / |f̂(x) - f̂(q)|`; it is
clipped to `[ε, 1 - ε]`, and the score is `ln(p̂ / (1 - p̂))` (Theorem 6.1 of arXiv 2601.16873, v2 numbering as reported).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from flint import fmpq

from attention_queries.errors import MarginTooSmall
from attention_queries.learners.noisy.asking import NoisyAnswers, experiment_batch
from attention_queries.learners.noisy.certification import (
    Directions,
    Experiment,
    Weight,
    choose_directions,
    entry_weights,
)
from attention_queries.learners.noisy.enclosure import score_bounds
from attention_queries.learners.noisy.interval import Interval
from attention_queries.learners.noisy.oracles import read_tolerance
from attention_queries.learners.noisy.planning import log_of
from attention_queries.learners.noisy.result import Bounds, LearnedIntervals, middle
from attention_queries.oracle import Oracle, QueryCount
from attention_queries.sequences import QueryBatch

METHOD = "paper"


@dataclass(frozen=True)
class PaperEstimate:
    """Estimates of all entries of `W` (d×d), good or bad, and intervals where the theorem's bound is finite."""

    W: tuple[tuple[float, ...], ...]
    intervals: LearnedIntervals


def paper_estimate(oracle: Oracle[Any, Any], tolerance: object) -> PaperEstimate:
    """The paper's estimate from `2d² + d` queries of length at most 2.

    Directions are those of `learn_noisy`, so that only scales and copies differ. Raises `MarginTooSmall` when all
    answers to unit vectors are 0.
    """
    answers = NoisyAnswers(oracle, read_tolerance(tolerance))
    d = oracle.dim
    with oracle.counting(QueryCount()) as learning:
        values = answers.values()
        if not any(values):
            raise MarginTooSmall("the margin is too small: the oracle answers 0 to all unit vectors")
        directions = choose_directions(values)
        experiments = [Experiment(i, j) for j in range(d) for i in range(d)]
        pairs = experiment_batch(experiments, directions, exact=oracle.semantics.exact)
        singles = QueryBatch(pairs.tokens, [((runs[0][0], 1),) for runs in pairs.sequences], pairs.denominator)
        both, alone = answers.many(pairs), answers.many(singles)
    shares = [_share(f, values[e.j], h, answers.tolerance) for e, f, h in zip(experiments, both, alone, strict=True)]
    unit = math.log(2) if oracle.semantics.name == "base2" else 1.0
    estimates, columns = [], []
    for j in range(d):
        column = shares[j * d : (j + 1) * d]
        estimates.append(_entries([score / unit for score, _ in column], directions))
        columns.append([_interval(oracle, w) for w in entry_weights([w for _, w in column], directions)])
    v = tuple(Interval.around(y, answers.tolerance) for y in values)
    W = tuple(zip(*columns, strict=True))
    intervals = LearnedIntervals(
        middle(oracle.semantics, W, v),
        METHOD,
        learning,
        QueryCount(),
        semantics=oracle.semantics,
        W_intervals=W,
        v_intervals=v,
        query_bound=d + 2 * d * d,
    )
    return PaperEstimate(tuple(zip(*estimates, strict=True)), intervals)


def _share(f: fmpq, g: fmpq, h: fmpq, tolerance: fmpq) -> tuple[float, Weight]:
    """The estimated score and the bounds on its exponential."""
    if h == g:
        return 0.0, Weight()
    p, error = (f - g) / (h - g), 2 * tolerance / abs(h - g)
    if error >= fmpq(1, 2):
        return 0.0, Weight()
    clipped = min(max(p, error), 1 - error)
    weight = Weight()
    if error < min(p, 1 - p):
        weight = Weight((p - error) / (1 - p + error), (p + error) / (1 - p - error))
    return log_of(clipped / (1 - clipped)), weight


def _entries(scores: list[float], directions: Directions) -> list[float]:
    pivot = scores[directions.pivot]
    return [s - kind.value * pivot for s, kind in zip(scores, directions.kinds, strict=True)]


def _interval(oracle: Oracle[Any, Any], weight: Weight) -> Bounds:
    if not weight.certified:
        return None
    low, high = score_bounds(oracle.semantics, weight.low, weight.high)
    return None if low is None or high is None or low > high else Interval(low, high)


def sufficient_tolerance(error: float, largest_score: float, margin: float) -> float:
    """A tolerance at which every score up to `largest_score` in size is estimated within `error` and certified.

    `margin` is the least `|⟨v, u⟩|`. With `p = 1 / (1 + e^S)` the theorem's bound is at most `2ε / (p - 2ε)`, and
    `ε = 2τ / (margin - 2τ)`; solved for τ.
    """
    p = 1 / (1 + math.exp(largest_score))
    share_error = error * p / (2 + 2 * error)
    return share_error * margin / (2 + 2 * share_error)
