"""The symmetries of multi-head attention as identities of rational functions, checked with sympy.

Tokens, value vectors and the exponentials of scores are indeterminates, so an identity that holds here holds for every
number system: nothing about the exponential is used but that equal scores have equal exponentials.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from attention_queries.errors import InputError

Vector = Sequence[sp.Expr]


def symmetries_hold(dim: int, heads: int, tokens: int) -> bool:
    """Whether all four symmetries are identities for this dimension, number of heads and sequence length.

    - heads that share `W`: values redistributed with the same sum give the same output (merging is one case);
    - a head with value zero contributes nothing, whatever its scores;
    - the order of heads does not matter;
    - for length 2, the heads `(W, v)` and `(−W, v)` give `⟨v, x₁ + x₂⟩`, whatever `W`.

    Raises `InputError` unless all three numbers are positive.
    """
    if min(dim, heads, tokens) < 1:
        raise InputError("symmetries are checked for at least one dimension, one head and one token")
    return (
        _redistribution(dim, heads, tokens)
        and _zero_value(dim, tokens)
        and _permutation(dim, heads, tokens)
        and _opposite_scores(dim)
    )


def _symbols(name: str, rows: int, columns: int) -> list[list[sp.Expr]]:
    return [[sp.Symbol(f"{name}{i}_{j}") for j in range(columns)] for i in range(rows)]


def _head(weights: Vector, v: Vector, xs: Sequence[Vector]) -> sp.Expr:
    """One head's output, from the exponentials of its scores."""
    outputs = [sp.Add(*(a * b for a, b in zip(v, x, strict=True))) for x in xs]
    return sp.Add(*(w * y for w, y in zip(weights, outputs, strict=True))) / sp.Add(*weights)


def _is_zero(expression: sp.Expr) -> bool:
    return bool(sp.expand(sp.fraction(sp.together(expression))[0]) == 0)


def _redistribution(dim: int, heads: int, tokens: int) -> bool:
    xs, v = _symbols("x", tokens, dim), _symbols("v", heads, dim)
    weights = [sp.Symbol(f"e{i}", positive=True) for i in range(tokens)]
    moved = [list(row) for row in v]
    for h, row in enumerate(_symbols("t", heads - 1, dim)):
        moved[h] = [a + t for a, t in zip(moved[h], row, strict=True)]
        moved[h + 1] = [a - t for a, t in zip(moved[h + 1], row, strict=True)]
    before = sp.Add(*(_head(weights, row, xs) for row in v))
    return _is_zero(before - sp.Add(*(_head(weights, row, xs) for row in moved)))


def _zero_value(dim: int, tokens: int) -> bool:
    weights = [sp.Symbol(f"e{i}", positive=True) for i in range(tokens)]
    return _is_zero(_head(weights, [sp.S.Zero] * dim, _symbols("x", tokens, dim)))


def _permutation(dim: int, heads: int, tokens: int) -> bool:
    xs, v, e = _symbols("x", tokens, dim), _symbols("v", heads, dim), _symbols("e", heads, tokens)
    outputs = [_head(e[h], v[h], xs) for h in range(heads)]
    return bool(sp.Add(*outputs) == sp.Add(*reversed(outputs)))


def _opposite_scores(dim: int) -> bool:
    xs, (v,) = _symbols("x", 2, dim), _symbols("v", 1, dim)
    # The last token is the query; up to a common factor its exponential is 1 and the other one e, or 1/e for −W.
    e = sp.Symbol("e", positive=True)
    total = _head([e, sp.S.One], v, xs) + _head([1 / e, sp.S.One], v, xs)
    return _is_zero(total - sp.Add(*(a * (b + c) for a, b, c in zip(v, *xs, strict=True))))
