"""Several values at once: the answers of a layer whose outputs are vectors."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Generic

import numpy as np

from attention_queries.errors import InputError, NotAPower, shown
from attention_queries.semantics.base import S, Semantics, V


class VectorValues(Semantics[S, tuple[V, ...]], Generic[S, V]):
    """The scalars of another semantics, and tuples of `length` of its values, computed with entry by entry.

    Scalars and exponentials are the tuples with equal entries.
    """

    def __init__(self, entries: Semantics[S, V], length: int) -> None:
        """Raises `InputError` when the length is not a positive integer."""
        if type(length) is not int or length < 1:
            raise InputError(f"the length of an output is a positive integer, not {shown(length)}")
        self.entries = entries
        self.length = length
        self.name = f"{entries.name}^{length}"
        self.exact = entries.exact
        self.max_span = entries.max_span

    def scalar(self, x: object) -> S:
        """Read a scalar of the entries' semantics."""
        return self.entries.scalar(x)

    def value(self, x: object) -> tuple[V, ...]:
        """Read a sequence of values, or the text that `format_value` makes of one."""
        if isinstance(x, str):
            with suppress(ValueError):
                x = json.loads(x)
        if isinstance(x, str) or not isinstance(x, Sequence | np.ndarray):
            raise InputError(f"{shown(x)} is not a list of {self.length} values")
        vector = tuple(map(self.entries.value, x))
        if len(vector) != self.length:
            raise InputError(f"{shown(x)} has {len(vector)} entries instead of {self.length}")
        return vector

    def cast(self, s: S) -> tuple[V, ...]:
        """The scalar in every entry."""
        return (self.entries.cast(s),) * self.length

    def exp(self, s: S) -> tuple[V, ...]:
        """The exponential in every entry."""
        return (self.entries.exp(s),) * self.length

    def log(self, x: tuple[V, ...]) -> S:
        """The logarithm of the one number that all entries are."""
        if any(y != x[0] for y in x):
            raise NotAPower("its entries differ")
        return self.entries.log(x[0])

    def softmax_mean(
        self, scores: Sequence[S], copies: Sequence[int], values: Sequence[tuple[V, ...]]
    ) -> tuple[V, ...]:
        """The mean of every entry."""
        return tuple(self.entries.softmax_mean(scores, copies, column) for column in zip(*values, strict=True))

    def check_spans(self, spans: Sequence[S]) -> None:
        """As the entries' semantics."""
        self.entries.check_spans(spans)

    def equal(self, x: tuple[V, ...], y: tuple[V, ...]) -> bool:
        """Whether all entries agree."""
        return all(map(self.entries.equal, x, y))

    def format_scalar(self, s: S) -> int | float | str:
        """As the entries' semantics."""
        return self.entries.format_scalar(s)

    def format_value(self, x: tuple[V, ...]) -> str:
        """The entries as the text of a JSON list."""
        return json.dumps(list(map(self.entries.format_value, x)))

    def bits(self, x: tuple[V, ...]) -> int:
        """The bits of all entries together."""
        return sum(map(self.entries.bits, x))

    def __repr__(self) -> str:
        return f"VectorValues({self.entries!r}, {self.length})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, VectorValues) and (self.entries, self.length) == (other.entries, other.length)

    def __hash__(self) -> int:
        return hash((self.entries, self.length))
