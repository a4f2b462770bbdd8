"""Certificates for one head: the answers to all `d + d²` queries of the learner leave no other head."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import lcm
from typing import Any

import numpy as np
from flint import fmpq

from attention_queries.errors import InputError
from attention_queries.lean.certificate.document import Answered, Certificate, Theorem
from attention_queries.lean.certificate.text import Rows, fraction_table, fractions, given, integer_table, integers
from attention_queries.learners.single_head import learn_single_head
from attention_queries.models import AttentionModel, Head
from attention_queries.oracle import Oracle
from attention_queries.semantics import Base2
from attention_queries.sequences import QueryBatch
from attention_queries.transcript import Transcript

MODULE = "AttentionQueries.Certificate.SingleHead"
_PARAMETERS = re.compile(r"checkHead [0-9]+ W v ([0-9]+) B A")


def common_denominator(values: Sequence[fmpq]) -> int:
    """The least common denominator."""
    return lcm(*(int(x.q) for x in values))


def numerators(values: Sequence[fmpq], denominator: int) -> list[int]:
    """The values times a common denominator."""
    return [int((x * denominator).p) for x in values]


def directions(v: Sequence[Any]) -> Any:
    """The learner's directions `u_i` as rows: `e_i`, or `e_i + e_p` where `v_i = 0`; `v_p` is the first one not 0."""
    zero = [i for i, x in enumerate(v) if x == 0]
    rows = np.eye(len(v), dtype=np.int64)
    if len(zero) < len(v):
        rows[zero, next(i for i, x in enumerate(v) if x != 0)] += 1
    return rows


def shown_value(x: fmpq) -> str:
    """A value for people, or how long it is."""
    bits = Base2().bits(x)
    return str(x) if bits <= 200 else f"a number of {bits} bits"


def shown_head(W: Sequence[Sequence[int]], v: Sequence[fmpq]) -> str:
    """A head in words, in full where it is small."""
    if len(v) > 8:
        return f"the head (W, v) of the file, W of size {len(v)} x {len(v)}"
    rows = ", ".join(f"[{', '.join(map(str, row))}]" for row in W)
    return f"W = [{rows}], v = [{', '.join(map(str, v))}]"


@dataclass
class HeadCertificate(Certificate):
    """One head `(W, v)`, the answers `singles` to the `[e_i]`, and `table[i][j]` to the `[e_j + u_i; e_j]`."""

    W: list[list[int]]
    v: list[fmpq]
    singles: list[fmpq]
    table: list[list[fmpq]]

    kind = "single-head"
    module = MODULE

    def __post_init__(self) -> None:
        d = len(self.v)
        sizes = [len(self.W), len(self.singles), len(self.table), *map(len, self.W), *map(len, self.table)]
        if d == 0 or any(size != d for size in sizes):
            raise InputError("the sizes of W, v and the answers do not fit")

    @classmethod
    def make(cls, oracle: Oracle[int, fmpq]) -> HeadCertificate:
        """Ask the learner's queries; raises `NotASingleHead` or `NotIdentifiable` as the learner does."""
        record: Transcript[int, fmpq] = Transcript(oracle.semantics, oracle.dim)
        before, oracle.sink = oracle.sink, record
        try:
            (head,) = learn_single_head(oracle, checks=0).model.heads
        finally:
            oracle.sink = before
        d, answers = oracle.dim, [entry.answer for entry in record.entries]
        table = [[answers[d + j * d + i] for j in range(d)] for i in range(d)]
        return cls([list(row) for row in head.W], list(head.v), answers[:d], table)

    @classmethod
    def read(cls, rows: Rows, text: str) -> HeadCertificate:
        """The certificate with the data of a file."""
        return cls(*read_head(rows, _PARAMETERS, text))

    @property
    def dim(self) -> int:  # type: ignore[override]
        """The dimension."""
        return len(self.v)

    @property
    def model(self) -> AttentionModel[int, fmpq]:
        """The certified head."""
        return AttentionModel(Base2(), self.dim, [Head(self.W, self.v)])

    @property
    def denominator(self) -> int:
        """The common denominator of the values."""
        return common_denominator(self.v)

    def title(self) -> str:
        """What the certificate is about."""
        return f"one head of dimension {self.dim}"

    def data(self) -> Iterator[str]:
        """The head and the answers."""
        yield from integer_table("W", self.W)
        yield integers("v", numerators(self.v, self.denominator))
        yield fractions("B", self.singles)
        yield from fraction_table("A", self.table)

    def check(self) -> str:
        """The check for a head."""
        return f"checkHead {self.dim} W v {self.denominator} B A"

    def statements(self) -> dict[str, Theorem]:
        """A head gives the answers iff it is this one."""
        d = self.dim
        return {
            "unique": Theorem.of(
                f"(W' : Mat Int {d}) (v' : Vec Rational {d})",
                f"Answers {d} v B A (base2.oracle W' v') ↔ W' = matrix {d} W ∧ v' = values {d} v {self.denominator}",
                "head_certified accepted W' v'",
            )
        }

    def answered(self) -> Iterator[Answered]:
        """The learner's queries, column by column."""
        unit, d = np.eye(self.dim, dtype=np.int64), self.dim
        yield QueryBatch.singles(unit), self.singles
        rows = directions(self.v)
        for j in range(d):
            yield QueryBatch.pairs(rows + unit[j], unit[j]), [self.table[i][j] for i in range(d)]

    def words(self) -> str:
        """The theorem in words."""
        d = self.dim
        return (
            f"There is exactly one attention head of dimension {d} over the base-2 semantics (integer W, rational v, "
            f"weights 2^score) that gives the {d + d * d} recorded answers: {shown_head(self.W, self.v)}. "
            f"The answers are those to the {d} sequences [e_i] and the {d * d} sequences [e_j + u_i, e_j], where u_i "
            f"is e_i if v_i is not 0, else e_i + e_p with p the first index where v_p is not 0."
        )


def read_head(
    rows: Rows, parameters: re.Pattern[str], text: str
) -> tuple[list[list[int]], list[fmpq], list[fmpq], list[list[fmpq]]]:
    """`W`, `v`, the answers on length one and the table of a file."""
    match = parameters.search(text)
    if match is None:
        raise ValueError
    denominator = int(match[1])
    v = [fmpq(x, denominator) for x in rows.integers["v"]]
    return rows.integer_table("W"), v, rows.answers("B"), [given(row) for row in rows.fraction_table("A")]
