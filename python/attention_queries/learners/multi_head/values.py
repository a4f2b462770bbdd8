"""The value vectors, exactly, once the scores are known: partial fractions with known poles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from flint import fmpz_mod_ctx

from attention_queries.errors import UnsupportedValues
from attention_queries.learners.multi_head import exponential_values
from attention_queries.learners.multi_head.directions import Samples, Total, ratios, response
from attention_queries.learners.multi_head.modular import rational
from attention_queries.learners.multi_head.reduction import ExpReduction, Reduction, Retry
from attention_queries.semantics.base import Semantics

_SLACK = 24
_MAX_EXPONENTIAL_HEADS = 4
_MAX_TERMS = 4096


@dataclass
class Seen:
    """A decoded direction `c·u + n·x`, with `x` a basis vector and `u` the anchor's; `scores` in the order of heads."""

    samples: Samples
    scores: list[Any]
    c: int = 1
    n: int = 0


def residues_at_poles(powers: Sequence[Any], points: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    """The `b_h` of `F(ρ) = Σ_h b_h / (1 + ρ / E_h)` from its values at as many points as there are `E_h`.

    Works in any field, by Lagrange interpolation of `F(ρ) Π_h (1 + ρ / E_h)` at the poles.
    """
    one = powers[0] / powers[0]
    scaled = [
        y * prod((one + x / E for E in powers), start=one) / prod((x - z for z in points if z is not x), start=one)
        for x, y in zip(points, values, strict=True)
    ]
    found = []
    for h, E in enumerate(powers):
        gaps = [-E - x for x in points]
        top = sum(
            (c * prod((g for j, g in enumerate(gaps) if j != i), start=one) for i, c in enumerate(scaled)), 0 * one
        )
        found.append(top / prod((one - E / other for g, other in enumerate(powers) if g != h), start=one))
    return found


def entries(found: Sequence[Any], seen: Sequence[Seen], u: Sequence[int], pivot: int) -> list[Any]:
    """The entries of `v` from `⟨v, c·u + n·e_i⟩` for all `i ≠ pivot`, and `⟨v, u⟩` at the pivot."""
    values = [(b - s.c * found[pivot]) / s.n if s.n else 0 * b for b, s in zip(found, seen, strict=True)]
    rest = sum((x * u[i] for i, x in enumerate(values) if i != pivot), 0 * found[pivot])
    values[pivot] = (found[pivot] - rest) / u[pivot]
    return values


def exact_values(
    semantics: Semantics[Any, Any],
    reduction: Reduction,
    total: Total,
    seen: Sequence[Seen],
    u: Sequence[int],
    pivot: int,
) -> list[list[Any]]:
    """The value vector of every head, from directions that span all tokens.

    Rational entries are found modulo growing powers of the prime. Entries that are exponential sums are computed in
    their own field, for few heads; raises `UnsupportedValues` beyond that.
    """
    heads = len(seen[pivot].scores)
    limit = 2 * max(semantics.bits(x) for s in seen for x in s.samples.answers) + 128
    modulus = reduction.p**2
    while True:
        vectors = _modulo(reduction, total, seen, u, pivot, modulus)
        reconstructed = [[rational(int(x), modulus, _SLACK) for x in v] for v in vectors]
        if all(x is not None for v in reconstructed for x in v):
            return [[semantics.value(x) for x in v] for v in reconstructed]
        if modulus.bit_length() > limit:
            break
        modulus **= 2
    if not isinstance(reduction, ExpReduction):
        raise Retry("no rational values of moderate size explain the answers")
    if heads <= _MAX_EXPONENTIAL_HEADS:
        return _in_the_field(semantics, total, seen, u, pivot)
    raise UnsupportedValues(
        f"the values of the {heads} heads are not rational; values that are exponential sums are computed for at most "
        f"{_MAX_EXPONENTIAL_HEADS} heads"
    )


def _per_head(
    seen: Sequence[Seen], u: Sequence[int], pivot: int, solve: Callable[[Seen], list[Any]]
) -> list[list[Any]]:
    solved = [solve(s) for s in seen]
    return [entries(list(found), seen, u, pivot) for found in zip(*solved, strict=True)]


def _modulo(
    reduction: Reduction, total: Total, seen: Sequence[Seen], u: Sequence[int], pivot: int, modulus: int
) -> list[list[Any]]:
    lift = fmpz_mod_ctx(modulus)

    def solve(s: Seen) -> list[Any]:
        heads = len(s.scores)
        few = Samples(s.samples.u, s.samples.q, s.samples.answers[: heads - 1])
        points = [lift(0), *(lift(m) / lift(k) for k, m in ratios(heads - 1))]
        powers = [lift(reduction.power(x, modulus)) for x in s.scores]
        return residues_at_poles(powers, points, [lift(y) for y in response(reduction, total, few, modulus)])

    return _per_head(seen, u, pivot, solve)


def _in_the_field(
    semantics: Semantics[Any, Any], total: Total, seen: Sequence[Seen], u: Sequence[int], pivot: int
) -> list[list[Any]]:
    def product(x: Sequence[int]) -> Any:
        return sum((a * b for a, b in zip(total.V, x, strict=True)), semantics.value(0))

    def solve(s: Seen) -> list[Any]:
        known = ratios(len(s.scores) - 1)
        at_q = product(s.samples.q)
        values = [product(s.samples.u), *(x - at_q for x in s.samples.answers[: len(known)])]
        return [_short(x) for x in exponential_values.residues_at_poles(s.scores, [(1, 0), *known], values)]

    return [[_short(x) for x in v] for v in _per_head(seen, u, pivot, solve)]


def _short(x: Any) -> Any:
    reduced = x.reduced()
    if len(reduced.numerator.terms) + len(reduced.denominator.terms) > _MAX_TERMS:
        raise UnsupportedValues(f"a value is an exponential sum of more than {_MAX_TERMS} terms")
    return reduced
