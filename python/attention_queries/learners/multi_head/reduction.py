"""From exact answers to residues: ring homomorphisms under which exponentials become powers of one generator.

In the base2 semantics an answer is a rational number, taken modulo a prime of which 2 is a generator. In the exp
semantics it is a fraction of sums `Σ c·e^(n/D)`. As `e` is transcendental, `e^(1/D)` may be sent to any unit of a prime
field: that is a ring homomorphism on all fractions whose denominator stays a unit, which is checked. In both cases the
exponential of a score becomes a power of the generator, and the score is its discrete logarithm.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from math import lcm
from typing import Any

from flint import fmpq

from attention_queries.errors import InputError
from attention_queries.learners.multi_head.modular import SmoothPrime
from attention_queries.semantics import Base2, ExpField, ExpFraction
from attention_queries.semantics.base import Semantics
from attention_queries.semantics.base2 import MAX_POWER_BITS
from attention_queries.semantics.expsum import ExpSum
from attention_queries.semantics.rational import parse_rational
from attention_queries.sequences import Query


class Retry(Exception):
    """This attempt cannot go on, because of an unlucky random choice or of answers that fit no model.

    `query` and `answer`, if given, are where it showed.
    """

    def __init__(self, message: str, query: Query[Any] | None = None, answer: Any = None) -> None:
        super().__init__(message)
        self.query = query
        self.answer = answer


class Reduction(ABC):
    """A homomorphism from values to residues modulo powers of `p`."""

    def __init__(self, prime: SmoothPrime) -> None:
        self.prime = prime
        self.p = prime.p

    @abstractmethod
    def residue(self, x: Any, modulus: int) -> int:
        """The residue of a value; raises `Retry` when its denominator is not a unit."""

    @abstractmethod
    def power(self, score: Any, modulus: int) -> int:
        """The residue of `exp(score)`."""

    @abstractmethod
    def score(self, residue: int) -> Any:
        """The score whose exponential has this residue modulo `p`, the one of smallest size."""

    @abstractmethod
    def plausible(self, scores: Iterable[Any], answers: Sequence[Any]) -> bool:
        """Whether scores are no larger than those behind such answers can be."""

    def residues(self, xs: Iterable[Any], modulus: int) -> list[int]:
        """The residues of several values."""
        return [self.residue(x, modulus) for x in xs]


class Base2Reduction(Reduction):
    """Rational numbers modulo `p`."""

    def residue(self, x: fmpq, modulus: int) -> int:
        """The rational number modulo a power of `p`."""
        return _fraction(int(x.p), int(x.q), modulus)

    def power(self, score: int, modulus: int) -> int:
        """A power of two."""
        return pow(2, score, modulus)

    def score(self, residue: int) -> int:
        """The exponent of two."""
        return self.prime.log(residue)

    def plausible(self, scores: Iterable[int], answers: Sequence[Any]) -> bool:
        """Whether the scores are within the memory bound."""
        # Oracles answer no query with a larger score, so a prime beyond this bound makes every logarithm the score.
        return all(abs(s) <= MAX_POWER_BITS for s in scores)


class ExpReduction(Reduction):
    """Fractions of exponential sums with exponents in `(1/unit)ℤ`, `e^(1/unit)` sent to the generator."""

    def __init__(self, prime: SmoothPrime, unit: int) -> None:
        super().__init__(prime)
        self.unit = unit
        self._powers: dict[tuple[int, int], int] = {}

    def residue(self, x: ExpFraction, modulus: int) -> int:
        """Numerator and denominator with `e^(1/unit)` replaced by the generator."""
        return _fraction(self._sum(x.numerator, modulus), self._sum(x.denominator, modulus), modulus)

    def _sum(self, x: ExpSum, modulus: int) -> int:
        factor, rest = divmod(self.unit, x.unit)
        if rest:
            raise NewDenominator(x.unit)
        total = 0
        for n, c in x.terms.items():
            key = n * factor, modulus
            if key not in self._powers:
                self._powers[key] = pow(self.prime.g, n * factor, modulus)
            total += self._powers[key] * (int(c.p) if c.q == 1 else _fraction(int(c.p), int(c.q), modulus))
        return total % modulus

    def power(self, score: fmpq, modulus: int) -> int:
        """A power of the generator; raises `NewDenominator`."""
        n = score * self.unit
        if n.q != 1:
            raise NewDenominator(int(score.q))
        return pow(self.prime.g, int(n.p), modulus)

    def score(self, residue: int) -> fmpq:
        """A multiple of `1/unit`."""
        return fmpq(self.prime.log(residue), self.unit)

    def plausible(self, scores: Iterable[fmpq], answers: Sequence[ExpFraction]) -> bool:
        """Whether no score exceeds the exponents in the answers."""
        # The denominators k e^s + m of different ratios k : m have no factors in common, so some answer's denominator
        # spans at least the largest score.
        span = max((x.denominator.leading()[0] - x.denominator.lowest() for x in answers), default=fmpq(0))
        return all(abs(s) <= span for s in scores)


class NewDenominator(Retry):
    """A score has a denominator that does not divide the unit chosen at the start."""

    def __init__(self, denominator: int) -> None:
        super().__init__(f"a score has denominator {denominator}")
        self.denominator = denominator


def _fraction(p: int, q: int, modulus: int) -> int:
    try:
        return p % modulus * pow(q, -1, modulus) % modulus
    except ValueError:
        raise Retry("a denominator is divisible by the prime") from None


USUAL_UNIT = 2520
"""Denominators up to 10 are allowed for from the start, so that they never cost a second attempt."""
_BASE2_BITS, _EXP_BITS = 30, 60


class Reductions:
    """Draws a fresh reduction for every attempt, remembering the denominators seen so far."""

    def __init__(self, semantics: Semantics[Any, Any], rng: random.Random, *, integers: bool = False) -> None:
        """`integers` says that all scores are integers. Raises `InputError` for floating-point semantics."""
        if not isinstance(semantics, Base2 | ExpField):
            raise InputError(
                f"several heads are learned from exact answers only, not in the {semantics.name} semantics"
            )
        self._base2 = isinstance(semantics, Base2)
        self._rng = rng
        self._unit = 1 if integers else USUAL_UNIT

    def draw(self, bits: int = 0) -> Reduction:
        """A reduction modulo a random prime of at least `bits` bits."""
        if self._base2:
            return Base2Reduction(SmoothPrime.draw(self._rng, max(bits, _BASE2_BITS), generator=2))
        return ExpReduction(SmoothPrime.draw(self._rng, max(bits, _EXP_BITS)), self._unit)

    def allow(self, denominator: int) -> None:
        """Let exponents have this denominator from now on."""
        self._unit = lcm(self._unit, denominator)


def score_modulo(score: Any, n: int) -> int | None:
    """A score modulo the prime `n` (or 1), None when `n` divides its denominator."""
    if type(score) is int:
        return score % n
    x = parse_rational(score)
    if n == 1:
        return 0
    return int(x.p) * pow(int(x.q), -1, n) % n if x.q % n != 0 else None


def divided(x: Any, n: int) -> Any:
    """The score `x / n`; raises `Retry` when integers do not divide."""
    if type(x) is not int:
        return x / n
    quotient, rest = divmod(x, n)
    if rest:
        raise Retry("the scores are not those of integer matrices")
    return quotient
