"""Transcripts: what was asked and answered, in memory or as a file of JSON lines.

The first line is `{"format": "attention-queries transcript", "version": 1, "semantics": …, "dim": …}`; every further
line is `{"runs": [[token, copies], …], "answer": …}`, with `"check": true` added for queries that a learner asks only
to re-check its finished answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Generic

from attention_queries import semantics as semantics_module
from attention_queries.errors import InputError, shown
from attention_queries.files import MAX_FILE_BYTES, AtomicFile, open_text, parse_json
from attention_queries.jsonobjects import check_keys
from attention_queries.oracle import Oracle
from attention_queries.semantics.base import S, Semantics, V
from attention_queries.sequences import Query, QueryBatch, Token

FORMAT = "attention-queries transcript"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Entry(Generic[S, V]):
    """One query, its answer, and whether it only re-checked a finished result."""

    query: Query[S]
    answer: V
    check: bool = False


@dataclass
class Transcript(Generic[S, V]):
    """A transcript in memory; also a sink for oracles."""

    semantics: Semantics[S, V]
    dim: int
    entries: list[Entry[S, V]] = field(default_factory=list)

    def record(self, batch: QueryBatch, answers: Sequence[V], *, check: bool = False) -> None:
        """Append the queries of a batch with their answers."""
        tokens = {i: self.semantics.token(batch.token(i)) for i in batch.used_rows}
        for runs, answer in zip(batch.sequences, answers, strict=True):
            self.entries.append(Entry(Query(tuple((tokens[i], k) for i, k in runs)), answer, check))

    def save(self, path: str | Path) -> None:
        """Write the transcript to a file, atomically; raises `InputError` when that is not possible."""
        with TranscriptWriter(path, self.semantics, self.dim) as writer:
            for entry in self.entries:
                writer.record(QueryBatch.of([entry.query]), [entry.answer], check=entry.check)

    @classmethod
    def load(cls, path: str | Path) -> Transcript[Any, Any]:
        """Read a whole transcript file; raises `InputError` with the number of the bad line."""
        reader = TranscriptReader(path)
        with reader:
            return cls(reader.semantics, reader.dim, list(reader))


def header_line(semantics: Semantics[Any, Any], dim: int) -> str:
    """The first line of a transcript file."""
    return json.dumps({"format": FORMAT, "version": VERSION, "semantics": semantics.name, "dim": dim}) + "\n"


def entry_lines(
    semantics: Semantics[S, V], batch: QueryBatch, answers: Sequence[V], *, check: bool = False
) -> Iterator[str]:
    """One line of a transcript file for each query of the batch."""
    suffix = ', "check": true}\n' if check else "}\n"
    # A token is turned into text once, however many queries of the batch share it.
    tokens = {
        i: json.dumps(list(map(semantics.format_scalar, semantics.token(batch.token(i))))) for i in batch.used_rows
    }
    for runs, answer in zip(batch.sequences, answers, strict=True):
        text = ", ".join([f"[{tokens[i]}, {k}]" for i, k in runs])
        yield f'{{"runs": [{text}], "answer": {json.dumps(semantics.format_value(answer))}{suffix}'


class TranscriptWriter(Generic[S, V]):
    """A sink that streams to a file, which takes its name when the `with` block ends well or with a `LearningError`."""

    def __init__(self, path: str | Path, semantics: Semantics[S, V], dim: int) -> None:
        """Open a temporary file next to `path`; raises `InputError` when it cannot be written."""
        self._semantics = semantics
        self._target = AtomicFile(path, keep_results=True)
        self._target.write(header_line(semantics, dim))

    def record(self, batch: QueryBatch, answers: Sequence[V], *, check: bool = False) -> None:
        """Write one line for each query of the batch."""
        for line in entry_lines(self._semantics, batch, answers, check=check):
            self._target.write(line)

    def __enter__(self) -> TranscriptWriter[S, V]:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self._target.__exit__(kind, error, trace)


def is_transcript(path: str | Path) -> bool:
    """Whether the first line of a file is the header of a transcript; standard input (`-`) is never taken for one."""
    if str(path) == "-":
        return False
    with open_text(path) as file:
        try:
            header = json.loads(file.readline(1 << 12))
        except (ValueError, OSError, RecursionError):
            return False
    return isinstance(header, dict) and "format" in header


class TranscriptReader:
    """Reads a transcript file entry by entry, in memory of one line; use it as a context manager and iterate."""

    semantics: Semantics[Any, Any]
    dim: int

    def __init__(self, path: str | Path) -> None:
        """Open the file and read its header; raises `InputError`."""
        self._path = path
        self._file: IO[str] = open_text(path)
        try:
            self._read_header()
        except BaseException:
            self._file.close()
            raise

    def _read_header(self) -> None:
        header = self._parse(self._line(1), 1)
        if not isinstance(header, dict) or header.get("format") != FORMAT:
            raise InputError(f"{self._path}, line 1: not the header of a transcript")
        if type(header.get("version")) is not int or header["version"] != VERSION:
            raise InputError(f"{self._path}, line 1: version {shown(header.get('version'))} is not {VERSION}")
        try:
            check_keys(header, {"format", "version", "semantics", "dim"})
            self.semantics = semantics_module.get(header["semantics"])
            self.dim = header["dim"]
            if type(self.dim) is not int or self.dim < 1:
                raise InputError(f"dim is a positive integer, not {shown(self.dim)}")
        except InputError as error:
            raise InputError(f"{self._path}, line 1: {error}") from None

    def _line(self, number: int) -> str:
        try:
            line = self._file.readline(MAX_FILE_BYTES)
        except UnicodeDecodeError:
            raise InputError(f"{self._path}, line {number}: not UTF-8 text") from None
        except OSError as error:
            raise InputError(f"{self._path}: {error.strerror}") from None
        if len(line) == MAX_FILE_BYTES:
            raise InputError(f"{self._path}, line {number}: a line of {MAX_FILE_BYTES} characters or more")
        return line

    def _parse(self, line: str, number: int) -> Any:
        try:
            return parse_json(line)
        except InputError as error:
            raise InputError(f"{self._path}, line {number}: {error}") from None

    def __iter__(self) -> Iterator[Entry[Any, Any]]:
        number = 2
        while line := self._line(number):
            try:
                yield self._entry(parse_json(line))
            except InputError as error:
                raise InputError(f"{self._path}, line {number}: {error}") from None
            number += 1

    def _entry(self, data: Any) -> Entry[Any, Any]:
        if not isinstance(data, dict):
            raise InputError("an entry is a JSON object")
        check_keys(data, {"runs", "answer"}, optional={"check"})
        check = data.get("check", False)
        if not isinstance(check, bool):
            raise InputError(f"check is true or false, not {shown(check)}")
        runs = data["runs"]
        if not isinstance(runs, list) or not all(
            isinstance(run, list) and len(run) == 2 and isinstance(run[0], list) for run in runs
        ):
            raise InputError("runs is a list of pairs [token, copies]")
        query = Query.of(((token, copies) for token, copies in runs), self.semantics)
        if query.dim != self.dim:
            raise InputError(f"tokens have length {query.dim} instead of {self.dim}")
        return Entry(query, self.semantics.value(data["answer"]), check)

    def __enter__(self) -> TranscriptReader:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self._file.close()


class ReplayOracle(Oracle[S, V]):
    """Answers from a transcript: queries with the same multiset of tokens and the same query token as a recorded one.

    Raises `InputError` for a query that was never recorded, and on construction for contradictory answers.
    """

    def __init__(self, transcript: Transcript[S, V]) -> None:
        super().__init__(transcript.semantics, transcript.dim)
        self._known: dict[tuple[Token[S], frozenset[tuple[Token[S], int]]], V] = {}
        for entry in transcript.entries:
            key = _key(entry.query)
            known = self._known.setdefault(key, entry.answer)
            if not self.semantics.equal(known, entry.answer):
                raise InputError(f"the transcript has two different answers to {entry.query}")

    def _answer(self, query: Query[S]) -> V:
        try:
            return self._known[_key(query)]
        except KeyError:
            raise InputError(f"the transcript has no answer to {query}") from None


def _key(query: Query[S]) -> tuple[Token[S], frozenset[tuple[Token[S], int]]]:
    return query.token, frozenset(query.merged().runs)
