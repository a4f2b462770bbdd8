"""What learners hand back that know a head only up to intervals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from flint import fmpq

from attention_queries.learners.noisy.interval import Interval
from attention_queries.models import AttentionModel, Head
from attention_queries.oracle import QueryCount
from attention_queries.semantics.base import Semantics

Bounds = Interval | None
"""An interval that certainly contains an entry; None where the entry is not certified."""


@dataclass(frozen=True)
class LearnedIntervals:
    """Intervals for all entries of one head; `W_intervals` has shape d×d, `v_intervals` length d.

    `learning`, `verification` and `notes` are as in `Learned`. `max_denominator` is the bound on the denominators of
    weights that was promised, if any.
    """

    semantics: Semantics[Any, Any]
    W_intervals: tuple[tuple[Bounds, ...], ...]
    v_intervals: tuple[Bounds, ...]
    method: str
    learning: QueryCount
    verification: QueryCount
    notes: tuple[str, ...] = ()
    max_denominator: int | None = None

    @property
    def dim(self) -> int:
        """The dimension d."""
        return len(self.v_intervals)

    @property
    def entries(self) -> list[Bounds]:
        """The intervals of all entries, row by row, `v` last."""
        return [bounds for row in (*self.W_intervals, self.v_intervals) for bounds in row]

    @property
    def certified(self) -> int:
        """The number of entries with an interval."""
        return sum(bounds is not None for bounds in self.entries)

    @property
    def widest(self) -> fmpq | None:
        """The largest width of an interval of `W`, or None when there is none."""
        return max((b.width for row in self.W_intervals for b in row if b is not None), default=None)

    def violations(self, head: Head[Any, Any]) -> int:
        """The number of entries of a known head outside their intervals."""
        truths = [x for row in (*head.W, head.v) for x in row]
        pairs = zip(self.entries, truths, strict=True)
        return sum(bounds is not None and _rational(x) not in bounds for bounds, x in pairs)

    def model(self) -> AttentionModel[Any, Any] | None:
        """A head in the middle of all intervals, or None when an entry is uncertified or its middle is no scalar.

        Entries whose interval contains a single number that the promise about denominators allows are that number.
        """
        W = [[self._choice(b, weight=True) for b in row] for row in self.W_intervals]
        v = [self._choice(b, weight=False) for b in self.v_intervals]
        if any(x is None for row in (*W, v) for x in row):
            return None
        if not self.semantics.exact:
            W, v = [[_nearest(x) for x in row] for row in W], [_nearest(x) for x in v]
        return AttentionModel(self.semantics, self.dim, [Head(W, v)])

    @property
    def exact_entries(self) -> int:
        """The number of entries that are determined: only one number in the interval is allowed."""
        W = sum(self._determined(b, weight=True) is not None for row in self.W_intervals for b in row)
        return W + sum(self._determined(b, weight=False) is not None for b in self.v_intervals)

    def _determined(self, bounds: Bounds, *, weight: bool) -> fmpq | None:
        if bounds is None:
            return None
        if bounds.low == bounds.high:
            return bounds.low
        if weight and self.semantics.name == "base2":
            return bounds.only_rational(1)
        return None if self.max_denominator is None else bounds.only_rational(self.max_denominator)

    def _choice(self, bounds: Bounds, *, weight: bool) -> Any:
        if bounds is None:
            return None
        only = self._determined(bounds, weight=weight)
        if only is not None:
            return only
        return None if weight and self.semantics.name == "base2" else bounds.midpoint


def _rational(x: Any) -> fmpq:
    if isinstance(x, float):
        return fmpq(*x.as_integer_ratio())
    if isinstance(x, int | fmpq):
        return fmpq(x)
    rational: fmpq | None = x.as_rational()
    if rational is None:
        raise ValueError(f"{x} is irrational")
    return rational


def _nearest(x: Any) -> float:
    return int(x.p) / int(x.q)


def as_texts(bounds: Iterable[Bounds]) -> list[list[str] | None]:
    """Intervals as JSON: pairs of exact text, null where uncertified."""
    return [None if b is None else b.as_text() for b in bounds]
