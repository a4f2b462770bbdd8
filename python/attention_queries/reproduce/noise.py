"""Rows about imperfect answers: noise with certified intervals, one-bit answers, and several heads under noise."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy as np
from flint import fmpq

from attention_queries.errors import LearningError, MarginTooSmall, OracleInconsistent, ToleranceTooLarge
from attention_queries.generate import random_target
from attention_queries.learners.membership import ModelThreshold, learn_membership
from attention_queries.learners.membership.integers import query_bound
from attention_queries.learners.noisy import LearnedIntervals, NoisyOracle, learn_noisy
from attention_queries.learners.noisy.learner import ROUNDS
from attention_queries.learners.noisy.paper import PaperEstimate, paper_estimate, sufficient_tolerance
from attention_queries.models import AttentionModel, Head
from attention_queries.reproduce.noise_figure import Curve, draw
from attention_queries.reproduce.row import Context, DataTable, Outcome, Row
from attention_queries.semantics import Base2, ExpField

FIGURE = "noise.svg"
SCALES = (1, 3, 6)
TAUS = tuple(range(2, 11))
MAX_LENGTH = 64
_GRAIN = 1 << 20


def gaussian_head(rng: random.Random, d: int, scale: float) -> AttentionModel[Any, Any]:
    """A head of true softmax with entries of `W` from N(0, scale²) and of `v` from N(0, 1), rounded to fractions."""

    def draw_entry(deviation: float) -> fmpq:
        return fmpq(round(rng.gauss(0, deviation) * _GRAIN), _GRAIN)

    W = [[draw_entry(scale) for _ in range(d)] for _ in range(d)]
    v = [draw_entry(1) for _ in range(d)]
    return AttentionModel(ExpField(), d, [Head(W, v)])


@dataclass
class Group:
    """What runs at one weight scale and one tolerance gave, for the learner and for the paper's estimator."""

    scale: int
    digits: int
    runs: int = 0
    entries: int = 0
    certified: dict[str, int] = field(default_factory=lambda: {"ours": 0, "paper": 0})
    widths: dict[str, list[float]] = field(default_factory=lambda: {"ours": [], "paper": []})
    errors: dict[str, list[float]] = field(default_factory=lambda: {"ours": [], "paper": []})
    violations: int = 0
    queries: int = 0
    bound: int = 0
    refused: int = 0

    def run(self, rng: random.Random, d: int) -> None:
        """One head, adversarial rounding, both methods."""
        target = gaussian_head(rng, d, self.scale)
        (head,) = target.heads
        tau, seed = fmpq(1, 10**self.digits), rng.randrange(1 << 30)
        noise: Any = rng.choice(("rounding", "extreme"))
        self.runs += 1
        self.entries += d * d
        oracle = NoisyOracle(target, tau, noise=noise, seed=seed)
        try:
            learned = learn_noisy(oracle, tau, max_length=MAX_LENGTH, seed=seed)
        except (MarginTooSmall, ToleranceTooLarge):
            self.refused += 1
        else:
            self.queries += learned.learning.queries
            self.bound += d + ROUNDS * d * d
            self._add("ours", learned, head, None)
        try:
            paper = paper_estimate(NoisyOracle(target, tau, noise=noise, seed=seed), tau)
        except MarginTooSmall:
            return
        self._add("paper", paper.intervals, head, paper)

    def _add(self, method: str, learned: LearnedIntervals, head: Head[Any, Any], paper: PaperEstimate | None) -> None:
        self.violations += learned.violations(head)
        for i, row in enumerate(learned.W_intervals):
            for j, bounds in enumerate(row):
                if bounds is not None:
                    self.certified[method] += 1
                    self.widths[method].append(float(bounds.width))
                if paper is not None:
                    self.errors[method].append(abs(paper.W[i][j] - float(head.W[i][j])))
                elif bounds is not None:
                    self.errors[method].append(abs(float(bounds.midpoint - head.W[i][j])))

    def row(self) -> tuple[int | float | str, ...]:
        """The group as a row of the table."""
        ours, paper = (f"{self.certified[m] / max(self.entries, 1):.1%}" for m in ("ours", "paper"))
        return (
            f"N(0, {self.scale}²)",
            f"1e-{self.digits}",
            self.runs,
            ours,
            paper,
            *(_short(median, x) for x in (self.widths["ours"], self.widths["paper"])),
            *(_short(median, x) for x in (self.errors["ours"], self.errors["paper"])),
            *(_short(max, x) for x in (self.errors["ours"], self.errors["paper"])),
            self.violations,
        )


def _short(summary: Any, numbers: Sequence[float]) -> str:
    return f"{summary(numbers):.1e}" if numbers else "none"


HEADINGS = (
    "W",
    "tolerance",
    "runs",
    "certified",
    "certified, paper",
    "median width",
    "median width, paper",
    "median error",
    "median error, paper",
    "largest error of a certified entry",
    "largest error, paper",
    "violations",
)


def noise_groups(seed: int, runs: int, track: Any = lambda items, total: items) -> list[Group]:
    """`runs` runs for every weight scale and tolerance, with dimensions 1 to 12 in turn."""
    groups = [Group(scale, digits) for scale in SCALES for digits in TAUS]
    work = [(group, run) for group in groups for run in range(runs)]
    for number, (group, run) in enumerate(track(work, len(work))):
        group.run(random.Random(f"{seed}/{group.scale}/{group.digits}/{run}"), 1 + number % 12)
    return groups


def noise_table(groups: Sequence[Group]) -> DataTable:
    """The comparison of both methods."""
    return DataTable(
        "Certified intervals for W from answers off by at most the tolerance, against the paper's estimator "
        f"(queries of length at most {MAX_LENGTH} and 2)",
        HEADINGS,
        tuple(group.row() for group in groups),
    )


def _intervals(context: Context) -> Outcome:
    groups = noise_groups(context.seed, 2 if context.quick else 5, context.track)
    curves = [
        Curve(scale, *(_series(groups, scale, kind, m) for kind in ("errors", "widths") for m in ("ours", "paper")))
        for scale in SCALES
    ]
    draw(curves, context.out / FIGURE)
    violations = sum(group.violations for group in groups)
    return Outcome(
        sum(group.runs for group in groups),
        sum(group.queries for group in groups),
        sum(group.bound for group in groups),
        violations == 0,
        {"violations": violations, "refused": sum(group.refused for group in groups), "figure": FIGURE},
        (noise_table(groups), _sufficient(), _several_heads(context)),
    )


def _series(groups: Sequence[Group], scale: int, kind: str, method: str) -> list[tuple[float, float]]:
    """Pairs (tolerance, median)."""
    return [
        (10.0**-group.digits, median(numbers))
        for group in groups
        if group.scale == scale and (numbers := getattr(group, kind)[method])
    ]


def _sufficient() -> DataTable:
    rows = [
        (score, *(f"{sufficient_tolerance(error, score, 1):.1e}" for error in (0.1, 0.01, 0.001)))
        for score in (1, 3, 6, 12, 24)
    ]
    return DataTable(
        "Tolerance that suffices for the paper's estimator, with |⟨v, u⟩| ≥ 1, by largest score and wanted error",
        ("largest score", "0.1", "0.01", "0.001"),
        tuple(rows),
    )


def _large_scores(context: Context) -> Outcome:
    """At d = 16, W from N(0, 36), τ = 1e-6 and length 256, where the paper's estimator leaves entries open."""
    tau, d, exact = fmpq(1, 10**6), 16, True
    queries = bound = cases = 0
    largest, uncertified = [], []
    for case in context.track(range(1 if context.quick else 3), 1 if context.quick else 3):
        target = gaussian_head(random.Random(f"{context.seed}/large/{case}"), d, 6)
        (head,) = target.heads
        learned = learn_noisy(NoisyOracle(target, tau, seed=case), tau, max_length=256)
        paper = paper_estimate(NoisyOracle(target, tau, seed=case), tau)
        queries += learned.learning.queries
        bound += d + ROUNDS * d * d
        cases += 1
        largest.append(_largest_error(learned, head))
        uncertified.append(d * d + d - paper.intervals.certified)
        exact &= learned.certified == d * d + d and learned.violations(head) == 0 and largest[-1] <= 5e-5
        exact &= uncertified[-1] > 0 and paper.intervals.violations(head) == 0 and learned.learning.longest <= 256
    details = {"largest error": largest, "uncertified by the paper's estimator": uncertified}
    return Outcome(cases, queries, bound, exact, details)


def _largest_error(learned: LearnedIntervals, head: Head[Any, Any]) -> float:
    pairs = zip(learned.entries[: -learned.dim], [x for row in head.W for x in row], strict=True)
    return max(math.inf if b is None else abs(float(b.midpoint - x)) for b, x in pairs)


def _integers(context: Context) -> Outcome:
    exact = True
    queries = bound = determined = entries = 0
    cases = range(20 if context.quick else 60)
    for case in context.track(cases, len(cases)):
        d, digits = 1 + case % 8, 2 + case % 9
        target: AttentionModel[Any, Any] = random_target(Base2(), d, low=-8, high=8, seed=context.seed + case)
        tau = fmpq(1, 10**digits)
        try:
            learned = learn_noisy(
                NoisyOracle(target, tau, noise="extreme", seed=case), tau, max_length=256, max_denominator=1, seed=case
            )
        except (MarginTooSmall, ToleranceTooLarge):
            exact = False
            continue
        queries += learned.learning.queries
        bound += d + ROUNDS * d * d
        determined += learned.determined
        entries += d * d + d
        exact &= learned.violations(target.heads[0]) == 0 and learned.model in (None, target)
    return Outcome(len(cases), queries, bound, exact, {"entries": entries, "determined": determined})


def _inconsistent(context: Context) -> Outcome:
    """Oracles that are no head within the tolerance: their errors are a thousand times as large as stated."""
    cases, noticed, exact = range(10 if context.quick else 30), 0, True
    for case in context.track(cases, len(cases)):
        target: AttentionModel[Any, Any] = random_target(ExpField(), 2 + case % 3, seed=context.seed + case)
        oracle = NoisyOracle(target, "1/100", noise="extreme", seed=case)
        try:
            learn_noisy(oracle, "1/100000", seed=case)
        except OracleInconsistent as error:
            noticed += 1
            exact &= len(error.queries) > 0
        except LearningError:
            exact = False
    return Outcome(len(cases), 0, 0, exact and noticed == len(cases), {"noticed": noticed})


THRESHOLDS = (fmpq(1), fmpq(-3, 2), fmpq(7, 3), fmpq(20), fmpq(-1, 100))


def _membership(context: Context) -> Outcome:
    exact = True
    queries = bound = 0
    table: dict[int, list[int]] = {}
    cases = range(40 if context.quick else 200)
    for case in context.track(cases, len(cases)):
        d, theta = 1 + case % 6, THRESHOLDS[case % 5]
        target: AttentionModel[Any, Any] = random_target(Base2(), d, low=-8, high=8, seed=context.seed + case)
        learned = learn_membership(ModelThreshold(target, theta), theta, bound=8, checks=2, seed=case)
        queries += learned.learning.queries
        bound += query_bound(d, 8)
        exact &= learned.model == target
        table.setdefault(d, []).append(learned.learning.queries)
    rows = [(d, len(counts), max(counts), query_bound(d, 8)) for d, counts in sorted(table.items())]
    headings = ("d", "targets", "most queries", "d·L(8) + d²·L(16)")
    return Outcome(
        len(cases), queries, bound, exact, {}, (DataTable("One-bit answers, integers up to 8", headings, tuple(rows)),)
    )


def _membership_reals(context: Context) -> Outcome:
    exact = True
    queries = bound = 0
    rows = []
    digits = (2, 4) if context.quick else (2, 4, 6)
    work = [(k, case) for k in digits for case in range(2 if context.quick else 4)]
    for k, case in context.track(work, len(work)):
        d, theta = 1 + case, THRESHOLDS[case]
        target = gaussian_head(random.Random(f"{context.seed}/bits/{case}"), d, 3)
        learned = learn_membership(
            ModelThreshold(target, theta), theta, bound=16, precision=fmpq(1, 10**k), checks=2, seed=case
        )
        exact &= learned.certified == d * d + d and learned.violations(target.heads[0]) == 0
        queries += learned.learning.queries
        bound += learned.query_bound
        rows.append((d, f"1e-{k}", learned.learning.queries, learned.query_bound, f"{float(learned.widest or 0):.1e}"))
    table = DataTable(
        "One-bit answers, real weights: queries grow like (d² + d) log(1/ε)",
        ("d", "precision ε", "queries", "formula", "widest interval of W"),
        tuple(sorted(rows)),
    )
    return Outcome(len(work), queries, bound, exact, {}, (table,))


def pole_error(rng: np.random.Generator, H: int, tau: float) -> float:
    """The largest error of a score, when `Σ b_h / (1 + ρ e^(-s_h))` is fitted to 4H values with errors up to `tau`.

    Least squares for the coefficients of the rational function, columns normalised; floating point throughout.
    """
    scores = np.sort(rng.uniform(-2, 2, H))
    rho = np.exp(np.linspace(-2.5, 2.5, 4 * H))
    values = (rng.standard_normal(H) / (1 + np.outer(rho, np.exp(-scores)))).sum(1)
    values += tau * rng.uniform(-1, 1, 4 * H)
    powers = np.vander(rho, H + 1, increasing=True)
    system = np.hstack([powers[:, :H], -values[:, None] * powers])
    norms = np.linalg.norm(system, axis=0)
    denominator = (np.linalg.svd(system / norms)[2][-1] / norms)[H:]
    roots = np.roots(denominator[::-1])
    if len(roots) != H or not np.all(np.isfinite(roots)) or np.any(roots == 0):
        return math.inf
    return float(np.abs(np.sort(np.log(np.abs(roots))) - scores).max())


def _several_heads(context: Context) -> DataTable:
    trials, digits = (10 if context.quick else 50), (4, 6, 8, 10, 12)
    rows: list[tuple[int | float | str, ...]] = []
    for H in (1, 2, 3, 4):
        cells = []
        for k in digits:
            rng = np.random.default_rng([context.seed, H, k])
            cells.append(f"{median(pole_error(rng, H, 10.0**-k) for _ in range(trials)):.1e}")
        rows.append((H, *cells))
    return DataTable(
        "Several heads under noise, measured only (no theorem): median error of one direction's scores, by tolerance",
        ("heads", *(f"1e-{k}" for k in digits)),
        tuple(rows),
    )


NOISY = "attention_queries.learners.noisy.learn_noisy"
MEMBERSHIP = "attention_queries.learners.membership.learn_membership"

ROWS = (
    Row(
        "noisy",
        "answers off by at most τ: every certified interval contains its entry",
        ("AttentionQueries.Results.noisy_learner_sound", "AttentionQueries.Results.noisy_learner_scores"),
        NOISY,
        _intervals,
    ),
    Row(
        "noisy-large",
        "d = 16, W from N(0, 36), τ = 1e-6, length ≤ 256: all entries certified, errors ≤ 5e-5",
        ("AttentionQueries.Results.noisy_learner_scores",),
        NOISY,
        _large_scores,
    ),
    Row(
        "noisy-integers",
        "the same in base 2: what is determined is exact",
        ("AttentionQueries.Results.noisy_learner_integer", "AttentionQueries.base2_learnNoisy_interval"),
        NOISY,
        _integers,
    ),
    Row(
        "noisy-inconsistent",
        "answers that no head within τ gives are noticed, with the queries that show it",
        ("AttentionQueries.Results.noisy_learner_contradictory",),
        NOISY,
        _inconsistent,
    ),
    Row(
        "membership",
        "one-bit answers, integers of known bound: exact (base 2)",
        ("AttentionQueries.Results.membership_learner", "AttentionQueries.Results.membership_learner_count"),
        MEMBERSHIP,
        _membership,
    ),
    Row(
        "membership-intervals",
        "one-bit answers, real weights: certified intervals",
        ("AttentionQueries.Results.one_bit", "AttentionQueries.Semantics.eval_copies_lt_iff"),
        MEMBERSHIP,
        _membership_reals,
    ),
)
