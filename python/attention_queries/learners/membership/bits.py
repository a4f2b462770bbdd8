"""Asking for one bit: positive thresholds, means of values, and searches that run side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from flint import fmpq

from attention_queries.errors import InputError, shown
from attention_queries.learners.membership.oracle import ThresholdOracle
from attention_queries.oracle import QueryCount
from attention_queries.sequences import Query, QueryBatch


class PositiveThreshold:
    """A head `(W, v)` with a negative threshold looks like `(W, -v)` with the opposite one, all bits negated.

    `theta` is the absolute value of the threshold; `sign` is what `v` is to be multiplied with at the end.
    """

    def __init__(self, oracle: ThresholdOracle[Any], theta: fmpq) -> None:
        self._oracle = oracle
        self.theta = abs(theta)
        self.sign = 1 if theta > 0 else -1

    @property
    def dim(self) -> int:
        """The dimension of the oracle."""
        return self._oracle.dim

    def checking(self) -> AbstractContextManager[QueryCount]:
        """Within the block, queries are counted apart, as checks of a finished result."""
        return self._oracle.fresh_count()

    def above(self, queries: Sequence[Query[Any]]) -> list[bool]:
        """For each query, whether the output exceeds the threshold (or equals it, where bits are negated)."""
        answers = self._oracle.many(QueryBatch.of(queries))
        return [answer == (self.sign > 0) for answer in answers]

    def value_bits(self, tests: Sequence[tuple[int, fmpq]]) -> list[bool]:
        """For pairs `(i, x)` with `x ≠ 0`, whether `v_i > x`; either answer where the two are equal.

        With the zero token as query token all scores are 0, and the output is the plain mean: `v_i · θ / |x|` with
        the sign of `x`.
        """
        answers = self.above([self._mean_query(i, x) for i, x in tests])
        return [answer == (x > 0) for answer, (_, x) in zip(answers, tests, strict=True)]

    def _mean_query(self, i: int, x: fmpq) -> Query[Any]:
        ratio = self.theta / abs(x)
        size, copies = 2 * int(ratio.p), 2 * int(ratio.q)
        token = unit_token(self._oracle, {i: fmpq(size if x > 0 else -size)})
        return Query(((token, 1), (unit_token(self._oracle, {}), copies - 1)))


def unit_token(oracle: ThresholdOracle[Any], entries: dict[int, fmpq]) -> tuple[Any, ...]:
    """The token with these entries and zeros elsewhere; raises `InputError` where floating point cannot hold it."""
    semantics = oracle.semantics
    token = [semantics.scalar(0)] * oracle.dim
    for i, x in entries.items():
        token[i] = semantics.scalar(x)
        if not semantics.exact and fmpq(*token[i].as_integer_ratio()) != x:
            raise InputError(
                f"the token entry {shown(int(x.floor()))} is not a floating-point number; "
                "choose a threshold with fewer digits"
            )
    return tuple(token)


def search(
    test: Callable[[Sequence[tuple[int, int]]], list[bool]], lows: Sequence[int], bits: Sequence[int]
) -> list[int]:
    """Integers `y_i` from `low_i` to `low_i + 2^bits_i - 1`, each by exactly `bits_i` tests `(i, n)` for `y_i > n`."""
    found = list(lows)
    for t in reversed(range(max(bits, default=0))):
        active = [i for i, length in enumerate(bits) if length > t]
        answers = test([(i, found[i] + (1 << t) - 1) for i in active])
        for i, above in zip(active, answers, strict=True):
            found[i] += (1 << t) if above else 0
    return found


def search_bits(bound: int) -> int:
    """The number of bits that tell the integers from `-bound` to `bound` apart."""
    return (2 * bound).bit_length()
