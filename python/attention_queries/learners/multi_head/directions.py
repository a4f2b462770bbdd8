"""Seeing all heads at once in one direction.

On `k` copies of `q + u` and `m` copies of the query token `q`, `f = ⟨V, q⟩ + F(m/k)` with

`F(ρ) = Σ_h b_h / (1 + ρ e^{-s_h})`, `b_h = ⟨v_h, u⟩`, `s_h = uᵀ W_h q`, `V = Σ_h v_h`.

`F(0) = ⟨V, u⟩` is known and `F(∞) = 0`, so `2H - 1` further values determine the scores and residues of `H` heads, and
no fewer do (`AttentionQueries.Results.direction_count`, `direction_count_sharp`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from attention_queries.errors import ScoreTooLarge
from attention_queries.exactarray import integer_array
from attention_queries.learners.multi_head.modular import evaluate, rank, simple_roots, solve
from attention_queries.learners.multi_head.reduction import Reduction, Retry
from attention_queries.oracle import Oracle
from attention_queries.sequences import Query, QueryBatch

Vector = Sequence[int]


def ratios(count: int) -> list[tuple[int, int]]:
    """The first pairs (k, m) of (1, 1), (1, 2), (2, 1), (1, 3), (3, 1), …: `2H - 1` of them need `H + 1` tokens."""
    return [(1, n // 2 + 2) if n % 2 else (n // 2 + 1, 1) for n in range(count)]


def ask(oracle: Oracle[Any, Any], batch: QueryBatch) -> list[Any]:
    """The answers to a batch, in parts when the powers of two of all of it do not fit the memory bound together."""
    try:
        return oracle.many(batch)
    except ScoreTooLarge:
        if len(batch) == 1:
            raise
        half = len(batch) // 2
        parts = (batch.sequences[:half], batch.sequences[half:])
        return [x for part in parts for x in ask(oracle, QueryBatch(batch.tokens, part, batch.denominator))]


@dataclass
class Samples:
    """The answers in one direction `(u, q)`, for the first of the `ratios`."""

    u: Vector
    q: Vector
    answers: list[Any]

    def query(self, n: int = -1) -> Query[Any]:
        """The query behind one answer."""
        k, m = ratios(len(self.answers))[n]
        return Query(((tuple(a + b for a, b in zip(self.u, self.q, strict=True)), k), (tuple(self.q), m)))


def ask_directions(
    oracle: Oracle[Any, Any], us: Sequence[Vector], q: Vector, count: int, start: int = 0
) -> list[Samples]:
    """Ask `count` ratios, from number `start` on, in every direction `(u, q)`."""
    if not us:
        return []
    tokens = [[a + b for a, b in zip(u, q, strict=True)] for u in us]
    last = len(us)
    pairs = ratios(start + count)[start:]
    sequences = [((i, k), (last, m)) for i in range(last) for k, m in pairs]
    answers = ask(oracle, QueryBatch(integer_array([*tokens, list(q)], (last + 1, len(q))), sequences))
    return [Samples(u, q, answers[i * count : (i + 1) * count]) for i, u in enumerate(us)]


class Total:
    """The sum `V` of all value vectors, exactly and as residues."""

    def __init__(self, V: Sequence[Any], reduction: Reduction) -> None:
        self.V = V
        self._reduction = reduction
        self._residues: dict[int, list[int]] = {}

    def at(self, x: Vector, modulus: int) -> int:
        """`⟨V, x⟩` modulo a power of the prime."""
        if modulus not in self._residues:
            self._residues[modulus] = self._reduction.residues(self.V, modulus)
        return sum(a * b for a, b in zip(self._residues[modulus], x, strict=True)) % modulus


def response(reduction: Reduction, total: Total, samples: Samples, modulus: int) -> list[int]:
    """`F(0)` and the values of `F` behind the samples, modulo a power of the prime."""
    at_q = total.at(samples.q, modulus)
    return [total.at(samples.u, modulus), *((x - at_q) % modulus for x in reduction.residues(samples.answers, modulus))]


def points(count: int, modulus: int) -> list[int]:
    """`ρ = 0` and the `ρ = m/k` of the first ratios, modulo a power of the prime."""
    return [0, *(m * pow(k, -1, modulus) % modulus for k, m in ratios(count))]


def visible_heads(reduction: Reduction, values: Sequence[int]) -> int:
    """The number of heads behind `F(0)` and `2N - 1` values, if at most `N`: the rank of their Loewner matrix."""
    p, x = reduction.p, points(len(values) - 1, reduction.p)
    rows = [
        [(values[i] - values[j]) * pow(x[i] - x[j], -1, p) % p for j in range(1, len(x), 2)]
        for i in range(0, len(x), 2)
    ]
    return rank(rows, p)


def _pade(reduction: Reduction, values: Sequence[int], heads: int) -> tuple[list[int], list[int]] | None:
    """Numerator (degree < H) and denominator (degree H, constant term 1) of `F`, from `F(0)` and `2H - 1` values."""
    p, n = reduction.p, 2 * heads - 1
    rows, right = [], []
    for x, y in zip(points(n, p)[1:], values[1:], strict=False):
        powers = [x]
        for _ in range(heads - 1):
            powers.append(powers[-1] * x % p)
        rows.append([-y * t % p for t in powers] + powers[:-1])
        right.append((y - values[0]) % p)
    solution = solve(rows, right, p)
    return None if solution is None else ([values[0], *solution[heads:]], [1, *solution[:heads]])


def predicts(reduction: Reduction, values: Sequence[int], heads: int) -> bool:
    """Whether `heads` heads explain `F(0)` and `2·heads` values: the last one follows from the others."""
    if heads == 0:
        return values[0] == values[1] == 0
    fractions = _pade(reduction, values, heads)
    if fractions is None:
        return False
    p, x = reduction.p, points(2 * heads, reduction.p)[-1]
    return evaluate(fractions[0], x, p) == values[2 * heads] * evaluate(fractions[1], x, p) % p


def decode(reduction: Reduction, total: Total, samples: Samples, heads: int) -> dict[Any, int]:
    """Score and residue modulo `p` of each of `heads` heads, from the first `2·heads - 1` samples.

    Raises `Retry` when the answers are not those of exactly so many heads with distinct scores and nonzero residues.
    """
    values = response(reduction, total, samples, reduction.p)
    fractions = _pade(reduction, values, heads) if heads else ([0], [1])
    roots = None if fractions is None else simple_roots(fractions[1], reduction.p)
    if fractions is None or roots is None:
        raise _no_heads(samples, heads, "no partial fractions with so many terms fit")
    p, (top, bottom) = reduction.p, fractions
    slope = [i * c % p for i, c in enumerate(bottom)][1:]
    found = {}
    for r in roots:
        b = -evaluate(top, r, p) * pow(evaluate(slope, r, p) * r, -1, p) % p
        if b == 0:
            raise _no_heads(samples, heads, "a residue vanishes")
        found[reduction.score(-r % p)] = b
    if not reduction.plausible(found, samples.answers):
        raise _no_heads(samples, heads, "the poles are not exponentials of possible scores")
    return found


def _no_heads(samples: Samples, heads: int, why: str) -> Retry:
    return Retry(
        f"the answers in one direction, up to the query {samples.query()}, are not those of {heads} visible head(s): "
        f"{why}",
        samples.query(),
        samples.answers[-1],
    )


def unit_vector(d: int, i: int, size: int = 1) -> list[int]:
    """`size` times the standard basis vector number `i`."""
    return [size if j == i else 0 for j in range(d)]


def combined(*terms: tuple[int, Vector]) -> list[int]:
    """The sum of multiples of vectors."""
    return [sum(entries) for entries in zip(*([c * x for x in vector] for c, vector in terms), strict=True)]
