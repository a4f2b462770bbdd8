"""The anchor: one direction in which every head shows, and the number of heads."""

from __future__ import annotations

import random
from dataclasses import dataclass
from math import isqrt
from typing import Any

from attention_queries.errors import InputError, TooManyHeads, shown
from attention_queries.learners.multi_head.directions import (
    Samples,
    Total,
    ask_directions,
    decode,
    predicts,
    response,
    visible_heads,
)
from attention_queries.learners.multi_head.reduction import Reduction, Retry
from attention_queries.oracle import Oracle

MAX_HEADS = 48
"""Without a bound, and to name the number beyond a bound that is too small, up to this many heads are looked for."""
LARGEST_BOUND = 1000
"""The largest bound on the number of heads: the work grows with its square, whatever the number of heads is."""
_MAX_ANSWER_BITS = 1 << 20
"""An anchor whose first answer is longer than this is given up for a smaller one."""


def check_max_heads(max_heads: object) -> None:
    """Raise `InputError` for a bound on the number of heads that is none, or beyond `LARGEST_BOUND`."""
    if type(max_heads) is not int or max_heads < 1:
        raise InputError(f"the largest number of heads is a positive integer, not {shown(max_heads)}")
    if max_heads > LARGEST_BOUND:
        raise InputError(f"the largest number of heads is at most {LARGEST_BOUND}, not {shown(max_heads)}")


class TooLong(Exception):
    """The anchor's answers are so long that a smaller anchor should be tried."""


@dataclass
class Anchor:
    """A direction `(u, q)` with the score and residue (modulo the prime) of every head that shows in it."""

    samples: Samples
    heads: dict[Any, int]


def random_anchor(rng: random.Random, d: int, size: int) -> tuple[list[int], list[int]]:
    """A random direction: entries are smaller in high dimensions, and beyond the smallest, more of them are zero.

    `size` 0 is the usual one; every step up or down doubles or halves the entries.
    """
    root = isqrt(d)
    return _random_vector(rng, d, 48 // root, size), _random_vector(rng, d, 6 // root, size)


def _random_vector(rng: random.Random, d: int, largest: int, size: int) -> list[int]:
    scaled = max(1, largest) << max(size, 0) >> max(-size, 0)
    support = d if scaled else max(1, d >> (-size - max(1, largest).bit_length() + 1))
    vector = [0] * d
    for i in rng.sample(range(d), support):
        vector[i] = rng.choice([-1, 1]) * rng.randint(1, max(1, scaled))
    return vector


def find_anchor(
    oracle: Oracle[Any, Any],
    reduction: Reduction,
    total: Total,
    direction: tuple[list[int], list[int]],
    max_heads: int | None,
    *,
    impatient: bool,
) -> Anchor:
    """Ask one direction until the number of heads in it is clear: `2·max_heads - 1` queries, or `2H` without a bound.

    Raises `TooManyHeads` when more than `max_heads` show, `Retry` when the answers make no sense, and `TooLong` when
    `impatient` and the first answer is very long.
    """
    u, q = direction
    samples = ask_directions(oracle, [u], q, 1)[0]
    if impatient and oracle.semantics.bits(samples.answers[0]) > _MAX_ANSWER_BITS:
        raise TooLong
    if max_heads is None:
        heads = _ask_until_clear(oracle, reduction, total, samples, MAX_HEADS)
        if heads is None:
            raise _too_many(samples, MAX_HEADS, f"more than {MAX_HEADS} heads")
        return Anchor(samples, decode(reduction, total, samples, heads))
    _ask_more(oracle, samples, 2 * max_heads - 1)
    heads = visible_heads(reduction, response(reduction, total, samples, reduction.p))
    try:
        return Anchor(samples, decode(reduction, total, samples, heads))
    except Retry:
        if heads == max_heads:
            _refuse_more(oracle, reduction, total, samples, max_heads)
        raise


def _ask_more(oracle: Oracle[Any, Any], samples: Samples, count: int) -> None:
    missing = count - len(samples.answers)
    if missing > 0:
        samples.answers += ask_directions(oracle, [samples.u], samples.q, missing, len(samples.answers))[0].answers


def _ask_until_clear(
    oracle: Oracle[Any, Any], reduction: Reduction, total: Total, samples: Samples, most: int, least: int = 0
) -> int | None:
    """The least number of heads for which one more query than needed fits; None when that is above `most`."""
    for heads in range(least, most + 1):
        _ask_more(oracle, samples, max(1, 2 * heads))
        values = response(reduction, total, samples, reduction.p)
        if predicts(reduction, values[: max(1, 2 * heads) + 1], heads):
            return heads
    return None


def _refuse_more(
    oracle: Oracle[Any, Any], reduction: Reduction, total: Total, samples: Samples, max_heads: int
) -> None:
    """Raise `TooManyHeads` if further queries in the direction show that `max_heads` heads do not explain it."""
    heads = _ask_until_clear(oracle, reduction, total, samples, max(MAX_HEADS, max_heads + 1), max_heads)
    if heads is None:
        raise _too_many(samples, max_heads, f"more than {MAX_HEADS} heads")
    if heads > max_heads:
        raise _too_many(samples, max_heads, f"{heads} heads")


def _too_many(samples: Samples, allowed: int, observed: str) -> TooManyHeads:
    query = samples.query()
    return TooManyHeads(
        f"the oracle is not a sum of at most {allowed} attention heads: up to the query {query}, its answers in one "
        f"direction take {observed} to explain",
        query,
        samples.answers[-1],
    )
