"""A recorded run as an oracle that gives its answers to the same queries in the same order only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from flint import fmpq

from attention_queries.errors import InputError
from attention_queries.oracle import Oracle
from attention_queries.sequences import Query
from attention_queries.transcript import Entry, TranscriptReader

Numbered = tuple[int, Entry[int, fmpq]]
"""An entry with the number of its line."""


class RecordedRun(Oracle[int, fmpq]):
    """Answers as recorded, as long as the queries come in the order of the transcript.

    Entries marked as checks are left out; `rest` gives them, and those not asked for, after the run.
    """

    def __init__(self, path: str | Path) -> None:
        """Read a transcript; raises `InputError` for a malformed one, or one of another semantics than base2."""
        with TranscriptReader(path) as reader:
            if reader.semantics.name != "base2":
                raise InputError(
                    f"{path}: certificates exist for the base2 semantics only, this is a transcript of "
                    f"{reader.semantics.name}"
                )
            super().__init__(reader.semantics, reader.dim)
            entries: list[Numbered] = list(enumerate(reader, start=2))
        self.path = path
        self.steps = [(line, entry) for line, entry in entries if not entry.check]
        self._checks = [(line, entry) for line, entry in entries if entry.check]
        self._next = 0

    def _answer(self, query: Query[int]) -> fmpq:
        if self._next == len(self.steps):
            raise InputError(f"{self.path}: the transcript ends where a certificate needs the answer to {query}")
        line, entry = self.steps[self._next]
        if entry.query != query:
            raise InputError(
                f"{self.path}, line {line}: the answer to {query} is needed here, and this is one to {entry.query}; a "
                f"certificate needs the queries of the learner, each once and in its order"
            )
        self._next += 1
        return entry.answer

    def finished(self) -> Iterator[Numbered]:
        """The entries that only check the result; raises `InputError` if others were not asked for."""
        if self._next < len(self.steps):
            line, entry = self.steps[self._next]
            raise InputError(
                f"{self.path}, line {line}: the query {entry.query} comes after the end of the run; queries that only "
                f'check a result carry "check": true'
            )
        yield from self._checks

    def rewind(self) -> None:
        """Start again from the first query."""
        self._next = 0

    def line_of(self, query: Query[Any] | None) -> int | None:
        """The line of the first entry with this query."""
        entries: Sequence[Numbered] = [*self.steps, *self._checks]
        return next((line for line, entry in entries if entry.query == query), None)
