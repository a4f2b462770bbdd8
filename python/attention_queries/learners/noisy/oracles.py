"""Oracles whose answers are off by at most a stated tolerance, and oracles that answer with one bit."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable
from typing import Any, Literal, get_args

from flint import fmpq

from attention_queries.errors import InputError, shown
from attention_queries.learners.noisy.enclosure import exact_float, value_interval
from attention_queries.learners.noisy.interval import Interval
from attention_queries.models import AttentionModel, Head
from attention_queries.oracle import Oracle
from attention_queries.semantics import ExpField
from attention_queries.semantics.base import S, V
from attention_queries.semantics.rational import parse_rational
from attention_queries.sequences import Query, QueryBatch

Noise = Literal["rounding", "extreme", "uniform"]
"""`rounding`: to a grid of step 2τ whose offset the seed determines; `extreme`: τ up or down at random; `uniform`:
independent and uniform from -τ to τ."""

_DECIMAL = re.compile(r"(-?[0-9]{1,40})(?:\.([0-9]{0,40}))?(?:[eE]([+-]?[0-9]{1,3}))?")
_FINE = 1 << 30
"""Enclosures of true answers are this many times finer than the tolerance."""


def read_tolerance(x: object, name: str = "tolerance") -> fmpq:
    """A positive number as an exact fraction, floating-point numbers included; raises `InputError`."""
    number = read_number(x, name)
    if number <= 0:
        raise InputError(f"the {name} is a positive number, not {shown(x)}")
    return number


def read_number(x: object, name: str) -> fmpq:
    """A number as an exact fraction: also floating-point numbers, and text such as `1e-6`; raises `InputError`."""
    if isinstance(x, str) and (match := _DECIMAL.fullmatch(x)):
        whole, fraction, exponent = match[1], match[2] or "", int(match[3] or 0)
        return parse_rational(f"{whole}{fraction}") * fmpq(10) ** (exponent - len(fraction))
    if not isinstance(x, float):
        try:
            return parse_rational(x)
        except InputError:
            raise InputError(f"the {name} is a number such as 3, 5/7 or 1e-6, not {shown(x)}") from None
    if not math.isfinite(x):
        raise InputError(f"the {name} is a finite number, not {x}")
    return exact_float(x)


class NoisyOracle(Oracle[S, V]):
    """Answers with the values of a known model, each changed by at most `tolerance`.

    The bound holds exactly: true answers are enclosed (or exact), and answers are rational numbers. In the float
    semantics the truth is the real-valued function of the model's parameters, and the rounding of answers to
    floating-point numbers is part of the tolerance; `InputError` where it is too small for that.
    """

    def __init__(
        self, model: AttentionModel[S, V], tolerance: object, *, noise: Noise = "rounding", seed: int = 0
    ) -> None:
        super().__init__(model.semantics, model.dim)
        if noise not in get_args(Noise):
            raise InputError(f"unknown noise {shown(noise)}; known: {', '.join(get_args(Noise))}")
        self.tolerance = read_tolerance(tolerance)
        self._truth = exact_version(model)
        self._rng = random.Random(seed)
        self._offset = self.tolerance * fmpq(self._rng.getrandbits(16), 1 << 15)
        self._perturb: Callable[[fmpq], fmpq] = {
            "rounding": self._rounded,
            "extreme": self._extreme,
            "uniform": self._uniform,
        }[noise]

    def _answer(self, query: Query[S]) -> V:
        return self._answers(QueryBatch.of([query]))[0]

    def _answers(self, batch: QueryBatch) -> list[V]:
        return [self._noisy(y) for y in self._truth.values(exact_batch(batch))]

    def _noisy(self, truth: Any) -> V:
        bounds = value_interval(truth, self.tolerance / _FINE)
        allowed = Interval(bounds.high - self.tolerance, bounds.low + self.tolerance)
        answer = min(max(self._perturb(bounds.midpoint), allowed.low), allowed.high)
        return self.semantics.value(answer if self.semantics.exact else self._float(answer, allowed))

    def _float(self, answer: fmpq, allowed: Interval) -> Any:
        try:
            nearest = int(answer.p) / int(answer.q)
        except OverflowError:
            raise InputError("an answer with noise is too large for a floating-point number") from None
        for x in (nearest, math.nextafter(nearest, -math.inf), math.nextafter(nearest, math.inf)):
            if exact_float(x) in allowed:
                return x
        raise InputError(f"the tolerance is smaller than the rounding of the floating-point answer {nearest}")

    def _rounded(self, x: fmpq) -> fmpq:
        step = 2 * self.tolerance
        return step * ((x - self._offset) / step + fmpq(1, 2)).floor() + self._offset

    def _extreme(self, x: fmpq) -> fmpq:
        return x + self.tolerance if self._rng.getrandbits(1) else x - self.tolerance

    def _uniform(self, x: fmpq) -> fmpq:
        return x + self.tolerance * (fmpq(self._rng.getrandbits(32), 1 << 31) - 1)


def exact_version(model: AttentionModel[Any, Any]) -> AttentionModel[Any, Any]:
    """The model itself if exact, else the model of true softmax with the same parameters, read as fractions."""
    if model.semantics.exact:
        return model
    heads = [Head([map(exact_float, row) for row in h.W], map(exact_float, h.v)) for h in model.heads]
    return AttentionModel(ExpField(), model.dim, heads)


def exact_batch(batch: QueryBatch) -> QueryBatch:
    """The batch with floating-point tokens read as fractions."""
    if batch.tokens.dtype != float:
        return batch
    return QueryBatch([[exact_float(x) for x in row] for row in batch.tokens.tolist()], batch.sequences)
