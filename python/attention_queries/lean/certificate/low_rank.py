"""Certificates for one head of rank `r`: a cross of answers leaves no other head of rank at most `r`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import gcd
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat, fmpz_mat

from attention_queries.errors import InputError, LearningError, NotIdentifiable
from attention_queries.lean.certificate.document import Answered, Certificate, Theorem
from attention_queries.lean.certificate.head import common_denominator, directions, numerators, shown_head
from attention_queries.lean.certificate.text import (
    Rows,
    definition,
    fraction_table,
    fractions,
    integer_table,
    integers,
    naturals,
)
from attention_queries.learners.scores import ScoreReader
from attention_queries.models import AttentionModel, Head
from attention_queries.oracle import Oracle
from attention_queries.semantics import Base2
from attention_queries.sequences import Query, QueryBatch
from attention_queries.transcript import Transcript

_CHECK = re.compile(r"checkLowRank ([0-9]+) ([0-9]+) W v ([0-9]+) rows cols witness B A")
_WITNESS = re.compile(r"⟨left, right, ([0-9]+), inverse, ([0-9]+)⟩")

Matrix = Sequence[Sequence[int]]


def pivots(matrix: Matrix) -> tuple[list[int], list[int]]:
    """Rows and columns of an integer matrix of rank `r`, `r` of each, that meet in an invertible minor."""
    columns = _pivot_columns(fmpq_mat(fmpz_mat([list(row) for row in matrix])))
    chosen = fmpz_mat([[row[j] for row in matrix] for j in columns]) if columns else None
    return ([] if chosen is None else _pivot_columns(fmpq_mat(chosen))), columns


def _pivot_columns(matrix: fmpq_mat) -> list[int]:
    reduced, rank = matrix.rref()
    found: list[int] = []
    for j in range(matrix.ncols()):
        if len(found) < rank and reduced[len(found), j] != 0:
            found.append(j)
    return found


def _inverse(matrix: Matrix) -> tuple[list[list[int]], int]:
    """The inverse of an invertible integer matrix, with a positive denominator."""
    if not matrix:
        return [], 1
    inverse: Any = fmpz_mat([list(row) for row in matrix]).inv()
    numerator, denominator = inverse.numer_denom()
    sign = -1 if denominator < 0 else 1
    return [[sign * int(x) for x in row] for row in numerator.tolist()], abs(int(denominator))


def _product(a: Matrix, b: Matrix) -> list[list[int]]:
    return [[sum(x * y for x, y in zip(row, column, strict=True)) for column in zip(*b, strict=True)] for row in a]


def cross_of(queries: Sequence[Query[int]], v: Sequence[fmpq]) -> tuple[list[int], list[int]]:
    """The rows and columns of the cross that queries of length two ask for; raises `InputError` for other queries."""
    d = len(v)
    index = {tuple(int(x) for x in row): i for i, row in enumerate(directions(v))}
    unit = {tuple(int(i == j) for i in range(d)): j for j in range(d)}
    asked: list[set[int]] = [set() for _ in range(d)]
    for query in queries:
        j = unit.get(query.token)
        direction = tuple(x - y for x, y in zip(query.runs[0][0], query.token, strict=True))
        if query.length != 2 or j is None or direction not in index:
            raise InputError(f"the query {query} is none of a cross of rows and columns")
        asked[j].add(index[direction])
    cols = [j for j in range(d) if len(asked[j]) == d]
    rows = sorted(set().union(*(asked[j] for j in range(d) if len(asked[j]) < d))) if len(cols) < d else list(range(d))
    if len(rows) != len(cols) or any(asked[j] != set(rows) for j in range(d) if len(asked[j]) < d):
        raise InputError("the queries of length two do not form a cross of as many rows as columns")
    return rows, cols


@dataclass
class LowRankCertificate(Certificate):
    """One head of rank `r = len(rows) = len(cols)`, and its answers in a cross of the table.

    `table[i][j]` is the answer to `[e_j + u_i; e_j]` where `i` is in `rows` or `j` in `cols`, else None.
    """

    W: list[list[int]]
    v: list[fmpq]
    rows: list[int]
    cols: list[int]
    singles: list[fmpq]
    table: list[list[fmpq | None]]

    kind = "low-rank"
    module = "AttentionQueries.Certificate.LowRank"

    def __post_init__(self) -> None:
        d = len(self.v)
        sizes = [len(self.W), len(self.singles), len(self.table), *map(len, self.W), *map(len, self.table)]
        if d == 0 or any(size != d for size in sizes):
            raise InputError("the sizes of W, v and the answers do not fit")
        if not (len(self.rows) == len(self.cols) and all(0 <= i < d for i in (*self.rows, *self.cols))):
            raise InputError("as many rows as columns are needed, within the dimension")
        if any((x is not None) != self._asked(i, j) for i, row in enumerate(self.table) for j, x in enumerate(row)):
            raise InputError("the answers given are not those in the rows and columns listed")
        if all(x == 0 for x in self.v):
            raise InputError("v is zero")

    def _asked(self, i: int, j: int) -> bool:
        return i in self.rows or j in self.cols

    @classmethod
    def make(cls, oracle: Oracle[int, fmpq], rows: list[int], cols: list[int]) -> LowRankCertificate:
        """Ask for the cross; raises `NotASingleHead` or `LearningError` if no head of this rank gives the answers."""
        d, unit = oracle.dim, np.eye(oracle.dim, dtype=np.int64)
        record: Transcript[int, fmpq] = Transcript(oracle.semantics, d)
        before, oracle.sink = oracle.sink, record
        try:
            v = oracle.many(QueryBatch.singles(unit))
            if all(x == 0 for x in v):
                raise NotIdentifiable("v = 0, so W is not identifiable: nothing can be certified about it")
            reader = ScoreReader(oracle, v)
            asked = [list(range(d)) if j in cols else sorted(rows) for j in range(d)]
            scores = [dict(zip(asked[j], reader.read(unit[j], asked[j]), strict=True)) for j in range(d)]
        finally:
            oracle.sink = before
        G = _completed(scores, rows, cols)
        answers = iter([entry.answer for entry in record.entries[d:]])
        table: list[list[fmpq | None]] = [[None] * d for _ in range(d)]
        for j in range(d):
            for i in asked[j]:
                table[i][j] = next(answers)
        return cls([[int(x) for x in row] for row in reader.entries(G)], list(v), rows, cols, list(v), table)

    @classmethod
    def read(cls, rows: Rows, text: str) -> LowRankCertificate:
        """The certificate with the data of a file."""
        match = _CHECK.search(text)
        if match is None:
            raise ValueError
        v = [fmpq(x, int(match[3])) for x in rows.integers["v"]]
        return cls(
            rows.integer_table("W"),
            v,
            rows.naturals["rows"],
            rows.naturals["cols"],
            rows.answers("B"),
            rows.fraction_table("A"),
        )

    @property
    def dim(self) -> int:  # type: ignore[override]
        """The dimension."""
        return len(self.v)

    @property
    def rank(self) -> int:
        """The rank `r`."""
        return len(self.rows)

    @property
    def denominator(self) -> int:
        """The common denominator of the values."""
        return common_denominator(self.v)

    @property
    def model(self) -> AttentionModel[int, fmpq]:
        """The certified head."""
        return AttentionModel(Base2(), self.dim, [Head(self.W, self.v)])

    def command(self) -> str:
        """The kind and the rank."""
        return f"{self.kind} --rank {self.rank}"

    def title(self) -> str:
        """What the certificate is about."""
        return f"one head of dimension {self.dim} among those of rank at most {self.rank}"

    def data(self) -> Iterator[str]:
        """The head, the cross, the answers, and what shows the rank."""
        yield from integer_table("W", self.W)
        yield integers("v", numerators(self.v, self.denominator))
        yield naturals("rows", self.rows)
        yield naturals("cols", self.cols)
        yield fractions("B", self.singles)
        yield from fraction_table("A", self.table)
        left, right, scale = self._factors()
        G = probed_scores(self.W, self.v)
        inverse, determinant = _inverse([[G[i][j] for j in self.cols] for i in self.rows])
        yield from integer_table("left", left)
        yield from integer_table("right", right)
        yield from integer_table("inverse", inverse)
        yield definition("witness", "RankWitness", f"⟨left, right, {scale}, inverse, {determinant}⟩")

    def _factors(self) -> tuple[list[list[int]], list[list[int]], int]:
        """`left`, `right` and `scale` with `scale · W = left · right`."""
        rows, cols = pivots(self.W)
        if len(rows) != self.rank:
            raise InputError(f"W has rank {len(rows)}, not {self.rank}")
        if not rows:
            return [[] for _ in self.W], [], 1
        inverse, scale = _inverse([[self.W[i][j] for j in cols] for i in rows])
        left = _product([[row[j] for j in cols] for row in self.W], inverse)
        common = gcd(scale, *(x for row in left for x in row))
        return [[x // common for x in row] for row in left], [list(self.W[i]) for i in rows], scale // common

    def check(self) -> str:
        """The check for a head of low rank."""
        return f"checkLowRank {self.dim} {self.rank} W v {self.denominator} rows cols witness B A"

    def statements(self) -> dict[str, Theorem]:
        """The head has the rank; a head of this rank gives the answers iff it is this one."""
        d, r = self.dim, self.rank
        return {
            "rank": Theorem.of(
                "",
                f"LowRank.RankLE {r} (base2.castM (matrix {d} W))",
                "(low_rank_certified accepted).1",
            ),
            "unique": Theorem.of(
                f"(W' : Mat Int {d}) (v' : Vec Rational {d})",
                f"CrossAnswers {d} v rows cols B A (base2.oracle W' v') ↔\n"
                f"      W' = matrix {d} W ∧ v' = values {d} v {self.denominator}",
                "(low_rank_certified accepted).2 W' v' h",
                hypothesis=f"LowRank.RankLE {r} (base2.castM W')",
            ),
        }

    def answered(self) -> Iterator[Answered]:
        """The queries of length one, then the cross, column by column."""
        unit, d = np.eye(self.dim, dtype=np.int64), self.dim
        yield QueryBatch.singles(unit), self.singles
        shifts = directions(self.v)
        for j in range(d):
            asked = [i for i in range(d) if self._asked(i, j)]
            if asked:
                answers = [x for x in (self.table[i][j] for i in asked) if x is not None]
                yield QueryBatch.pairs(shifts[asked] + unit[j], unit[j]), answers

    def words(self) -> str:
        """The theorem in words."""
        d, r = self.dim, self.rank
        return (
            f"There is exactly one attention head of dimension {d} and rank at most {r} over the base-2 semantics "
            f"(integer W, rational v, weights 2^score) that gives the {d + r * (2 * d - r)} recorded answers: "
            f"{shown_head(self.W, self.v)}. The answers are those to the {d} sequences [e_i] and to "
            f"{r * (2 * d - r)} sequences [e_j + u_i, e_j], i in rows {self.rows} or j in columns {self.cols}, where "
            f"u_i is e_i if v_i is not 0, else e_i + e_p with p the first index where v_p is not 0."
        )


def probed_scores(W: Matrix, v: Sequence[fmpq]) -> list[list[int]]:
    """The scores of the directions `u_i` at the `e_j`."""
    return _product([[int(x) for x in row] for row in directions(v)], W)


def _completed(scores: list[dict[int, int]], rows: list[int], cols: list[int]) -> list[list[int]]:
    """The matrix of rank `len(rows)` with these entries, given by column in the cross."""
    d = len(scores)
    if not rows:
        return [[0] * d for _ in range(d)]
    minor = [[scores[j][i] for j in cols] for i in rows]
    if fmpz_mat(minor).rank() < len(rows):
        raise LearningError(
            "where the rows and columns meet, the scores form no invertible matrix: W is not determined"
        )
    inverse, scale = _inverse(minor)
    left = _product([[scores[j][i] for j in cols] for i in range(d)], inverse)
    product: list[list[Any]] = _product(left, [[scores[j][i] for j in range(d)] for i in rows])
    if any(x % scale for row in product for x in row):
        raise LearningError(f"no head of rank at most {len(rows)} with integer W gives the answers")
    return [[x // scale for x in row] for row in product]
