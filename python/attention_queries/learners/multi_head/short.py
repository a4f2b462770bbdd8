"""The short variant: every direction by `2H - 1` short sequences, `(2H - 1)d² + d` queries in all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attention_queries.learners.multi_head.column import Column
from attention_queries.learners.multi_head.directions import Total, ask_directions, combined, unit_vector
from attention_queries.learners.multi_head.reduction import Reduction
from attention_queries.learners.multi_head.rows import Guide, expected, labelled, with_pivot
from attention_queries.oracle import Oracle


def scores_at(
    oracle: Oracle[Any, Any],
    reduction: Reduction,
    total: Total,
    column: Column,
    guide: Guide,
    q: Sequence[int],
    at_guide: list[Any],
) -> list[list[Any]]:
    """For each head the scores of the standard basis at the query token `q`, from `(d - 1)(2H - 1)` queries.

    The directions are `e_i + c·u` with the guide's `u`, which keep the heads apart. Raises `Retry`.
    """
    others = [i for i in range(oracle.dim) if i != guide.pivot]
    directions = [combined((1, unit_vector(oracle.dim, i)), (guide.multiples[i], guide.u)) for i in others]
    found = {}
    for i, samples in zip(others, ask_directions(oracle, directions, q, 2 * len(at_guide) - 1), strict=True):
        seen = labelled(reduction, total, samples, *expected(column, guide, i), guide.n)
        found[i] = [s - guide.multiples[i] * x for s, x in zip(seen, at_guide, strict=True)]
    return with_pivot(guide, at_guide, found)
