"""All heads at one query token: their scores there for every token, and their value vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from attention_queries.learners.multi_head.anchor import Anchor
from attention_queries.learners.multi_head.directions import Total, ask_directions, combined, decode, unit_vector
from attention_queries.learners.multi_head.labels import first_modulus, in_order
from attention_queries.learners.multi_head.modular import rational
from attention_queries.learners.multi_head.reduction import Reduction, Retry, divided
from attention_queries.learners.multi_head.values import Seen, exact_values
from attention_queries.oracle import Oracle

_TRIES = (0, 1, -1, 2)


@dataclass
class Column:
    """What the heads do with the query token `q`: `scores[h][i]` is `e_iᵀ W_h q`.

    `values[h]` is the value vector, `residues[h]` the same modulo the square of the prime; `u` is the anchor's offset.
    """

    q: Sequence[int]
    u: Sequence[int]
    scores: list[list[Any]]
    values: list[list[Any]]
    residues: list[list[int]]


def learn_column(oracle: Oracle[Any, Any], reduction: Reduction, total: Total, anchor: Anchor) -> Column:
    """Extend the anchor to all tokens by `2H - 1` queries in each of `d - 1` directions `c·u + n·e_i`.

    `n` is a prime and `c ≡ 1` modulo `n`, so that the scores keep their classes. A direction in which a residue
    vanishes is replaced by one with another `c`. Raises `Retry` when that does not help.
    """
    u, scores, residues = anchor.samples.u, list(anchor.heads), list(anchor.heads.values())
    sizes = [_numerator(b, reduction.p) for b in residues]
    # If n divides no ⟨v, u⟩ then no integer ⟨v, u + n·e_i⟩ vanishes.
    n = first_modulus(scores, lambda n: n == 1 or all(size % n for size in sizes))
    pivot = min((i for i in range(oracle.dim) if u[i]), key=lambda i: abs(u[i]))
    seen = _see_all(oracle, reduction, total, anchor, scores, n, pivot)
    at_basis = [[divided(s.scores[h] - s.c * scores[h], s.n) if s.n else 0 for s in seen] for h in range(len(scores))]
    for at_u, row in zip(scores, at_basis, strict=True):
        row[pivot] = from_pivot(at_u, u, row, pivot)
    values = exact_values(oracle.semantics, reduction, total, seen, u, pivot)
    modulo = [reduction.residues(v, reduction.p**2) for v in values]
    return Column(anchor.samples.q, u, at_basis, values, modulo)


def _see_all(
    oracle: Oracle[Any, Any],
    reduction: Reduction,
    total: Total,
    anchor: Anchor,
    scores: list[Any],
    n: int,
    pivot: int,
) -> list[Seen]:
    d, u, heads = oracle.dim, anchor.samples.u, len(scores)
    seen = [Seen(anchor.samples, scores)] * d
    missing = [i for i in range(d) if i != pivot]
    for t in _TRIES:
        c = 1 + t * n
        directions = [combined((c, u), (n, unit_vector(d, i))) for i in missing]
        failed: dict[int, Retry] = {}
        asked = ask_directions(oracle, directions, anchor.samples.q, 2 * heads - 1)
        for i, samples in zip(missing, asked, strict=True):
            try:
                pairs = in_order(decode(reduction, total, samples, heads), scores, n, samples)
                seen[i] = Seen(samples, [s for s, _ in pairs], c, n)
            except Retry as error:
                failed[i] = error
        if not failed:
            return seen
        if 2 * len(failed) > len(missing):
            break  # no coincidence: the anchor did not show all heads
        missing = list(failed)
    raise next(iter(failed.values()))


def _numerator(b: int, p: int) -> int:
    x = rational(b, p, 1)
    return 1 if x is None else int(x.p)


def from_pivot(at_u: Any, u: Sequence[int], at_basis: Sequence[Any], pivot: int) -> Any:
    """The score of `e_pivot` from the scores of `u` and of the other basis vectors; raises `Retry`."""
    rest = sum(u[i] * s for i, s in enumerate(at_basis) if i != pivot)
    return divided(at_u - rest, u[pivot])
