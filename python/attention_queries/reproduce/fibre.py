"""Rows about several heads: the symmetries, when two models are equal, and that this is decided exactly."""

from __future__ import annotations

import random
from typing import Any

from attention_queries.fibre import equal
from attention_queries.lean.fibre_cases import random_pair
from attention_queries.models import AttentionModel, Head
from attention_queries.reproduce.row import Context, Outcome, Row
from attention_queries.semantics import Base2, ExpField
from attention_queries.semantics.base import Semantics
from attention_queries.sequences import Query
from attention_queries.symbolic import symmetries_hold


def _symbolic(context: Context) -> Outcome:
    sizes = [(d, h, n) for d in range(1, 5) for h in range(1, 5) for n in range(1, 6)]
    exact = all(symmetries_hold(*size) for size in context.track(sizes, len(sizes)))
    return Outcome(len(sizes), 0, 0, exact, {"largest": {"d": 4, "heads": 4, "length": 5}})


def _minus(W: Any) -> Any:
    return [[-x for x in row] for row in W]


def _mirror_pairs(context: Context) -> Outcome:
    """Two mirror pairs agree on every sequence of length two that is tried, and differ on a longer one."""
    exact = True
    cases = 50 if context.quick else 200
    for seed in context.track(range(cases), cases):
        rng = random.Random(context.seed + seed)
        semantics: Semantics[Any, Any] = rng.choice((Base2(), ExpField()))
        d = rng.randint(1, 4)
        W, U = ([[rng.randint(-2, 2) for _ in range(d)] for _ in range(d)] for _ in range(2))
        v = [rng.choice((-2, -1, 1, 2)) for _ in range(d)]
        a, b = (AttentionModel(semantics, d, [Head(M, v), Head(_minus(M), v)]) for M in (W, U))
        x, q = (tuple(rng.randint(-2, 2) for _ in range(d)) for _ in range(2))
        short = Query.of([(x, 1), (q, 1)], semantics)
        total = sum(c * (s + t) for c, s, t in zip(v, x, q, strict=True))
        exact &= a.value(short) == b.value(short) == semantics.value(total)
        comparison = equal(a, b)
        if U in (W, _minus(W)):
            exact &= comparison.equal
        else:
            exact &= comparison.witness is not None and comparison.witness.length >= 3
    return Outcome(cases, 0, 0, exact)


def _decision(context: Context) -> Outcome:
    """Half the pairs are equal by construction; the others differ by one entry, or not at all when it cancels."""
    exact = True
    cases = 1_000 if context.quick else 10_000
    longest = different = 0
    for n in context.track(range(cases), cases):
        rng = random.Random(context.seed * cases + n)
        heads = rng.randint(1, 6)
        case = random_pair(rng, rng.randint(1, 8), heads, same=n % 2 == 0)
        found, witness = case.comparison, case.comparison.witness
        agreed = case.a.canonical_heads() == case.b.canonical_heads()
        exact &= found.equal == agreed and (agreed or n % 2 == 1)
        if not found.equal:
            exact &= witness is not None and case.a.value(witness) != case.b.value(witness)
            if witness is not None:
                different += 1
                longest = max(longest, witness.length)
                exact &= witness.length <= 2 * len(case.a.heads) + 2
    return Outcome(cases, 0, 0, exact, {"different": different, "longest witness": longest})


ROWS = (
    Row(
        "symmetries",
        "merging, zero heads, order, mirror pairs: identities of rational functions",
        ("AttentionQueries.Results.heads_redistribute",),
        "attention_queries.symbolic.symmetries_hold",
        _symbolic,
    ),
    Row(
        "length-two",
        "mirror pairs agree on all sequences of length ≤ 2 and differ on a longer one",
        ("AttentionQueries.Results.length_two_insufficient",),
        "attention_queries.fibre.equal",
        _mirror_pairs,
    ),
    Row(
        "fibre",
        "two models are equal iff their canonical forms are; a witness if not",
        ("AttentionQueries.Results.fibre", "AttentionQueries.Results.canonical_complete"),
        "attention_queries.fibre.equal",
        _decision,
    ),
)
