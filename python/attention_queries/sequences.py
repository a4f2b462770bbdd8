"""Queries: sequences of tokens given as runs, one by one or in batches that share their tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from attention_queries.errors import InputError, shown
from attention_queries.exactarray import ExactArray, exact_matrix
from attention_queries.semantics.base import Runs, S, Semantics
from attention_queries.semantics.floating import Float

Token = tuple[S, ...]
"""A vector of scalars; its length is the dimension."""


@dataclass(frozen=True, slots=True)
class Query(Generic[S]):
    """A sequence given as runs `(token, copies)`; the last run ends in the query token.

    Lists and arrays in place of tuples are copied into tuples. Raises `InputError` when there is no run, a count is not
    a positive integer, or lengths of tokens differ.
    """

    runs: tuple[tuple[Token[S], int], ...]

    def __post_init__(self) -> None:
        runs = self.runs
        if type(runs) is not tuple or any(type(run) is not tuple or type(run[0]) is not tuple for run in runs):
            object.__setattr__(self, "runs", tuple((tuple(token), copies) for token, copies in runs))
        if not self.runs:
            raise InputError("a query needs at least one token")
        dim = len(self.runs[0][0])
        for token, copies in self.runs:
            _check_copies(copies)
            if len(token) != dim:
                raise InputError(f"tokens of one query have different lengths: {dim} and {len(token)}")
        if dim == 0:
            raise InputError("a token needs at least one entry")

    @classmethod
    def of(cls, runs: Iterable[tuple[Iterable[Any], int]], semantics: Semantics[S, Any]) -> Query[S]:
        """The query with these runs, every entry read as a scalar of `semantics`."""
        return cls(tuple((semantics.token(token), copies) for token, copies in runs))

    @property
    def dim(self) -> int:
        """The length of every token."""
        return len(self.runs[0][0])

    @property
    def length(self) -> int:
        """The number of tokens, copies counted."""
        return sum(copies for _, copies in self.runs)

    @property
    def token(self) -> Token[S]:
        """The query token: the last token of the sequence."""
        return self.runs[-1][0]

    @property
    def context(self) -> tuple[tuple[Token[S], int], ...]:
        """The runs without the one copy of the query token at the very end."""
        *context, (token, copies) = self.runs
        return (*context, (token, copies - 1)) if copies > 1 else tuple(context)

    def merged(self) -> Query[S]:
        """The same multiset of tokens with the same query token, every distinct token in one run."""
        copies: dict[Token[S], int] = {}
        for token, k in self.runs:
            copies[token] = copies.get(token, 0) + k
        last = copies.pop(self.token)
        return Query((*copies.items(), (self.token, last)))

    def __str__(self) -> str:
        parts = [f"{_vector(token)}{f' x{copies}' if copies > 1 else ''}" for token, copies in self.runs]
        return f"[{', '.join(parts)}]"


def _check_copies(copies: object) -> None:
    if type(copies) is not int or copies < 1:
        raise InputError(f"a token needs a positive integer number of copies, not {shown(copies)}")


def _vector(token: Sequence[Any]) -> str:
    """A token for people: short ones in full, long ones by their non-zero entries."""
    if len(token) <= 8:
        return f"({', '.join(_entry(x) for x in token)})"
    entries = [(i, x) for i, x in enumerate(token) if x != 0]
    text = " + ".join(f"{'' if x == 1 else f'{_entry(x)} '}e{i}" for i, x in entries[:8]) or "0"
    return text + (f" + {len(entries) - 8} more terms" if len(entries) > 8 else "")


def _entry(x: Any) -> str:
    return shown(x) if isinstance(x, int) else str(x)


class QueryBatch:
    """Many queries over one shared table of tokens.

    `tokens` is an array of shape t×d with one token a row: int64 or object (Python integers), to be divided by
    `denominator`, or float64. Each entry of `sequences` is a query: pairs (row, copies), the query token last.
    """

    def __init__(self, tokens: Any, sequences: Iterable[Iterable[tuple[int, int]]], denominator: int = 1) -> None:
        """Take a table and runs that point into it; raises `InputError` for runs that are not queries."""
        self.tokens, self.denominator = _table(tokens)
        self.denominator *= denominator
        self.sequences: list[Runs] = [tuple((i, k) for i, k in runs) for runs in sequences]
        size = len(self.tokens)
        for runs in self.sequences:
            if not runs:
                raise InputError("a query needs at least one token")
            for i, k in runs:
                if not 0 <= i < size:
                    raise InputError(f"a query points to row {i} of a table of {size} tokens")
                _check_copies(k)

    @classmethod
    def _trusted(cls, tokens: NDArray[Any], denominator: int, sequences: list[Runs]) -> QueryBatch:
        batch = cls.__new__(cls)
        batch.tokens, batch.denominator, batch.sequences = tokens, denominator, sequences
        return batch

    @classmethod
    def pairs(cls, context_rows: Any, q: Any, k: int = 1, m: int = 1) -> QueryBatch:
        """The queries `[(x, k), (q, m)]`, one for each row `x` of `context_rows` (shape n×d)."""
        _check_copies(k)
        _check_copies(m)
        rows, denominator = _table(context_rows)
        last, q_denominator = _table([q])
        if rows.shape[1] != last.shape[1]:
            raise InputError(f"tokens of one query have different lengths: {rows.shape[1]} and {last.shape[1]}")
        if rows.dtype == last.dtype and denominator == q_denominator:
            table = np.concatenate([rows, last])
        else:
            table, denominator = _table([*context_rows, q])
        n = len(rows)
        batch = cls._trusted(table, denominator, [((i, k), (n, m)) for i in range(n)])
        batch.lengths = [k + m] * n
        return batch

    @classmethod
    def singles(cls, rows: Any) -> QueryBatch:
        """The queries of length one, one for each row (shape n×d)."""
        table, denominator = _table(rows)
        return cls._trusted(table, denominator, [((i, 1),) for i in range(len(table))])

    @classmethod
    def of(cls, queries: Iterable[Query[Any]]) -> QueryBatch:
        """A batch of given queries, equal tokens stored once."""
        index: dict[Token[Any], int] = {}
        sequences: list[Runs] = [
            tuple((index.setdefault(token, len(index)), copies) for token, copies in query.runs) for query in queries
        ]
        table, denominator = _table(list(index))
        return cls._trusted(table, denominator, sequences)

    @property
    def dim(self) -> int:
        """The length of every token."""
        return int(self.tokens.shape[1])

    @cached_property
    def exact_tokens(self) -> ExactArray:
        """The table as an exact array; raises `InputError` for floating-point tokens."""
        if self.tokens.dtype == np.float64:
            raise InputError("the tokens are floating-point numbers; exact semantics need integers or fractions")
        return ExactArray(self.tokens, self.denominator)

    @cached_property
    def float_tokens(self) -> NDArray[np.float64]:
        """The table in floating point; raises `InputError` for tokens that are too large."""
        try:
            return np.asarray(self.tokens / self.denominator, dtype=np.float64)
        except OverflowError:
            raise InputError("a token is too large for floating-point numbers") from None

    def token(self, row: int) -> Token[Any]:
        """One row of the table as a tuple of Python integers, fractions or floats."""
        token = self._token_cache.get(row)
        if token is None:
            entries = self.tokens[row].tolist()
            if self.denominator != 1:
                entries = [fmpq(n, self.denominator) for n in entries]
            token = self._token_cache[row] = tuple(entries)
        return token

    @cached_property
    def _token_cache(self) -> dict[int, Token[Any]]:
        return {}

    def query(self, j: int) -> Query[Any]:
        """The query number `j`."""
        return Query(tuple((self.token(i), k) for i, k in self.sequences[j]))

    @cached_property
    def used_rows(self) -> list[int]:
        """The rows of the table that some query uses."""
        return sorted({i for runs in self.sequences for i, _ in runs})

    @cached_property
    def lengths(self) -> list[int]:
        """The number of tokens of each query."""
        return [sum([k for _, k in runs]) for runs in self.sequences]

    def __len__(self) -> int:
        return len(self.sequences)

    def __iter__(self) -> Iterator[Query[Any]]:
        return (self.query(j) for j in range(len(self)))


def _table(rows: Any) -> tuple[NDArray[Any], int]:
    """Rows of numbers as a two-dimensional array and the denominator to divide it by."""
    if isinstance(rows, np.ndarray) and rows.dtype != object:
        if rows.ndim != 2:
            raise InputError(f"a table of tokens has two dimensions, not {rows.ndim}")
        if rows.dtype.kind == "f":
            return rows.astype(np.float64, copy=False), 1
        if rows.dtype.kind == "i":
            return rows.astype(np.int64, copy=False), 1
        if rows.dtype.kind != "u":
            raise InputError(f"tokens are numbers, not entries of type {rows.dtype}")
    try:
        table = [row.tolist() if isinstance(row, np.ndarray) else list(row) for row in rows]
    except TypeError:
        raise InputError("a table of tokens is a list of vectors of numbers") from None
    dim = len(table[0]) if table else 0
    if any(len(row) != dim for row in table):
        raise InputError("tokens have different lengths")
    if any(isinstance(x, float | np.floating) for row in table for x in row):
        return np.array(list(map(Float().token, table)), dtype=np.float64).reshape(len(table), dim), 1
    matrix = exact_matrix(table, dim)
    return matrix.numerators, matrix.denominator
