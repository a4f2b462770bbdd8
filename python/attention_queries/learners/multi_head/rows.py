"""The other query tokens: one labelled direction at each of them, chosen from what the column shows."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from attention_queries.learners.multi_head.column import Column, from_pivot
from attention_queries.learners.multi_head.directions import (
    Samples,
    Total,
    ask_directions,
    combined,
    decode,
    unit_vector,
)
from attention_queries.learners.multi_head.labels import distinct_modulo, in_order, moduli
from attention_queries.learners.multi_head.reduction import Reduction, Retry
from attention_queries.oracle import Oracle

_CANDIDATES = 60
_LARGEST_MULTIPLE = 40


@dataclass
class Guide:
    """A token offset `u` in which every head shows; `scores` and `residues` (modulo `p²`) are what it shows.

    With query tokens `q + n·e_j`, where `q` is the column's, the scores of the directions `(u, q + n·e_j)` and
    `(e_i + multiples[i]·u, q + n·e_j)` are congruent modulo `n` to those with `q`, which are distinct. `u[pivot]` is
    not zero, and small.
    """

    u: list[int]
    n: int
    pivot: int
    scores: list[Any]
    residues: list[int]
    multiples: list[int]


def choose_guide(column: Column, reduction: Reduction, rng: random.Random, *, with_multiples: bool) -> Guide:
    """Choose the guide among small offsets such that `n` and `u` are small; costs no query. Raises `Retry`."""
    best: Guide | None = None
    size = 0
    for u in _candidates(rng, column):
        residues = [_dot(u, v) % reduction.p**2 for v in column.residues]
        if any(b % reduction.p == 0 for b in residues):
            continue
        scores = [_dot(u, s) for s in column.scores]
        weight = sum(map(abs, u))
        pivot = min((i for i, x in enumerate(u) if x), key=lambda i: abs(u[i]))
        for n in moduli(scores):
            if best is not None and n * weight >= size:
                break
            guide = Guide(u, n, pivot, scores, residues, [0] * len(u))
            if not with_multiples or _set_multiples(column, reduction, guide):
                guide_size = n * weight * (1 + max(map(abs, guide.multiples)))
                if best is None or guide_size < size:
                    best, size = guide, guide_size
                break
    if best is None:
        raise Retry("no small token shows all heads at once")
    return best


def _candidates(rng: random.Random, column: Column) -> Iterator[list[int]]:
    d = len(column.q)
    for t in range(_CANDIDATES):
        u = [0] * d
        for i in rng.sample(range(d), min(d, 1 + t % 5)):
            u[i] = rng.choice([-1, 1]) * rng.randint(1, 1 + t // 20)
        yield u
    yield list(column.u)


def _set_multiples(column: Column, reduction: Reduction, guide: Guide) -> bool:
    """For each `i` take the smallest `c` such that `e_i + c·u` shows all heads and has distinct scores modulo `n`."""
    for i in range(len(guide.u)):
        for t in range(min(2 * guide.n, _LARGEST_MULTIPLE) + 1):
            guide.multiples[i] = (t + 1) // 2 * (1 if t % 2 else -1)
            scores, residues = expected(column, guide, i)
            if all(b % reduction.p for b in residues) and distinct_modulo(scores, guide.n):
                break
        else:
            return False
    return True


def expected(column: Column, guide: Guide, i: int) -> tuple[list[Any], list[int]]:
    """Scores (at the column's query token) and residues of the direction `e_i + multiples[i]·u`."""
    c = guide.multiples[i]
    scores = [s[i] + c * x for s, x in zip(column.scores, guide.scores, strict=True)]
    return scores, [v[i] + c * b for v, b in zip(column.residues, guide.residues, strict=True)]


def _dot(x: Sequence[int], y: Sequence[Any]) -> Any:
    return sum((a * b for a, b in zip(x, y, strict=True) if a), 0)


def query_tokens(column: Column, n: int) -> tuple[int, dict[int, list[int]]]:
    """A pivot `j` with `q[j] ≠ 0`, and the query tokens `q + n·e_j` for the other `j`."""
    d = len(column.q)
    pivot = min((j for j in range(d) if column.q[j]), key=lambda j: abs(column.q[j]))
    return pivot, {j: combined((1, column.q), (n, unit_vector(d, j))) for j in range(d) if j != pivot}


def see_guide(
    oracle: Oracle[Any, Any], reduction: Reduction, total: Total, guide: Guide, q: Sequence[int]
) -> list[Any]:
    """The labelled scores of the guide at a query token `q + n·e_j`, from `2H - 1` queries; raises `Retry`."""
    samples = ask_directions(oracle, [guide.u], q, 2 * len(guide.scores) - 1)[0]
    return labelled(reduction, total, samples, guide.scores, guide.residues, guide.n)


def labelled(
    reduction: Reduction, total: Total, samples: Samples, like: list[Any], residues: list[int], n: int
) -> list[Any]:
    """The scores in a direction whose residues are known, in the order of the heads; raises `Retry`."""
    pairs = in_order(decode(reduction, total, samples, len(like)), like, n, samples)
    if any((b - known) % reduction.p for (_, b), known in zip(pairs, residues, strict=True)):
        raise Retry(
            f"the values seen up to the query {samples.query()} are not those of the heads seen before",
            samples.query(),
            samples.answers[-1],
        )
    return [s for s, _ in pairs]


def with_pivot(guide: Guide, at_guide: Sequence[Any], at_others: dict[int, list[Any]]) -> list[list[Any]]:
    """For each head the scores of the standard basis, from those of the guide and of all but its pivot."""
    heads = []
    for h, at_u in enumerate(at_guide):
        scores = [at_others[i][h] if i != guide.pivot else 0 for i in range(len(guide.u))]
        scores[guide.pivot] = from_pivot(at_u, guide.u, scores, guide.pivot)
        heads.append(scores)
    return heads
