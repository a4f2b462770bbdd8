"""One-bit answers, base 2, integer weights of known bound: exact recovery."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flint import fmpq

from attention_queries.errors import NotIdentifiable, OutOfBounds, ScoreTooLarge, shown
from attention_queries.learners.membership.bits import PositiveThreshold, search, search_bits
from attention_queries.semantics.base2 import MAX_POWER_BITS
from attention_queries.sequences import Query


def query_bound(dim: int, bound: int) -> int:
    """At most this many queries: `d · L(B) + d² · L(2B)`, where `2^L(Z)` is the least power above `2Z`."""
    return dim * search_bits(bound) + dim**2 * search_bits(2 * bound)


@dataclass(frozen=True)
class IntegerHead:
    """A recovered head.

    `true_tests` are queries that exceed the threshold if scores found at the lower end of their range are not below it.
    """

    W: list[list[int]]
    v: list[int]
    true_tests: list[Query[Any]]


def learn_integers(asked: PositiveThreshold, bound: int) -> IntegerHead:
    """The head with integer entries from `-bound` to `bound`, for the positive threshold.

    Raises `NotIdentifiable` when `v = 0` and `OutOfBounds` when a search ends above its range.
    """
    d = asked.dim
    v = search(
        lambda tests: asked.value_bits([(i, n + fmpq(1, 2)) for i, n in tests]), [-bound] * d, [search_bits(bound)] * d
    )
    _check_bound(v, bound)
    if not any(v):
        with asked.checking():
            check_values(asked, v)
        raise NotIdentifiable("v = 0, so W is not identifiable: the output is 0 on every sequence, whatever W is")
    p = next(i for i, x in enumerate(v) if x != 0)
    balances = [_Balance(asked.theta, v, i, j, p) for i in range(d) for j in range(d)]
    limits = [bound if v[b.i] != 0 else 2 * bound for b in balances]
    largest = max(b.steps * (z + 1) for b, z in zip(balances, limits, strict=True))
    if largest > MAX_POWER_BITS:
        raise ScoreTooLarge(
            f"comparing scores would need 2^{shown(largest)} copies of a token (bound: 2^{MAX_POWER_BITS}); "
            "state a smaller bound or choose a smaller threshold"
        )
    found = search(
        lambda tests: asked.above([balances[e].query(n) for e, n in tests]),
        [-z for z in limits],
        list(map(search_bits, limits)),
    )
    scores = [[balances[i * d + j].sign * found[i * d + j] for j in range(d)] for i in range(d)]
    W = [[s - (0 if v[i] != 0 else scores[p][j]) for j, s in enumerate(row)] for i, row in enumerate(scores)]
    _check_bound([x for row in W for x in row], bound)
    ends = [b.query(-z - 1) for b, y, z in zip(balances, found, limits, strict=True) if y == -z]
    return IntegerHead(W, [asked.sign * x for x in v], ends)


def check_values(asked: PositiveThreshold, v: Sequence[int]) -> None:
    """Raise `OutOfBounds` unless every value, for the positive threshold, lies within 1/8 of the integer found."""
    tests = [(i, x + side * fmpq(1, 8)) for i, x in enumerate(v) for side in (-1, 1)]
    for (i, x), above in zip(tests, asked.value_bits(tests), strict=True):
        if above != (x < v[i]):
            raise OutOfBounds(
                f"v[{i}] is not the integer {asked.sign * v[i]} that its bits spell: the promise of integer values "
                "within the bound does not hold"
            )


def _check_bound(entries: Sequence[int], bound: int) -> None:
    if any(abs(x) > bound for x in entries):
        raise OutOfBounds(f"the answers are not those of a head with integer entries from {-bound} to {bound}")


class _Balance:
    """Queries that compare `y = sign · u_iᵀ W e_j` with integers.

    The query token `q = ±e_j` has a value at most 0, below θ, and `x = q + β u_i` one above θ; `T = |β|` is `steps`.
    Copies are chosen so that the output exceeds θ exactly when `2^(T y) > (3/2) · 2^(T n)`.
    """

    def __init__(self, theta: fmpq, v: Sequence[int], i: int, j: int, p: int) -> None:
        a, b = int(theta.p), int(theta.q)
        slope = v[i] if v[i] != 0 else v[p]
        side = 1 if v[j] <= 0 else -1
        self.i = i
        self._below = abs(v[j]) * b + a
        step = abs(slope) * b
        self.steps = self._below // step + 1
        self._above = self.steps * step - self._below
        self.sign = side if slope > 0 else -side
        q, x = [0] * len(v), [0] * len(v)
        q[j] = x[j] = side
        beta = self.steps if slope > 0 else -self.steps
        x[i] += beta
        if v[i] == 0:
            x[p] += beta
        self._q, self._x = tuple(q), tuple(x)

    def query(self, n: int) -> Query[Any]:
        """Its output exceeds θ exactly when `y > n`."""
        k, m = 2 * self._below, 3 * self._above
        shift = self.steps * abs(n)
        if n >= 0:
            m <<= shift
        else:
            k <<= shift
        return Query(((self._x, k), (self._q, m)))
