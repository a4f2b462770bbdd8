"""Arithmetic modulo primes with easy discrete logarithms, and linear algebra over them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from flint import fmpq, fmpz, fmpz_mod_ctx, fmpz_mod_mat, fmpz_mod_poly_ctx, nmod_mat, nmod_poly

_FACTORS = [r for r in range(11, 4000) if fmpz(r).is_prime()]
_FEW = 72
_WORD = 1 << 63


class SmoothPrime:
    """A prime `p` whose `p - 1` has small factors only, and a generator `g` of its multiplicative group.

    Hence every unit is a power of `g`, with an exponent that is unique modulo `p - 1` and quick to find.
    """

    def __init__(self, p: int, g: int, factors: Sequence[int]) -> None:
        self.p = p
        self.g = g
        # Pohlig-Hellman: the exponent modulo each factor from a table, put together by the Chinese remainder theorem.
        self._parts = []
        for r in factors:
            power = (p - 1) // r
            root = pow(g, power, p)
            table, x = {}, 1
            for i in range(r):
                table[x] = i
                x = x * root % p
            self._parts.append((power, table, power * pow(power, -1, r)))

    @classmethod
    def draw(cls, rng: random.Random, bits: int, generator: int | None = None) -> SmoothPrime:
        """A random such prime of at least `bits` bits, and a random generator unless one is wanted."""
        # Small factors make logarithms quick; large primes need more of them than there are small ones.
        pool = _FACTORS[: _FEW + bits // 4]
        while True:
            factors, product = [2], 2
            for r in rng.sample(pool, min(len(pool), bits // 3)):
                if product >> bits:
                    break
                factors.append(r)
                product *= r
            p = product + 1
            if fmpz(p).is_probable_prime():
                g = rng.randrange(3, p - 1) if generator is None else generator
                if all(pow(g, (p - 1) // r, p) != 1 for r in factors):
                    return cls(p, g, factors)

    def log(self, x: int) -> int:
        """The exponent of smallest absolute value with `g^n = x`, for a unit `x`."""
        n = sum(table[pow(x, power, self.p)] * lift for power, table, lift in self._parts) % (self.p - 1)
        return n if n <= self.p // 2 else n - (self.p - 1)


def matrix(rows: Sequence[Sequence[int]], p: int) -> Any:
    """A matrix over the integers modulo `p`, of the type that fits its size."""
    entries = [x for row in rows for x in row]
    if p < _WORD:
        return nmod_mat(len(rows), len(rows[0]), entries, p)
    return fmpz_mod_mat(len(rows), len(rows[0]), entries, fmpz_mod_ctx(p))


def solve(rows: Sequence[Sequence[int]], right: Sequence[int], p: int) -> list[int] | None:
    """The solution of a square linear system modulo `p`, or None when the system is singular."""
    try:
        solution = matrix(rows, p).solve(matrix([[x] for x in right], p))
    except ZeroDivisionError:
        return None
    return [int(solution[i, 0]) for i in range(len(rows))]


def rank(rows: Sequence[Sequence[int]], p: int) -> int:
    """The rank of a matrix modulo `p`."""
    return int(matrix(rows, p).rank()) if rows else 0


def simple_roots(coefficients: Sequence[int], p: int) -> list[int] | None:
    """The roots of a polynomial (constant term first) that splits into distinct factors modulo `p`, else None."""
    if p < _WORD:
        polynomial: Any = nmod_poly(list(coefficients), p)
    else:
        polynomial = fmpz_mod_poly_ctx(fmpz_mod_ctx(p))(list(coefficients))
    degree = len(coefficients) - 1
    if polynomial.degree() != degree:
        return None
    roots = polynomial.roots()
    return [int(r) for r, _ in roots] if len(roots) == degree and all(m == 1 for _, m in roots) else None


def evaluate(coefficients: Sequence[int], x: int, p: int) -> int:
    """The value of a polynomial (constant term first) modulo `p`."""
    total = 0
    for c in reversed(coefficients):
        total = (total * x + c) % p
    return total


def rational(residue: int, modulus: int, slack: int) -> fmpq | None:
    """The rational number `n/d` with this residue and `|n|·d·2^slack < modulus`; None when there is none.

    A random residue has such a number with probability about `2^-slack`.
    """
    r, s, x, y = modulus, residue % modulus, 0, 1
    if s == 0:
        return fmpq(0)
    bound = modulus >> slack
    while s:
        if s * abs(y) < bound:
            return fmpq(s, y) if y > 0 else fmpq(-s, -y)
        quotient = r // s
        r, s, x, y = s, r - quotient * s, y, x - quotient * y
    return None
