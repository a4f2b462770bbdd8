"""The single-head learner written the obvious way, over `fractions.Fraction` and over sympy.

Both use the same queries and formulas as `attention_queries.learners.single_head`; they compute `W q` once for each
query token, like the package, so that the comparison is about arithmetic and not about a wasteful oracle.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import sympy

Vector = list[Any]
Oracle = Callable[[list[Vector]], Any]


def fraction_oracle(W: list[Vector], v: Vector) -> Oracle:
    """Base-2 softmax attention over Python integers and fractions."""
    cache: list[Any] = [None, None]

    def ask(sequence: list[Vector]) -> Fraction:
        q = sequence[-1]
        if cache[0] is not q:
            cache[:] = q, [dot(row, q) for row in W]
        weights = [Fraction(2) ** dot(x, cache[1]) for x in sequence]
        return sum(w * dot(x, v) for w, x in zip(weights, sequence, strict=True)) / sum(weights)

    return ask


def fraction_log(odds: Fraction) -> int:
    """The exponent of a power of two."""
    exponent = odds.numerator.bit_length() - odds.denominator.bit_length()
    assert odds == Fraction(2) ** exponent
    return exponent


def sympy_oracle(W: list[Vector], v: Vector) -> Oracle:
    """True softmax attention over sympy expressions."""
    cache: list[Any] = [None, None]

    def ask(sequence: list[Vector]) -> Any:
        q = sequence[-1]
        if cache[0] is not q:
            cache[:] = q, [dot(row, q) for row in W]
        weights = [sympy.exp(dot(x, cache[1])) for x in sequence]
        return sum(w * dot(x, v) for w, x in zip(weights, sequence, strict=True)) / sum(weights)

    return ask


def sympy_log(odds: Any) -> Any:
    """The exponent of a power of e."""
    result = sympy.log(sympy.cancel(sympy.together(odds)))
    result = sympy.expand_log(result, force=True)
    assert result.is_Rational
    return result


def dot(x: Vector, y: Vector) -> Any:
    """The inner product."""
    return sum((a * b for a, b in zip(x, y, strict=True)), 0)


def learn(ask: Oracle, d: int, log: Callable[[Any], Any]) -> tuple[list[Vector], Vector]:
    """`W` and `v` from `d² + d` queries, one at a time."""
    unit = [[int(i == j) for j in range(d)] for i in range(d)]
    v = [ask([e]) for e in unit]
    p = next(i for i in range(d) if v[i] != 0)
    W: list[Vector] = [[0] * d for _ in range(d)]
    for j, q in enumerate(unit):
        for i in [p, *(i for i in range(d) if i != p)]:
            x, slope = list(q), v[i]
            x[i] += 1
            if v[i] == 0:
                x[p] += 1
                slope = v[p]
            above = ask([x, q]) - v[j]
            score = log(above / (slope - above))
            W[i][j] = score if v[i] != 0 else score - W[p][j]
    return W, v
