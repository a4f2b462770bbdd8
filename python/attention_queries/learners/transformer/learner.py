"""Learning a one-layer transformer: first the network, then the attention weights through it."""

from __future__ import annotations

import random
from typing import Any

from attention_queries.errors import InputError, NotATransformer, VerificationFailed
from attention_queries.learners.ffn.learner import CELLS, grid_points, learn_ffn
from attention_queries.learners.ffn.oracle import NetworkLearner, ReadoutOracle
from attention_queries.learners.result import Progress, Result
from attention_queries.learners.transformer.scores import learn_scores
from attention_queries.learners.verification import verify_on_fresh_queries
from attention_queries.oracle import Oracle, QueryCount
from attention_queries.semantics import Base2
from attention_queries.semantics.base import S, Semantics, V
from attention_queries.transformer.model import Transformer
from attention_queries.transformer.network import ReluNetwork

METHOD = "transformer"


def learn_transformer(
    oracle: Oracle[S, V],
    *,
    seed: int = 0,
    checks: int = 8,
    network_learner: NetworkLearner = learn_ffn,
    progress: Progress | None = None,
) -> Result[Transformer[S, V]]:
    """Recover the network `g`, in canonical form, and `W` behind `oracle`, then re-check on `checks` fresh queries.

    `network_learner` recovers `g` from its values at points; `W` takes about d² queries of two tokens. A value matrix
    `V` is not identifiable apart from `g`: what is recovered is `z ↦ g(V z)`. `seed` determines all random choices.

    Raises `NotIdentifiable` when `g` is constant, `SearchExhausted` when a search for `g` or for informative tokens
    reaches its bound, and `NotATransformer` with a query that shows it when the answers fit no transformer found.
    """

    with oracle.counting(QueryCount()) as learning:
        network = learn_network(oracle, network_learner, seed)
        for_network = learning.queries
        model = Transformer(
            oracle.semantics, learn_scores(oracle, network, random.Random(seed), progress=progress), network
        )
    verification = verify_transformer(oracle, model, random.Random(seed + 1), checks)
    notes = cost_notes(oracle.semantics, network_learner, for_network, learning.queries - for_network)
    return Result(model, METHOD, learning, verification, notes)


def learn_network(oracle: Oracle[Any, Any], network_learner: NetworkLearner, seed: int) -> ReluNetwork:
    """The network behind `oracle` in canonical form; raises `InputError` when the learner gives something else."""
    network = network_learner(ReadoutOracle(oracle), seed=seed)
    if not isinstance(network, ReluNetwork) or network.dim != oracle.dim or network.exact != oracle.semantics.exact:
        kind = "exact" if oracle.semantics.exact else "floating-point"
        raise InputError(f"the network learner must return a ReluNetwork of dimension {oracle.dim} with {kind} numbers")
    return network.canonical()


def verify_transformer(oracle: Oracle[S, V], model: Transformer[S, V], rng: random.Random, checks: int) -> QueryCount:
    """Compare on fresh queries; raises `NotATransformer` with the first on which oracle and model disagree."""
    try:
        return verify_on_fresh_queries(oracle, model, rng, checks=checks)
    except VerificationFailed as error:
        raise NotATransformer(
            f"the oracle is not a one-layer transformer with the network found: {error}", error.query, error.answer
        ) from None


def cost_notes(
    semantics: Semantics[Any, Any], network_learner: NetworkLearner, for_network: int, for_scores: int
) -> tuple[str, ...]:
    """What the queries were for, why they are long, and what the built-in learner cannot exclude."""
    built_in = network_learner is learn_ffn
    grid = f", {grid_points()} or more of them against cancelling neurons" if built_in else ""
    notes = [f"queries: {for_network} for the network{grid}; {for_scores} for W"]
    if isinstance(semantics, Base2):
        notes.append("long sequences: in base 2, the point x / n is asked as one copy of x and n - 1 of the token 0")
    if built_in:
        notes.append(
            "not excluded: parallel neurons that cancel outside a slab in which no point of the grid lies, such as one "
            f"narrower than 1/{CELLS} of its distance from the origin"
        )
    return tuple(notes)
