"""Rows about one-layer transformers with a ReLU network: exact learning, the reduction by negation, refusals."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from flint import fmpq

from attention_queries.errors import LearningError, NotATransformer, NotIdentifiable
from attention_queries.generate import random_transformer
from attention_queries.learners.ffn import KnownNetwork, NetworkOracle, learn_ffn
from attention_queries.learners.ffn.learner import grid_points
from attention_queries.learners.transformer import learn_by_negation, learn_transformer
from attention_queries.models import Head
from attention_queries.oracle import ModelOracle
from attention_queries.reproduce.row import Context, DataTable, Outcome, Row
from attention_queries.semantics import Base2, ExpField
from attention_queries.transformer import ReluNetwork, Transformer

DIMS = (1, 2, 3, 4, 5, 6)
KINDS = {
    "with biases": "random neurons",
    "without biases": "all hyperplanes through the origin, no constant",
    "no linear part": "flat wherever all neurons are off",
    "parallel": "two neurons with parallel hyperplanes",
    "tent": "three neurons that cancel outside a slab",
}
_KINKS, _RATES = (-5, -3, -2, -1, 1, 2, 4), (1, 2, 3)


def random_network(rng: random.Random, kind: str, dim: int, hidden: int) -> ReluNetwork:
    """A random network of one of the `KINDS`; the number of neurons is raised where the kind needs more."""
    no_bias = kind == "without biases"

    def weights() -> list[int]:
        return next(w for w in iter(lambda: [rng.randint(-3, 3) for _ in range(dim)], None) if any(w))

    def neuron() -> tuple[fmpq, list[int], int]:
        return fmpq(rng.choice(_KINKS), rng.choice(_RATES)), weights(), 0 if no_bias else rng.randint(-5, 5)

    neurons = [neuron() for _ in range(max(hidden, {"parallel": 2, "tent": 3}.get(kind, 0)))]
    if kind == "parallel":
        neurons[1] = (neurons[1][0], neurons[0][1], neurons[0][2] + 1)
    if kind == "tent":
        a, w, _ = neurons[0]
        c = rng.randint(-4, 4)
        neurons[:3] = [(a, w, c + 1), (-2 * a, w, c), (a, w, c - 1)]
    linear = [0 if kind == "no linear part" else rng.randint(-2, 2) for _ in range(dim)]
    return ReluNetwork(neurons, linear, 0 if no_bias else rng.randint(-3, 3))


def targets(seed: int, per_cell: int) -> Iterator[tuple[str, int, Transformer[Any, Any]]]:
    """For every kind and dimension, `per_cell` transformers with up to 6 neurons, in both exact semantics in turn."""
    for kind in KINDS:
        for d in DIMS:
            for n in range(per_cell):
                rng = random.Random(f"{seed} {kind} {d} {n}")
                network = random_network(rng, kind, d, n % 7)
                exp = n % 2 == 1
                W = [[fmpq(rng.randint(-4, 4), 2 if exp else 1) for _ in range(d)] for _ in range(d)]
                yield kind, d, Transformer(ExpField() if exp else Base2(), W, network)


@dataclass
class _Tally:
    runs: int = 0
    exact: int = 0
    reported: int = 0
    wrong: int = 0
    parameters: int = 0
    queries: list[int] = field(default_factory=list)
    for_scores: int = 0
    squares: int = 0
    ambiguous: int = 0
    seconds: float = 0.0


def _random_targets(context: Context) -> Outcome:
    per_cell = 2 if context.quick else 10
    total = len(KINDS) * len(DIMS) * per_cell
    tallies = measure(context.track(targets(context.seed, per_cell), total))
    wrong = sum(t.wrong for t in tallies.values())
    ambiguous = sum(t.ambiguous for t in tallies.values())
    queries = sum(t.for_scores for t in tallies.values())
    bound = sum(t.squares for t in tallies.values())
    details = {"runs with an ambiguous score, not counted": ambiguous}
    exact = wrong == 0 and 10 * ambiguous <= total
    return Outcome(total, queries, bound, exact, details, (table(tallies),))


def measure(cases: Iterable[tuple[str, int, Transformer[Any, Any]]]) -> dict[tuple[str, int], _Tally]:
    """Run the learner on targets, grouped by kind and dimension."""
    tallies: dict[tuple[str, int], _Tally] = {}
    for kind, d, target in cases:
        _run(tallies.setdefault((kind, d), _Tally()), target)
    return tallies


def table(tallies: dict[tuple[str, int], _Tally]) -> DataTable:
    """The table of query counts and times."""
    rows = tuple(
        (
            kind,
            d,
            t.runs,
            t.exact,
            t.reported,
            t.wrong,
            f"{t.parameters / t.runs:.0f}",
            f"{sum(t.queries) / max(len(t.queries), 1):.0f}",
            max(t.queries, default=0),
            t.ambiguous,
            f"{1000 * t.seconds / t.runs:.0f}",
        )
        for (kind, d), t in tallies.items()
    )
    headings = (
        "network", "d", "targets", "exact", "reported", "wrong", "parameters", "queries", "most", "ambiguous", "ms"
    )  # fmt: skip
    title = (
        f"Transformers with up to 6 neurons, base 2 and exp in turn; {grid_points()} of the queries of every run, and "
        "of every repetition after a tent, look for neurons that cancel; d² are for W, more when a score is ambiguous. "
        "Reported: constant networks, whose W no query shows. For context: queries and time polynomial in all "
        "parameters are known for low square loss on any network (arXiv 2111.04727) and for exact recovery in general "
        "position (Daniely and Granot, ICLR 2023)"
    )
    return DataTable(title, headings, rows)


def _run(tally: _Tally, target: Transformer[Any, Any]) -> None:
    start = time.perf_counter()
    tally.runs += 1
    tally.parameters += target.canonical().parameters
    oracle = ModelOracle(target)
    for_network = 0

    def network_learner(network_oracle: NetworkOracle, *, seed: int = 0) -> ReluNetwork:
        nonlocal for_network
        network = learn_ffn(network_oracle, seed=seed)
        for_network = oracle.count.queries
        return network

    try:
        learned = learn_transformer(oracle, seed=tally.runs, network_learner=network_learner)
    except NotIdentifiable:
        tally.reported += target.network.is_constant
        tally.wrong += not target.network.is_constant
    except LearningError:
        tally.reported += 1
    else:
        exact = learned.model == target.canonical()
        tally.exact += exact
        tally.wrong += not exact
        tally.queries.append(learned.learning.queries)
        for_scores = learned.learning.queries - for_network
        # A query may leave several scores possible; then other numbers of copies are asked.
        if for_scores > target.dim**2:
            tally.ambiguous += 1
        else:
            tally.for_scores += for_scores
            tally.squares += target.dim**2
    tally.seconds += time.perf_counter() - start


def _networks(context: Context) -> Outcome:
    """The network learner alone, without the grid, on networks whose neurons do not cancel."""
    sizes = [(d, m) for d in (2, 4, 8, 16) for m in (1, 2, 4, 8, 16)]
    queries = bound = 0
    exact = True
    rows: list[tuple[int | float | str, ...]] = []
    for d, m in context.track(sizes, len(sizes)):
        oracle = KnownNetwork(random_network(random.Random(f"{context.seed} {d} {m}"), "with biases", d, m))
        form = oracle.network.canonical()
        exact &= learn_ffn(oracle, seed=context.seed, cells=0) == form
        queries += oracle.queries
        bound += 4 * form.parameters + 32
        rows.append((d, len(form.hidden), form.parameters, oracle.queries, f"{oracle.queries / form.parameters:.2f}"))
    title = "The network learner alone, without the grid against tents: queries against parameters (m + 1)(d + 1)"
    headings = ("d", "m", "parameters", "queries", "queries / parameters")
    return Outcome(len(sizes), queries, bound, exact, {}, (DataTable(title, headings, tuple(rows)),))


def _negation(context: Context) -> Outcome:
    dims = [d for d in range(1, 9) for _ in range(4 if context.quick else 8)]
    queries = bound = 0
    exact = True
    for seed, d in context.track(enumerate(dims, context.seed), len(dims)):
        semantics: Any = ExpField() if seed % 2 else Base2()
        target = random_transformer(semantics, d, hidden=seed % 7, biases=False, seed=seed)
        g = target.network
        slope = [sum((n.a * n.w[i] for n in g.hidden), 2 * g.linear[i]) for i in range(d)]
        bound += 2 * (d * d + d)
        try:
            learned = learn_by_negation(ModelOracle(target), seed=seed)
        except NotIdentifiable:
            exact &= not any(slope)
            continue
        queries += learned.learning.queries
        exact &= learned.model.heads == (Head(target.W, [semantics.value(x) for x in slope]),)
        exact &= learned.learning.queries == 2 * (d * d + d)
    return Outcome(len(dims), queries, bound, exact)


def _negation_refused(context: Context) -> Outcome:
    """Biases, and a slope of 0: the reduction says which condition fails, and the general learner succeeds."""
    exact = True
    dims = list(range(1, 7))
    for d in context.track(dims, len(dims)):
        rng = random.Random(context.seed + d)
        W = [[rng.randint(-3, 3) for _ in range(d)] for _ in range(d)]
        w = [rng.choice((-2, -1, 1, 2)) for _ in range(d)]
        even = ReluNetwork([(1, w, 0), (1, [-x for x in w], 0)], [0] * d)
        biased = ReluNetwork([(1, w, 1)], [0] * d)
        for network, error in ((even, NotIdentifiable), (biased, NotATransformer)):
            target: Transformer[Any, Any] = Transformer(Base2(), W, network)
            try:
                learn_by_negation(ModelOracle(target), seed=d)
                exact = False
            except error:
                exact &= learn_transformer(ModelOracle(target), seed=d).model == target.canonical()
    return Outcome(2 * len(dims), 0, 0, exact)


LEARNER = "attention_queries.learners.transformer.learn_transformer"

ROWS = (
    Row(
        "transformer",
        "attention and a ReLU network: both recovered in canonical form; queries shown: those for W",
        ("AttentionQueries.Results.transformer_identifiable", "AttentionQueries.Results.network_determined"),
        LEARNER,
        _random_targets,
    ),
    Row(
        "network",
        "the network alone: recovered from a few queries a parameter",
        ("AttentionQueries.Results.network_determined",),
        "attention_queries.learners.ffn.learn_ffn",
        _networks,
    ),
    Row(
        "negation",
        "network without biases: W by 2(d² + d) queries, through f(X) - f(-X)",
        ("AttentionQueries.Results.negation_learner",),
        "attention_queries.learners.transformer.learn_by_negation",
        _negation,
    ),
    Row(
        "negation-conditions",
        "with biases, or slope 0, the reduction says so; the general learner recovers these",
        ("AttentionQueries.Results.negation_condition", "AttentionQueries.Results.negation_biases_needed"),
        "attention_queries.learners.transformer.learn_by_negation",
        _negation_refused,
    ),
)
