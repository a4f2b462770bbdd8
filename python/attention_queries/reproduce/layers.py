"""Rows about real layers: vector outputs, biases, and projections of which only a product can be known."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from flint import fmpq, fmpz_mat

from attention_queries.learners.affine import learn_affine
from attention_queries.learners.vector_values import formula, learn_vector_values
from attention_queries.models.projected import ProjectedHead, gauge
from attention_queries.models.vector import VectorHead
from attention_queries.oracle import ModelOracle
from attention_queries.reproduce.row import Context, Outcome, Row
from attention_queries.semantics import Base2, ExpField
from attention_queries.semantics.base import Semantics

_SEMANTICS: tuple[Semantics[Any, Any], ...] = (Base2(), ExpField())


def _matrix(rng: random.Random, rows: int, columns: int) -> list[list[int]]:
    return [[rng.randint(-3, 3) for _ in range(columns)] for _ in range(rows)]


def _vector(rng: random.Random, length: int) -> list[int]:
    return _matrix(rng, 1, length)[0]


def _vector_values(context: Context) -> Outcome:
    """Value matrices of all ranks up to 6, and square ones."""
    shapes = [(m, d, r) for d in range(1, 7) for m in (1, 3, 6) for r in range(1, min(m, d) + 1)]
    shapes += [(d, d, d) for d in ([12] if context.quick else [12, 32, 64])]
    queries = bound = 0
    exact = True
    for seed, (m, d, r) in context.track(enumerate(shapes, context.seed), len(shapes)):
        rng, V = random.Random(seed), fmpz_mat(m, d)
        while V.rank() < r:
            V = fmpz_mat(_matrix(rng, m, r)) * fmpz_mat(_matrix(rng, r, d))
        thirds = [[fmpq(int(x), 3) for x in row] for row in V.tolist()]
        head = VectorHead(_SEMANTICS[seed % 2 if d <= 12 else 0], _matrix(rng, d, d), thirds)
        learned = learn_vector_values(ModelOracle(head), seed=seed)
        queries += learned.learning.queries
        bound += formula(d, r)
        exact &= learned.model == head and learned.learning.longest == r + 1
    return Outcome(len(shapes), queries, bound, exact)


def _unimodular(rng: random.Random, r: int) -> list[list[int]]:
    """An integer matrix with an integer inverse: a product of two triangular ones."""
    entries = _matrix(rng, r, r)
    lower = fmpz_mat([[entries[i][j] if j < i else int(i == j) for j in range(r)] for i in range(r)])
    upper = fmpz_mat([[entries[i][j] if j > i else int(i == j) for j in range(r)] for i in range(r)])
    return [list(map(int, row)) for row in (lower * upper).tolist()]


def _layer(semantics: Semantics[Any, Any], rng: random.Random, r: int, d: int) -> ProjectedHead[Any, Any]:
    """A layer with values of length `r` whose value vector is not 0."""

    def projection() -> tuple[list[list[int]], list[int]]:
        return _matrix(rng, r, d), _vector(rng, r)

    while True:
        (K, b_K), (Q, b_Q), (V, b_V) = projection(), projection(), projection()
        layer = ProjectedHead(semantics, K, b_K, Q, b_Q, V, b_V, _vector(rng, r))
        if any(x != 0 for x in layer.affine().v):
            return layer


def _projected(context: Context) -> Outcome:
    """Every layer is learned twice: as it is, and with other keys, queries and biases in the same gauge orbit."""
    shapes = [(r, d) for d in range(1, 9) for r in range(1, d + 1)] + ([] if context.quick else [(8, 24), (16, 32)])
    queries = bound = 0
    exact = True
    for seed, (r, d) in context.track(enumerate(shapes, context.seed), len(shapes)):
        rng = random.Random(seed)
        layer = _layer(_SEMANTICS[seed % 2 if d <= 8 else 0], rng, r, d)
        other = replace(gauge(layer, _unimodular(rng, r)), key_bias=_vector(rng, r))
        for member in (layer, other):
            learned = learn_affine(ModelOracle(member), seed=seed)
            exact &= learned.model == layer.affine() and learned.learning.longest == 2
            queries += learned.learning.queries
            bound += (d + 1) ** 2
    return Outcome(2 * len(shapes), queries, bound, exact)


ROWS = (
    Row(
        "vector-values",
        "outputs V x, V of rank r: d + d⌈d/r⌉ queries, each gives up to r scores (base 2 and true softmax)",
        ("AttentionQueries.Results.vector_head_identifiable_iff",),
        "attention_queries.learners.vector_values.learn_vector_values",
        _vector_values,
    ),
    Row(
        "projected",
        "layers with biases: KᵀQ, Kᵀb_Q, Vᵀw, ⟨w, b_V⟩ from (d + 1)² queries, the same for a whole gauge orbit",
        ("AttentionQueries.Results.affine_unique", "AttentionQueries.Results.projected_gauge"),
        "attention_queries.learners.affine.learn_affine",
        _projected,
    ),
)
