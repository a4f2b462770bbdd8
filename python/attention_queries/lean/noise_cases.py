"""Cases of answers that are noisy or bits: what Python concludes from them, for Lean to conclude as well."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from flint import fmpq

from attention_queries.errors import LeanError, NotIdentifiable
from attention_queries.lean.cases import IntHead, IntModel
from attention_queries.learners.membership.learner import learn_membership
from attention_queries.learners.membership.oracle import ModelThreshold
from attention_queries.learners.noisy.asking import experiment_query
from attention_queries.learners.noisy.certification import (
    Directions,
    Experiment,
    Kind,
    Weight,
    choose_directions,
    entry_weights,
    experiment_weight,
)
from attention_queries.learners.noisy.learner import learn_noisy
from attention_queries.learners.noisy.oracles import NoisyOracle
from attention_queries.learners.noisy.result import LearnedIntervals
from attention_queries.models import AttentionModel, Head
from attention_queries.semantics.base2 import Base2
from attention_queries.sequences import Query, Token
from attention_queries.transcript import Entry, Transcript

_BASE2 = Base2()


@dataclass(frozen=True)
class WeightCase:
    """One experiment, with the answer at `e_j` and the slope `⟨v, u_i⟩`, both as known."""

    experiment: Experiment
    kind: Kind
    tolerance: fmpq
    value: fmpq
    slope: fmpq
    answer: fmpq

    @property
    def weight(self) -> Weight:
        """The bounds that Python finds."""
        return experiment_weight(self.experiment, self.answer, self.value, self.slope, self.kind, self.tolerance)


def weight_cases() -> Iterator[WeightCase]:
    """Shares below 0 and above 1 among them, with every tolerance, so that bounds may be missing or contradict."""
    rng = random.Random("noise")
    for _ in range(60):
        tau = fmpq(rng.choice((0, 1, 1, 3)), rng.choice((10, 50)))
        experiment = Experiment(0, 0, rng.randint(1, 4), rng.randint(1, 4), rng.randint(1, 3))
        value, slope, kind = fmpq(rng.randint(-9, 9), 4), fmpq(rng.randint(-12, 12), 8), rng.choice(list(Kind))
        share = fmpq(rng.randint(0, 10), 9)
        yield WeightCase(experiment, kind, tau, value, slope, value / experiment.n + share * slope)


@dataclass(frozen=True)
class ColumnCase:
    """The answers to the unit vectors, and for each direction the experiments for column `j` with their answers."""

    tolerance: fmpq
    values: tuple[fmpq, ...]
    j: int
    experiments: tuple[tuple[tuple[Experiment, fmpq], ...], ...]

    @property
    def directions(self) -> Directions:
        """The directions that Python chooses."""
        return choose_directions(self.values)

    @property
    def weights(self) -> list[Weight]:
        """The bounds on the weights of the entries of the column that Python finds."""
        known, scores = self.directions, []
        for i, done in enumerate(self.experiments):
            score = Weight()
            for experiment, answer in done:
                score &= experiment_weight(
                    experiment, answer, self.values[self.j], known.slopes[i], known.kinds[i], self.tolerance
                )
            scores.append(score)
        return entry_weights(scores, known)


def column_cases() -> Iterator[ColumnCase]:
    """Columns of two or three entries, with none to two experiments for each of them."""
    rng = random.Random("columns")
    for _ in range(28):
        dim = rng.randint(2, 3)
        values = tuple(fmpq(rng.choice((-1, 1)) * rng.randint(1, 9), 4) for _ in range(dim))
        known, j = choose_directions(values), rng.randrange(dim)
        experiments = []
        for i in range(dim):
            done = []
            for _ in range(rng.choice((0, 1, 1, 2, 2))):
                e = Experiment(i, j, rng.randint(1, 3), rng.randint(1, 3), rng.randint(1, 2))
                # Odds between 1/2 and 2 at the most frequent numbers of copies: bounds of the same score overlap.
                share = fmpq(e.k * 3, e.k * 3 + e.m * rng.randint(2, 4))
                done.append((e, values[j] / e.n + share * known.slopes[i]))
            experiments.append(tuple(done))
        case = ColumnCase(fmpq(rng.choice((0, 1, 2)), 40), values, j, tuple(experiments))
        if not any(weight.empty for weight in case.weights):
            yield case


@dataclass(frozen=True)
class NoisyRun:
    """A run of the learner from noisy answers: what it asked, entry by entry in the order of `W`, and reported."""

    model: IntModel
    tolerance: fmpq
    rounds: int
    schedule: tuple[tuple[tuple[tuple[int, int], ...], ...], ...]
    entries: tuple[Entry[int, fmpq], ...]
    result: LearnedIntervals


def noisy_run(model: IntModel, tolerance: fmpq, rounds: int) -> NoisyRun:
    """Let the Python learner ask `model`, and put its queries into the order of the Lean program."""
    d, transcript = model.dim, Transcript(_BASE2, model.dim)
    oracle = NoisyOracle(model, tolerance, noise="extreme")
    oracle.sink = transcript
    result = learn_noisy(oracle, tolerance, rounds=rounds, max_length=8)
    asked = [entry for entry in transcript.entries if not entry.check]
    directions = choose_directions([entry.answer for entry in asked[:d]])
    cells = [(i, j) for i in range(d) for j in range(d)]
    places = {_tokens(experiment_query(Experiment(*cell), directions, exact=True)): cell for cell in cells}
    made: list[list[list[Entry[int, fmpq]]]] = [[[] for _ in range(d)] for _ in range(d)]
    for entry in asked[d:]:
        i, j = places[_tokens(entry.query)]
        made[i][j].append(entry)
    schedule = tuple(tuple(tuple(_copies(entry) for entry in cell) for cell in row) for row in made)
    by_row = [entry for row in made for cell in row for entry in cell]
    return NoisyRun(model, tolerance, rounds, schedule, (*asked[:d], *by_row), result)


def _tokens(query: Query[int]) -> tuple[Token[int], ...]:
    return tuple(token for token, _ in query.runs)


def _copies(entry: Entry[int, fmpq]) -> tuple[int, int]:
    (_, k), (_, m) = entry.query.runs
    return k, m


def noisy_runs() -> Iterator[NoisyRun]:
    """Runs with one and with two experiments an entry, on heads with small and with negative values."""
    heads = (
        Head([[2]], [fmpq(-1)]),
        Head([[1, -2], [0, 3]], [fmpq(1), fmpq(1, 4)]),
        Head([[-1, 0], [2, 1]], [fmpq(-1, 3), fmpq(2)]),
    )
    for head, tolerance, rounds in zip(heads, (fmpq(1, 20), fmpq(1, 100), fmpq(1, 25)), (2, 1, 2), strict=True):
        yield noisy_run(AttentionModel(_BASE2, head.dim, [head]), tolerance, rounds)


@dataclass(frozen=True)
class BitsRun:
    """A run of the learner from one-bit answers: the head found, or None for a zero `v`, and how much was asked."""

    model: IntModel
    threshold: fmpq
    bound: int
    found: IntHead | None
    queries: int


def bits_run(model: IntModel, threshold: fmpq, bound: int) -> BitsRun:
    """Let the Python learner ask whether the outputs of `model` exceed the threshold."""
    transcript, oracle = Transcript(_BASE2, model.dim), ModelThreshold(model, threshold)
    oracle.sink = transcript
    found: IntHead | None = None
    try:
        result = learn_membership(oracle, threshold, bound=bound, checks=1)
    except NotIdentifiable:
        pass
    else:
        if result.model is None or result.model != model:
            raise LeanError(f"the learner from one-bit answers found {result.model}, but asked {model}")
        (found,) = result.model.heads
    return BitsRun(model, threshold, bound, found, sum(not entry.check for entry in transcript.entries))


def bits_runs() -> Iterator[BitsRun]:
    """Runs in dimensions one and two, with thresholds of both signs, zeros in `v`, and `v = 0`."""
    # Small thresholds and bounds, because Lean's oracle goes through the copies of a token one by one.
    data = (
        ([[1]], [-1], fmpq(1), 1),
        ([[-1]], [1], fmpq(-2, 3), 1),
        ([[1]], [-2], fmpq(1), 2),
        ([[0]], [1], fmpq(2), 1),
        ([[1]], [0], fmpq(1), 2),
        ([[1, -1], [0, 1]], [1, -1], fmpq(1), 1),
        ([[1, 0], [0, -1]], [1, 1], fmpq(1, 2), 1),
        ([[0, 1], [-1, 1]], [0, 1], fmpq(-1, 2), 1),
        ([[1, 1], [0, -1]], [0, 0], fmpq(-1), 1),
    )
    for W, v, threshold, bound in data:
        yield bits_run(AttentionModel(_BASE2, len(v), [Head(W, [fmpq(x) for x in v])]), threshold, bound)
