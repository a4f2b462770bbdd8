"""Certificates that no head gives certain answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from flint import fmpq

from attention_queries.errors import InputError, NotAPower
from attention_queries.lean.certificate.document import Answered, Certificate, Theorem, normalised
from attention_queries.lean.certificate.head import (
    HeadCertificate,
    common_denominator,
    numerators,
    read_head,
    shown_value,
)
from attention_queries.lean.certificate.text import Rows, definition, fractions, integers, single_fraction
from attention_queries.semantics import Base2
from attention_queries.sequences import Query, QueryBatch

_IMPOSSIBLE = re.compile(r"checkImpossible [0-9]+ v [0-9]+ B x ([0-9]+) q ([0-9]+) answer")
_ENTRY = re.compile(r"^def entry : Entry := ⟨\[([^\]]*)\], q, answer⟩", re.MULTILINE)
_RUN = re.compile(r"\(x([0-9]+), ([0-9]+)\)")
_CONTRADICTION = re.compile(r"checkContradiction [0-9]+ W v ([0-9]+) B A entry")


def is_impossible(singles: Sequence[fmpq], query: Query[int], answer: fmpq) -> bool:
    """Whether no score explains the answer, the query having at most two distinct tokens."""
    split = _two_tokens(query)
    if split is None:
        return False
    x, k, n = split
    at_q, at_x = _value(singles, query.token), _value(singles, x)
    above, below = (answer - at_q) * (n + 1), (at_x - answer) * k
    if below == 0:
        return bool(above != 0)
    try:
        Base2().log(above / below)
    except NotAPower:
        return True
    return False


def _two_tokens(query: Query[int]) -> tuple[tuple[int, ...], int, int] | None:
    """The token other than the query token, its copies, and the copies of the query token before the last one."""
    *others, (q, copies) = query.merged().runs
    if len(others) > 1:
        return None
    x, k = others[0] if others else (q, 0)
    return x, k, copies - 1


def _value(v: Sequence[fmpq], x: Sequence[int]) -> fmpq:
    return sum((a * b for a, b in zip(v, x, strict=True)), fmpq(0))


class Refutation(Certificate):
    """A certificate that no head gives some answers, the last of them `answer` to `query`."""

    kind = "inconsistency"
    module = "AttentionQueries.Certificate.Inconsistency"

    query: Query[int]
    answer: fmpq

    def title(self) -> str:
        """What the certificate is about."""
        return f"no head of dimension {self.dim} gives these answers"

    def words(self) -> str:
        """The theorem in words."""
        return (
            f"No attention head of dimension {self.dim} over the base-2 semantics (integer W, rational v, weights "
            f"2^score) gives these answers: {self._others()}, and {shown_value(self.answer)} to the query {self.query}."
        )

    def _others(self) -> str:
        raise NotImplementedError

    def _statement(self, others: str, entry: str) -> dict[str, Theorem]:
        d = self.dim
        statement = f"¬∃ (W' : Mat Int {d}) (v' : Vec Rational {d}),\n      {others} (base2.oracle W' v') ∧ {entry}"
        return {"inconsistent": Theorem("", statement, self._proof(), _printed(statement))}

    def _proof(self) -> str:
        raise NotImplementedError

    def _entry(self) -> Iterator[str]:
        for i, (token, _) in enumerate(self.query.context):
            yield integers(f"x{i}", token)
        yield integers("q", self.query.token)
        yield single_fraction("answer", self.answer)
        runs = ", ".join(f"(x{i}, {copies})" for i, (_, copies) in enumerate(self.query.context))
        yield definition("entry", "Entry", f"⟨[{runs}], q, answer⟩")


def _printed(statement: str) -> str:
    """The statement as Lean prints it: without the types of the variables."""
    return normalised(re.sub(r"¬∃ [^,]*,", "¬∃ W' v',", statement))


def _read_query(rows: Rows, text: str) -> Query[int]:
    match = _ENTRY.search(text)
    if match is None:
        raise ValueError
    context = [(tuple(rows.integers[f"x{i}"]), int(k)) for i, k in _RUN.findall(match[1])]
    return Query((*context, (tuple(rows.integers["q"]), 1)))


@dataclass
class Impossible(Refutation):
    """The answers `singles` to the `[e_i]` leave no score for the answer to a query of two distinct tokens."""

    singles: list[fmpq]
    query: Query[int]
    answer: fmpq

    def __post_init__(self) -> None:
        if not self.singles or self.query.dim != len(self.singles):
            raise InputError("the sizes of the query and the answers do not fit")
        if not is_impossible(self.singles, self.query, self.answer):
            raise InputError("a score explains the answer")
        x, k, n = _two_tokens(self.query) or (self.query.token, 0, 0)
        self._x, self._copies, self._more = x, k, n

    @classmethod
    def read(cls, rows: Rows, text: str) -> Impossible:
        """The certificate with the data of a file."""
        match = _IMPOSSIBLE.search(text)
        if match is None:
            raise ValueError
        x, q, k, n = tuple(rows.integers["x"]), tuple(rows.integers["q"]), int(match[1]), int(match[2])
        query = Query((*([(x, k)] if k else []), (q, n + 1)))
        return cls(rows.answers("B"), query, rows.answers("answer")[0])

    @property
    def dim(self) -> int:  # type: ignore[override]
        """The dimension."""
        return len(self.singles)

    def data(self) -> Iterator[str]:
        """The answers on length one, and the query with its answer."""
        yield integers("v", numerators(self.singles, common_denominator(self.singles)))
        yield fractions("B", self.singles)
        yield integers("x", self._x)
        yield integers("q", self.query.token)
        yield single_fraction("answer", self.answer)

    def check(self) -> str:
        """The check that no score explains the answer."""
        denominator = common_denominator(self.singles)
        return f"checkImpossible {self.dim} v {denominator} B x {self._copies} q {self._more} answer"

    def statements(self) -> dict[str, Theorem]:
        """No head gives the answers."""
        d = self.dim
        entry = f"⟨[(x, {self._copies}), (q, {self._more})], q, answer⟩"
        printed = f"{{ runs := [(x, {self._copies}), (q, {self._more})], token := q, answer := answer }}"
        statement = (
            f"¬∃ (W' : Mat Int {d}) (v' : Vec Rational {d}),\n"
            f"      Singles {d} B (base2.oracle W' v') ∧ Entry.Agrees (base2.oracle W' v') {{}}"
        )
        return {
            "inconsistent": Theorem(
                "", statement.format(entry), "no_head_of_impossible accepted", _printed(statement.format(printed))
            )
        }

    def answered(self) -> Iterator[Answered]:
        """The queries of length one, then the other."""
        yield QueryBatch.singles(np.eye(self.dim, dtype=np.int64)), self.singles
        yield QueryBatch.of([self.query]), [self.answer]

    def _others(self) -> str:
        return f"{', '.join(map(shown_value, self.singles))} to the {self.dim} sequences [e_i]"


@dataclass
class NotZero(Refutation):
    """The answers to the `[e_i]` are zero, that to another query is not."""

    dimension: int
    query: Query[int]
    answer: fmpq

    def __post_init__(self) -> None:
        if self.dimension < 1 or self.query.dim != self.dimension or self.answer == 0:
            raise InputError("the answer contradicts nothing")

    @classmethod
    def read(cls, rows: Rows, text: str) -> NotZero:
        """The certificate with the data of a file."""
        if "checkZero" not in text:
            raise ValueError
        return cls(len(rows.answers("B")), _read_query(rows, text), rows.answers("answer")[0])

    @property
    def dim(self) -> int:  # type: ignore[override]
        """The dimension."""
        return self.dimension

    @property
    def singles(self) -> list[fmpq]:
        """The answers to the `[e_i]`."""
        return [fmpq(0)] * self.dimension

    def data(self) -> Iterator[str]:
        """The answers on length one, and the query with its answer."""
        yield fractions("B", self.singles)
        yield from self._entry()

    def check(self) -> str:
        """The check that the answer is not zero."""
        return f"checkZero {self.dim} B entry"

    def statements(self) -> dict[str, Theorem]:
        """No head gives the answers."""
        return self._statement(f"Singles {self.dim} B", "Entry.Agrees (base2.oracle W' v') entry")

    def _proof(self) -> str:
        return "no_head_of_zero accepted"

    def answered(self) -> Iterator[Answered]:
        """The queries of length one, then the other."""
        yield QueryBatch.singles(np.eye(self.dim, dtype=np.int64)), self.singles
        yield QueryBatch.of([self.query]), [self.answer]

    def _others(self) -> str:
        return f"0 to the {self.dim} sequences [e_i]"


@dataclass
class Contradiction(Refutation):
    """The only head that gives the answers of a certificate gives another answer to a further query."""

    head: HeadCertificate
    query: Query[int]
    answer: fmpq

    def __post_init__(self) -> None:
        if self.query.dim != self.head.dim or self.head.model.value(self.query) == self.answer:
            raise InputError("the answer contradicts nothing")

    @classmethod
    def read(cls, rows: Rows, text: str) -> Contradiction:
        """The certificate with the data of a file."""
        head = HeadCertificate(*read_head(rows, _CONTRADICTION, text))
        return cls(head, _read_query(rows, text), rows.answers("answer")[0])

    @property
    def dim(self) -> int:  # type: ignore[override]
        """The dimension."""
        return self.head.dim

    def data(self) -> Iterator[str]:
        """The head, its answers, and the query with the other answer."""
        yield from self.head.data()
        yield from self._entry()

    def check(self) -> str:
        """The check that the answers contradict each other."""
        return f"checkContradiction {self.dim} W v {self.head.denominator} B A entry"

    def statements(self) -> dict[str, Theorem]:
        """No head gives the answers."""
        return self._statement(f"Answers {self.dim} v B A", "Entry.Agrees (base2.oracle W' v') entry")

    def _proof(self) -> str:
        return "no_head_of_contradiction accepted"

    def answered(self) -> Iterator[Answered]:
        """The learner's queries, then the other."""
        yield from self.head.answered()
        yield QueryBatch.of([self.query]), [self.answer]

    def _others(self) -> str:
        return f"the {self.dim + self.dim**2} answers of the file to the sequences [e_i] and [e_j + u_i, e_j]"
