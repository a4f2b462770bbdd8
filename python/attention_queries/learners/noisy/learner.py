"""Learning one head from answers that are off by at most a tolerance τ, with certified intervals.

Unit vectors give `v` within τ. Experiments, copies of `q + u` and of `q`, give the weight `e^s` of a score between
exact bounds (`certification`); dividing the query token by `n` shrinks the score without shrinking the signal
`⟨v, u⟩`, and copies centre the odds (`planning`). This refines the robustness theorem of arXiv 2601.16873 (Theorem
6.1, v2 numbering as reported), whose fixed scales are in `paper`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from flint import fmpq

from attention_queries.errors import InputError, MarginTooSmall, OracleInconsistent, ToleranceTooLarge
from attention_queries.learners.noisy.asking import NoisyAnswers, check_repetition, experiment_query
from attention_queries.learners.noisy.certification import (
    Directions,
    Experiment,
    Weight,
    choose_directions,
    entry_weights,
    experiment_weight,
)
from attention_queries.learners.noisy.checking import check_on_fresh_queries
from attention_queries.learners.noisy.enclosure import score_bounds
from attention_queries.learners.noisy.interval import Interval, rounded
from attention_queries.learners.noisy.oracles import read_tolerance
from attention_queries.learners.noisy.planning import Plan
from attention_queries.learners.noisy.result import Bounds, LearnedIntervals, check_denominator, middle
from attention_queries.learners.result import Progress
from attention_queries.oracle import Oracle, QueryCount
from attention_queries.semantics.base import Semantics

METHOD = "noisy"
MAX_LENGTH = 64
ROUNDS = 8
_SHRINKING = {"base2": "none", "float": "binary", "exp": "any"}


def learn_noisy(
    oracle: Oracle[Any, Any],
    tolerance: object,
    *,
    max_length: int = MAX_LENGTH,
    rounds: int = ROUNDS,
    repeats: int = 1,
    confidence: object = "999/1000",
    max_denominator: int | None = None,
    seed: int = 0,
    checks: int = 8,
    progress: Progress | None = None,
) -> LearnedIntervals:
    """Intervals that contain every entry of the head behind `oracle`, whose answers are within `tolerance` of it.

    At most `d + rounds · d²` queries, `repeats` times each, none longer than `max_length`, and `checks` fresh ones.
    With `repeats` above 1 the errors must be independent with mean 0, and all intervals are right with probability at
    least `confidence`; otherwise they are certain. In the float semantics the oracle's own rounding counts as error.
    `max_denominator` is a promise about `W` and `v` (1: integers) that makes entries exact where an interval contains a
    single such number; base-2 weights are integers anyhow.

    Raises `MarginTooSmall` when all values may be 0, `ToleranceTooLarge` when no entry of `W` gets an interval, and
    `OracleInconsistent` with the queries that show it when no head is within `tolerance` of the answers.
    """
    tau, sure = read_tolerance(tolerance), read_tolerance(confidence, "confidence")
    _check_options(max_length, rounds, max_denominator)
    check_repetition(repeats, sure)
    most = oracle.dim + rounds * oracle.dim**2 + checks
    answers = NoisyAnswers(oracle, tau, repeats=repeats, confidence=None if repeats == 1 else sure, most=most)
    with oracle.counting(QueryCount()) as learning:
        values = answers.values()
        _check_margin(values, answers.tolerance)
        plan = Plan(max_length, _SHRINKING[oracle.semantics.name])
        search = _Search(oracle.semantics, answers, values, plan)
        search.run(rounds, progress)
    v = tuple(Interval.around(y, answers.tolerance) for y in values)
    W = search.intervals()
    if all(bounds is None for row in W for bounds in row):
        raise ToleranceTooLarge(
            f"no entry of W can be bounded from both sides: the tolerance {rounded(tau, 3)} is too large for values v "
            f"of size {rounded(max(map(abs, values)), 3)}"
        )
    with oracle.fresh_count() as verification:
        check_on_fresh_queries(oracle, answers, W, v, random.Random(seed), checks)
    return LearnedIntervals(
        middle(oracle.semantics, W, v, max_denominator),
        METHOD,
        learning,
        verification,
        _notes(tau, repeats, sure, answers),
        semantics=oracle.semantics,
        W_intervals=W,
        v_intervals=v,
        max_denominator=max_denominator,
        query_bound=repeats * (oracle.dim + rounds * oracle.dim**2),
    )


def _check_options(max_length: int, rounds: int, max_denominator: int | None) -> None:
    if type(max_length) is not int or max_length < 2:
        raise InputError(f"the longest query has at least 2 tokens, not {max_length}")
    if type(rounds) is not int or rounds < 1:
        raise InputError(f"the number of rounds is a positive integer, not {rounds}")
    check_denominator(max_denominator)


def _check_margin(values: Sequence[fmpq], tolerance: fmpq) -> None:
    largest = max(map(abs, values))
    if largest <= tolerance:
        raise MarginTooSmall(
            f"the margin is too small: no value is larger than the tolerance ({rounded(largest, 3)} against "
            f"{rounded(tolerance, 3)}), so v may be 0, and then every W gives the same answers"
        )


def _notes(tau: fmpq, repeats: int, confidence: fmpq, answers: NoisyAnswers) -> tuple[str, ...]:
    if repeats == 1:
        return (f"intervals are certain for errors up to {rounded(tau, 3)}",)
    return (
        f"averages of {repeats} answers are within {rounded(answers.tolerance, 3)}, all together with probability at "
        f"least {rounded(confidence, 6)}, if errors are independent with mean 0 and at most {rounded(tau, 3)}",
    )


class _Search:
    """The state of learning `W`: for every entry the bounds so far, and what they rest on."""

    def __init__(
        self, semantics: Semantics[Any, Any], answers: NoisyAnswers, values: Sequence[fmpq], plan: Plan
    ) -> None:
        self._semantics = semantics
        self._answers = answers
        self._values = values
        self._plan = plan
        self._directions: Directions = choose_directions(values)
        d = len(values)
        self._weights = [[Weight() for _ in range(d)] for _ in range(d)]
        self._history: dict[tuple[int, int], list[tuple[Experiment, fmpq]]] = {}

    def run(self, rounds: int, progress: Progress | None) -> None:
        """Do experiments, one a round for each entry that can still gain."""
        d = len(self._values)
        current = [Experiment(i, j) for j in range(d) for i in range(d)]
        for done in range(rounds):
            answers = self._answers.experiments(current, self._directions)
            for experiment, answer in zip(current, answers, strict=True):
                self._learn(experiment, answer)
            current = [e for e in map(self._next, current) if e is not None] if done + 1 < rounds else []
            if progress is not None:
                progress(done + 1 if current else rounds, rounds)
            if not current:
                return

    def _learn(self, e: Experiment, answer: fmpq) -> None:
        """Intersect the bounds on one score with those that an answer gives."""
        kind, slope = self._directions.kinds[e.i], self._directions.slopes[e.i]
        new = experiment_weight(e, answer, self._values[e.j], slope, kind, self._answers.tolerance)
        history = self._history.setdefault((e.i, e.j), [])
        history.append((e, answer))
        both = self._weights[e.i][e.j] & new
        if both.empty or self._no_integer(both):
            raise self._inconsistent([(e, answer)] if new.empty else history)
        self._weights[e.i][e.j] = both

    def _no_integer(self, weight: Weight) -> bool:
        if self._semantics.name != "base2" or not weight.certified:
            return False
        low, high = score_bounds(self._semantics, weight.low, weight.high)
        return low is not None and high is not None and bool(low > high)

    def _inconsistent(self, evidence: Sequence[tuple[Experiment, fmpq]]) -> OracleInconsistent:
        exact = self._semantics.exact
        queries = tuple(experiment_query(e, self._directions, exact=exact) for e, _ in evidence)
        listed = ", ".join(f"{rounded(a, 12)} to {q}" for q, (_, a) in zip(queries, evidence, strict=True))
        return OracleInconsistent(
            f"no head answers single unit vectors as the oracle did and gives answers within "
            f"{rounded(self._answers.tolerance, 3)} of {listed}",
            queries,
            tuple(a for _, a in evidence),
        )

    def _next(self, e: Experiment) -> Experiment | None:
        weight = self._weights[e.i][e.j]
        if self._semantics.name == "base2" and weight.certified:
            low, high = score_bounds(self._semantics, weight.low, weight.high)
            if low == high:
                return None
        tau = self._answers.tolerance
        slope, kind = self._directions.slopes[e.i], self._directions.kinds[e.i]
        following = self._plan.next(e, weight, slope, kind.weight * tau, tau)
        done = [old for old, _ in self._history[e.i, e.j]]
        return None if following is None or following in done else following

    def intervals(self) -> tuple[tuple[Bounds, ...], ...]:
        """The intervals for the entries of `W`; raises `OracleInconsistent` when one is empty."""
        columns = [entry_weights(column, self._directions) for column in zip(*self._weights, strict=True)]
        return tuple(
            tuple(self._interval(i, j, weight) for j, weight in enumerate(row))
            for i, row in enumerate(zip(*columns, strict=True))
        )

    def _interval(self, i: int, j: int, weight: Weight) -> Bounds:
        if not (weight.certified or weight.empty):
            return None
        low, high = score_bounds(self._semantics, weight.low, weight.high)
        assert low is not None
        assert high is not None
        if weight.empty or low > high:
            raise self._inconsistent(self._history[i, j] + self._history[self._directions.pivot, j])
        return Interval(low, high)
