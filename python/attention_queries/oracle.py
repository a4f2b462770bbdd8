"""Oracles: what a learner may ask, with everything counted and, on request, recorded."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any, Generic, Protocol

from attention_queries.errors import InputError, shown
from attention_queries.models import SequenceModel
from attention_queries.semantics.base import S, Semantics, V
from attention_queries.sequences import Query, QueryBatch, Token


@dataclass
class QueryCount:
    """What asking has cost: queries, tokens (copies counted), the longest sequence, and bits of all answers."""

    queries: int = 0
    tokens: int = 0
    longest: int = 0
    bits: int = 0

    def add(self, lengths: Sequence[int], bits: int) -> None:
        """Count queries of these lengths, whose answers have `bits` bits together."""
        self.queries += len(lengths)
        self.tokens += sum(lengths)
        self.longest = max(self.longest, *lengths) if lengths else self.longest
        self.bits += bits

    def as_dict(self) -> dict[str, int]:
        """The four numbers by name."""
        return asdict(self)


class Sink(Protocol):
    """What an oracle records to; `check` marks queries that only re-check a finished answer."""

    def record(self, batch: QueryBatch, answers: Sequence[Any], *, check: bool) -> None:
        """Take note of the answers to a batch."""


class Oracle(ABC, Generic[S, V]):
    """Answers queries of one dimension in one semantics, counting each of them in `count`.

    Set `sink` (for instance to a `Transcript`) to have every query and answer recorded.
    """

    def __init__(self, semantics: Semantics[S, V], dim: int) -> None:
        if type(dim) is not int or dim < 1:
            raise InputError(f"the dimension is a positive integer, not {shown(dim)}")
        self.semantics = semantics
        self.dim = dim
        self.count = QueryCount()
        self.sink: Sink | None = None
        self._checking = False

    @abstractmethod
    def _answer(self, query: Query[S]) -> V:
        """The answer to one query of the right dimension."""

    def _answers(self, batch: QueryBatch) -> list[V]:
        """The answers to a batch of the right dimension."""
        return [self._answer(query) for query in batch]

    def ask(self, query: Query[S]) -> V:
        """The answer to one query; raises `InputError` for tokens of another dimension."""
        self._check_dim(query.dim)
        answer = self._answer(query)
        self.count.add([query.length], self.semantics.bits(answer))
        if self.sink is not None:
            self.sink.record(QueryBatch.of([query]), [answer], check=self._checking)
        return answer

    def many(self, batch: QueryBatch) -> list[V]:
        """The answers to a batch, in its order; raises `InputError` for tokens of another dimension."""
        if len(batch) == 0:
            return []
        self._check_dim(batch.dim)
        answers = self._answers(batch)
        self.count.add(batch.lengths, sum(map(self.semantics.bits, answers)))
        if self.sink is not None:
            self.sink.record(batch, answers, check=self._checking)
        return answers

    def _check_dim(self, dim: int) -> None:
        if dim != self.dim:
            raise InputError(f"the query has tokens of length {dim}, the oracle has dimension {self.dim}")

    @contextmanager
    def counting(self, count: QueryCount) -> Iterator[QueryCount]:
        """Within the block, queries are counted in `count` instead."""
        before, self.count = self.count, count
        try:
            yield count
        finally:
            self.count = before

    @contextmanager
    def fresh_count(self) -> Iterator[QueryCount]:
        """Within the block, queries are counted apart, in the count that is given, and recorded as checks."""
        before, self._checking = self._checking, True
        try:
            with self.counting(QueryCount()) as count:
                yield count
        finally:
            self._checking = before


class ModelOracle(Oracle[S, V]):
    """Answers with the values of a known model."""

    def __init__(self, model: SequenceModel[S, V]) -> None:
        super().__init__(model.semantics, model.dim)
        self._model = model

    def _answer(self, query: Query[S]) -> V:
        return self._model.value(query)

    def _answers(self, batch: QueryBatch) -> list[V]:
        return self._model.values(batch)


class CallableOracle(Oracle[S, V]):
    """Answers with any function of the runs, a list of pairs (token, copies) whose last token is the query token.

    Every answer is read by `semantics.value`; what it does not accept is an `InputError` that names the query.
    """

    def __init__(self, f: Callable[[list[tuple[Token[S], int]]], Any], semantics: Semantics[S, V], dim: int) -> None:
        super().__init__(semantics, dim)
        self._f = f

    def _answer(self, query: Query[S]) -> V:
        return self._read(self._f(list(query.runs)), query)

    def _answers(self, batch: QueryBatch) -> list[V]:
        tokens = {i: self.semantics.token(batch.token(i)) for i in batch.used_rows}
        return [self._answer(Query(tuple((tokens[i], k) for i, k in runs))) for runs in batch.sequences]

    def _read(self, answer: object, query: Query[S]) -> V:
        try:
            return self.semantics.value(answer)
        except InputError as error:
            raise InputError(f"the oracle's answer to {query} cannot be used: {error}") from None
