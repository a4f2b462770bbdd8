"""Random sums of heads, ordinary ones and those in which something coincides."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from flint import fmpq

from attention_queries.models import AttentionModel, Head
from attention_queries.semantics.base import Semantics

Matrix = list[list[Any]]
Heads = list[tuple[Matrix, list[Any]]]


def _matrix(rng: random.Random, d: int) -> Matrix:
    return [[rng.randint(-3, 3) for _ in range(d)] for _ in range(d)]


def _vector(rng: random.Random, d: int) -> list[int]:
    v = [0] * d
    while not any(v):
        v = [rng.randint(-3, 3) for _ in range(d)]
    return v


def _added(W: Matrix, c: int, a: list[int], b: list[int]) -> Matrix:
    return [[x + c * s * t for x, t in zip(row, b, strict=True)] for row, s in zip(W, a, strict=True)]


def _values(heads: Heads, change: Callable[[int, list[Any]], list[Any]]) -> Heads:
    return [(W, change(h, v)) for h, (W, v) in enumerate(heads)]


def _negative(v: list[Any]) -> list[Any]:
    return [-x for x in v]


def _unit(d: int) -> list[int]:
    return [1] + [0] * (d - 1)


def _cancelled(rng: random.Random, heads: Heads) -> Heads:
    """Values that sum to zero: single tokens show nothing."""
    rest = [v for _, v in heads[1:]]
    return [(heads[0][0], _negative([sum(x) for x in zip(*rest, strict=True)])), *heads[1:]] if rest else heads


def _line(rng: random.Random, heads: Heads) -> Heads:
    """Matrices on a line of rank-one steps, so that scores coincide in many directions."""
    d = len(heads[0][1])
    a, b = _vector(rng, d), _vector(rng, d)
    return [(_added(heads[0][0], h, a, b), v) for h, (_, v) in enumerate(heads)]


def _one_entry(rng: random.Random, heads: Heads) -> Heads:
    """Matrices that differ in one entry only."""
    d = len(heads[0][1])
    return [(_added(heads[0][0], h, _unit(d), _unit(d)), v) for h, (_, v) in enumerate(heads)]


def _same_value(rng: random.Random, heads: Heads) -> Heads:
    return _values(heads, lambda h, v: heads[0][1])


def _rational(rng: random.Random, heads: Heads) -> Heads:
    return _values(heads, lambda h, v: [fmpq(x, rng.randint(1, 9)) for x in v])


FAMILIES: dict[str, Callable[[random.Random, Heads], Heads]] = {
    "random": lambda rng, heads: heads,
    "rational values": _rational,
    "large values": lambda rng, heads: _values(heads, lambda h, v: [x * 10**12 + h for x in v]),
    "sparse values": lambda rng, heads: _values(heads, lambda h, v: [x * (i == h % len(v)) for i, x in enumerate(v)]),
    "equal values": _same_value,
    "opposite values": lambda rng, heads: _values(_same_value(rng, heads), lambda h, v: v if h % 2 else _negative(v)),
    "values that cancel": _cancelled,
    "a zero value": lambda rng, heads: [(heads[0][0], [0] * len(heads[0][1])), *heads[1:]],
    "the zero function": lambda rng, heads: _values(heads, lambda h, v: [0] * len(v)),
    "equal matrices": lambda rng, heads: [(heads[h // 2][0], v) for h, (_, v) in enumerate(heads)],
    "a pair that vanishes": lambda rng, heads: [heads[0], (heads[0][0], _negative(heads[0][1])), *heads[2:]],
    "a zero matrix": lambda rng, heads: [([[0] * len(row) for row in heads[0][0]], heads[0][1]), *heads[1:]],
    "multiples of a matrix": lambda rng, heads: [
        ([[(-1) ** h * (h // 2 + 1) * x for x in row] for row in heads[0][0]], v) for h, (_, v) in enumerate(heads)
    ],
    "matrices on a line": _line,
    "matrices that differ in one entry": _one_entry,
    "equal values, one different entry": lambda rng, heads: _same_value(rng, _one_entry(rng, heads)),
    "sparse matrices": lambda rng, heads: [
        ([[rng.choice([0, 0, 0, 1, -1]) for _ in row] for row in W], v) for W, v in heads
    ],
}
"""Ways to change independent random heads, by name."""


def draw(
    family: str, semantics: Semantics[Any, Any], rng: random.Random, heads: int, dim: int
) -> AttentionModel[Any, Any]:
    """A random member; in the exp semantics with weights over a common denominator of up to 11."""
    drawn = FAMILIES[family](rng, [(_matrix(rng, dim), _vector(rng, dim)) for _ in range(heads)])
    unit = fmpq(1, rng.choice([1, 2, 6, 11])) if semantics.name == "exp" else 1
    return AttentionModel(semantics, dim, [Head([[unit * x for x in row] for row in W], v) for W, v in drawn])
