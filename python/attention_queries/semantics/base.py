"""The interface that every number system offers to models, oracles and learners."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from attention_queries.errors import NotAPower

S = TypeVar("S", bound=Any)
"""A scalar: entry of a token or of `W`, or a score."""
V = TypeVar("V", bound=Any)
"""A value: weight, entry of `v`, or answer. Values form a field with `+ - * /` and `==`."""

Runs = Sequence[tuple[int, int]]
"""A sequence as pairs (row of a token table, number of copies); the last pair holds the query token."""


class Semantics(ABC, Generic[S, V]):
    """Scalars, values, and an exponential from the first to the second.

    `exp(s + t) == exp(s) * exp(t)`, `exp` is injective and positive, and `cast` is a ring homomorphism.
    """

    name: str
    exact: bool
    max_span: int | None = None
    """Largest allowed difference of two scores in one query; None when there is no limit."""

    @abstractmethod
    def scalar(self, x: object) -> S:
        """Read a scalar; raises `InputError` for what is not one."""

    @abstractmethod
    def value(self, x: object) -> V:
        """Read a value; raises `InputError` for what is not one."""

    @abstractmethod
    def cast(self, s: S) -> V:
        """The value equal to the scalar `s`."""

    @abstractmethod
    def exp(self, s: S) -> V:
        """The exponential of the scalar `s`."""

    @abstractmethod
    def log(self, x: V) -> S:
        """The scalar `s` with `exp(s) == x`; raises `NotAPower` when there is none."""

    @abstractmethod
    def softmax_mean(self, scores: Sequence[S], copies: Sequence[int], values: Sequence[V]) -> V:
        """The weighted mean `Σ k_i e^{s_i} y_i / Σ k_i e^{s_i}` of a non-empty sequence.

        Scores are shifted by an extreme one first, so nothing overflows.
        """

    @abstractmethod
    def format_scalar(self, s: S) -> int | float | str:
        """`s` as it is written in JSON; `scalar` reads it back."""

    @abstractmethod
    def format_value(self, x: V) -> int | float | str:
        """`x` as it is written in JSON; `value` reads it back."""

    @abstractmethod
    def bits(self, x: V) -> int:
        """Size of an answer in bits."""

    def token(self, entries: Iterable[object]) -> tuple[S, ...]:
        """Read a vector of scalars; raises `InputError`."""
        return tuple(map(self.scalar, entries))

    def check_spans(self, spans: Sequence[S]) -> None:
        """Refuse queries whose scores lie too far apart, one entry a query and head; raises `ScoreTooLarge`."""

    def equal(self, x: V, y: V) -> bool:
        """Whether two values agree: exactly, or within the stated tolerance of a floating semantics."""
        return bool(x == y)

    def log_many(self, xs: Sequence[V]) -> list[S]:
        """The logarithms of many values; `NotAPower.position` tells which one failed."""
        try:
            return list(map(self.log, xs))
        except NotAPower:
            for position, x in enumerate(xs):
                try:
                    self.log(x)
                except NotAPower as error:
                    raise NotAPower(str(error), position) from None
            raise

    def softmax_means(self, scores: Mapping[int, S], values: Sequence[V], sequences: Sequence[Runs]) -> list[V]:
        """`softmax_mean` of many sequences whose rows point into shared scores and values."""
        return [
            self.softmax_mean([scores[i] for i, _ in runs], [k for _, k in runs], [values[i] for i, _ in runs])
            for runs in sequences
        ]

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(self.name)
