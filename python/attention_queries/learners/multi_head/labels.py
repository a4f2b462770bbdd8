"""Which score belongs to which head: tokens are chosen such that the scores of one head agree modulo a small prime.

If the scores of the heads in a direction `(u, q)` are distinct modulo a prime `n`, then in all directions
`(u + n·x, q + n·y)` with integer `x`, `y` they are distinct as well, and congruent to the ones they belong to:
`u'ᵀ W q'` changes by multiples of `n`, for integer `W` and for rational ones whose denominators `n` does not divide. So
no question is spent on the order of heads, and equal value vectors do no harm
(`AttentionQueries.Results.several_heads_congruent`, `every_integer_model_learnt`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import isqrt
from typing import Any

from attention_queries.learners.multi_head.directions import Samples
from attention_queries.learners.multi_head.reduction import USUAL_UNIT, Retry, score_modulo

_PRIMES = [n for n in range(2, 5000) if all(n % r for r in range(2, isqrt(n) + 1))]


def moduli(scores: Sequence[Any]) -> Iterator[int]:
    """Primes modulo which the scores are distinct, smallest first; the number 1 also if there is one score."""
    if len(scores) <= 1:
        yield 1
    if len(set(scores)) < len(scores):
        return
    # Rational scores may well have small denominators that do not show in these.
    rational = any(type(s) is not int for s in scores)
    for n in _PRIMES:
        if n >= len(scores) and not (rational and USUAL_UNIT % n == 0) and distinct_modulo(scores, n):
            yield n


def distinct_modulo(scores: Sequence[Any], n: int) -> bool:
    """Whether the scores have no denominators divisible by `n` and are pairwise incongruent modulo `n`."""
    classes = {score_modulo(s, n) for s in scores}
    return len(classes) == len(scores) and None not in classes


def first_modulus(scores: Sequence[Any], suits: Callable[[int], bool]) -> int:
    """The smallest modulus with a further property; raises `Retry` when there is none of moderate size."""
    for n in moduli(scores):
        if suits(n):
            return n
    raise Retry("the scores of different heads do not differ modulo any small prime")


def in_order(found: dict[Any, int], like: Sequence[Any], n: int, samples: Samples) -> list[tuple[Any, int]]:
    """The found scores with their residues, in the order of the scores `like` that they are congruent to modulo `n`."""
    by_class = {score_modulo(s, n): (s, b) for s, b in found.items()}
    try:
        return [by_class[score_modulo(s, n)] for s in like]
    except KeyError:
        raise Retry(
            f"the scores seen up to the query {samples.query()} are not those of the heads seen before",
            samples.query(),
            samples.answers[-1],
        ) from None
