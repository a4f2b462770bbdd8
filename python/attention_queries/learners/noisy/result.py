"""What learners hand back that know a head only up to intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from flint import fmpq

from attention_queries.errors import InputError
from attention_queries.learners.noisy.enclosure import exact_float
from attention_queries.learners.noisy.interval import Interval
from attention_queries.learners.result import Result
from attention_queries.models import AttentionModel, Head
from attention_queries.semantics.base import Semantics
from attention_queries.semantics.sign import sign

Bounds = Interval | None
"""An interval that certainly contains an entry; None where the entry is not certified."""


@dataclass(frozen=True, kw_only=True)
class LearnedIntervals(Result[AttentionModel[Any, Any] | None]):
    """Intervals for all entries of one head; `W_intervals` has shape d×d, `v_intervals` length d.

    `model` is a head in the middle of all intervals, or None when an entry is uncertified (or a base-2 weight is not
    determined). `max_denominator` is the bound on the denominators of entries that was promised, if any.
    """

    semantics: Semantics[Any, Any]
    W_intervals: tuple[tuple[Bounds, ...], ...]
    v_intervals: tuple[Bounds, ...]
    max_denominator: int | None = None
    query_bound: int
    """At most this many learning queries, by the formula of the method."""

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

    @property
    def determined(self) -> int:
        """The number of entries whose interval contains only one number that is allowed."""
        W = sum(_only(b, self._weight_denominator) is not None for row in self.W_intervals for b in row)
        return W + sum(_only(b, self.max_denominator) is not None for b in self.v_intervals)

    @property
    def _weight_denominator(self) -> int | None:
        return weight_denominator(self.semantics, self.max_denominator)

    def violations(self, head: Head[Any, Any]) -> int:
        """The number of entries of a known head outside their intervals."""
        truths = [x for row in (*head.W, head.v) for x in row]
        return sum(b is not None and not _inside(x, b) for b, x in zip(self.entries, truths, strict=True))


def check_denominator(max_denominator: int | None) -> None:
    """Raise `InputError` for a bound on denominators that is none."""
    if max_denominator is not None and (type(max_denominator) is not int or max_denominator < 1):
        raise InputError(f"the largest denominator is a positive integer, not {max_denominator}")


def weight_denominator(semantics: Semantics[Any, Any], max_denominator: int | None) -> int | None:
    """The bound on the denominators of `W`: base-2 weights are integers without any promise."""
    return 1 if semantics.name == "base2" else max_denominator


def middle(
    semantics: Semantics[Any, Any],
    W: Sequence[Sequence[Bounds]],
    v: Sequence[Bounds],
    max_denominator: int | None = None,
) -> AttentionModel[Any, Any] | None:
    """A head in the middle of all intervals, entries that are determined at their value; None where there is none."""
    denominator = weight_denominator(semantics, max_denominator)
    choose_weight = _only if semantics.name == "base2" else _choice
    weights = [[choose_weight(b, denominator) for b in row] for row in W]
    values = [_choice(b, max_denominator) for b in v]
    if any(x is None for row in (*weights, values) for x in row):
        return None
    return AttentionModel(semantics, len(v), [Head(weights, values)])


def _only(bounds: Bounds, max_denominator: int | None) -> fmpq | None:
    if bounds is None or bounds.low == bounds.high:
        return None if bounds is None else bounds.low
    return None if max_denominator is None else bounds.only_rational(max_denominator)


def _choice(bounds: Bounds, max_denominator: int | None) -> Any:
    if bounds is None:
        return None
    only = _only(bounds, max_denominator)
    return bounds.midpoint if only is None else only


def _inside(x: Any, bounds: Interval) -> bool:
    exact = exact_float(x) if isinstance(x, float) else x
    return sign(exact - bounds.low) >= 0 and sign(bounds.high - exact) >= 0


def as_texts(bounds: Iterable[Bounds]) -> list[list[str] | None]:
    """Intervals as JSON: pairs of exact text, null where uncertified."""
    return [None if b is None else b.as_text() for b in bounds]
