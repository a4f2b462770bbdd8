"""Certificates for several heads: an explicit list of answers leaves one function of at most `n` heads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
from flint import fmpq

from attention_queries.errors import InputError, NotMultiHead
from attention_queries.fibre import canonical
from attention_queries.lean.certificate.document import Answered, Certificate, Theorem
from attention_queries.lean.certificate.head import common_denominator, numerators, shown_head, shown_value
from attention_queries.lean.certificate.text import (
    Rows,
    fraction_table,
    fractions,
    given,
    integer_table,
    integers,
    listing,
)
from attention_queries.models import AttentionModel, Head
from attention_queries.oracle import Oracle
from attention_queries.semantics import Base2
from attention_queries.sequences import QueryBatch

MAX_ANSWERS = 50_000
_CHECK = re.compile(r"checkModel ([0-9]+) ([0-9]+) ([0-9]+) ([0-9]+) ([0-9]+) hs B A")

Table = list[list[list[fmpq]]]


@dataclass(frozen=True)
class Grid:
    """The pairs of a direction and a query token that separate `matrices` score matrices of dimension `dim`."""

    dim: int
    matrices: int

    @property
    def tokens(self) -> int:
        """The number of query tokens."""
        return (self.matrices - 1) * (self.dim - 1) + 1

    @property
    def directions(self) -> int:
        """The number of directions."""
        return (self.matrices - 1) * (self.dim - 1) + self.dim

    @property
    def rungs(self) -> int:
        """The largest number of copies of the query token."""
        return self.matrices - 1

    @property
    def answers(self) -> int:
        """The number of queries, those of length one included."""
        return self.dim + self.tokens * self.directions * self.rungs

    @property
    def prime(self) -> int:
        """The least prime that is not smaller than the number of directions."""
        return next(p for p in count(max(2, self.directions)) if all(p % k for k in range(2, p) if k * k <= p))

    def vector(self, t: int) -> list[int]:
        """The residues of `1, t, t², …` modulo the prime, of least absolute value."""
        p = self.prime
        powers = [pow(t, i, p) for i in range(self.dim)]
        return [x if 2 * x <= p else x - p for x in powers]

    def batches(self) -> Iterator[QueryBatch]:
        """The queries: those of length one, then those of each query token."""
        yield QueryBatch.singles(np.eye(self.dim, dtype=np.int64))
        us = np.array([self.vector(t) for t in range(self.directions)], dtype=np.int64).reshape(-1, self.dim)
        for s in range(self.tokens):
            q = us[s]
            runs = [((t, 1), (self.directions, m)) for t in range(self.directions) for m in range(1, self.rungs + 1)]
            yield QueryBatch(np.concatenate([us + q, [q]]), runs)


@dataclass
class ModelCertificate(Certificate):
    """A reduced model, and its answers on the grid that separates it from all models with at most `n` heads."""

    dimension: int
    heads: list[tuple[list[list[int]], list[fmpq]]]
    n: int
    singles: list[fmpq]
    table: Table

    kind = "multi-head"
    module = "AttentionQueries.Certificate.MultiHead"

    def __post_init__(self) -> None:
        d, grid = self.dim, self.grid
        sizes = [size for W, v in self.heads for size in (len(W), len(v), *map(len, W))]
        if d < 1 or self.n < 1 or any(size != d for size in (*sizes, len(self.singles))):
            raise InputError("the sizes of the heads and the answers do not fit")
        if [[len(row) for row in rows] for rows in self.table] != [[grid.rungs] * grid.directions] * grid.tokens:
            raise InputError("the number of answers does not fit")

    @classmethod
    def make(cls, oracle: Oracle[int, fmpq], model: AttentionModel[int, fmpq], n: int) -> ModelCertificate:
        """Ask the queries of the grid; raises `NotMultiHead` when an answer is not that of the model."""
        model = canonical(model)
        grid = Grid(oracle.dim, len(model.heads) + n)
        if grid.answers > MAX_ANSWERS:
            raise InputError(
                f"the certificate would need {grid.answers:,} answers; at most {MAX_ANSWERS:,} are written"
            )
        answers = []
        for batch in grid.batches():
            received = oracle.many(batch)
            for j, (answer, expected) in enumerate(zip(received, model.values(batch), strict=True)):
                if answer != expected:
                    query = batch.query(j)
                    raise NotMultiHead(
                        f"the oracle is not the model: it answers {shown_value(answer)} to {query}, "
                        f"the model {shown_value(expected)}",
                        query,
                        answer,
                    )
            answers.append(received)
        singles, *others = answers
        table = [[row[t * grid.rungs : (t + 1) * grid.rungs] for t in range(grid.directions)] for row in others]
        heads = [([list(row) for row in head.W], list(head.v)) for head in model.heads]
        return cls(oracle.dim, heads, n, singles, table)

    @classmethod
    def read(cls, rows: Rows, text: str) -> ModelCertificate:
        """The certificate with the data of a file."""
        match = _CHECK.search(text)
        if match is None:
            raise ValueError
        d, n, matrices, _, denominator = map(int, match.groups())
        grid = Grid(d, matrices)
        if grid.answers > MAX_ANSWERS:
            raise InputError("more answers than a certificate may have")
        heads: list[tuple[list[list[int]], list[fmpq]]] = []
        while f"v{len(heads)}" in rows.integers:
            h = len(heads)
            heads.append((rows.integer_table(f"W{h}_"), [fmpq(x, denominator) for x in rows.integers[f"v{h}"]]))
        table = [[given(row) for row in rows.fraction_table(f"A{s}_")] for s in range(grid.tokens)]
        return cls(d, heads, n, rows.answers("B"), table)

    @property
    def dim(self) -> int:  # type: ignore[override]
        """The dimension."""
        return self.dimension

    @property
    def grid(self) -> Grid:
        """The queries."""
        return Grid(self.dimension, len(self.heads) + self.n)

    @property
    def denominator(self) -> int:
        """The common denominator of all values."""
        return common_denominator([x for _, v in self.heads for x in v])

    @property
    def model(self) -> AttentionModel[int, fmpq]:
        """The certified model."""
        return AttentionModel(Base2(), self.dim, [Head(W, v) for W, v in self.heads])

    def command(self) -> str:
        """The kind and the number of heads."""
        return f"{self.kind} --max-heads {self.n}"

    def title(self) -> str:
        """What the certificate is about."""
        return f"{len(self.heads)} heads of dimension {self.dim} among models with at most {self.n} heads"

    def data(self) -> Iterator[str]:
        """The heads and the answers."""
        for h, (W, v) in enumerate(self.heads):
            yield from integer_table(f"W{h}_", W)
            yield integers(f"v{h}", numerators(v, self.denominator))
        yield listing("hs", "HeadData", [f"(W{h}_, v{h})" for h in range(len(self.heads))])
        yield fractions("B", self.singles)
        for s, rows in enumerate(self.table):
            yield from fraction_table(f"A{s}_", rows)
        yield listing("A", "List (List (Int × Nat))", [f"A{s}_" for s in range(len(self.table))])

    def check(self) -> str:
        """The check for a model."""
        grid = self.grid
        return f"checkModel {self.dim} {self.n} {grid.matrices} {grid.prime} {self.denominator} hs B A"

    def statements(self) -> dict[str, Theorem]:
        """A model with at most `n` heads gives the answers iff it computes this function, iff its heads are these."""
        d, grid = self.dim, self.grid
        binders = f"(H' : List (Head Int Rational {d}))"
        hypothesis = f"H'.length ≤ {self.n}"
        answers = f"ClassAnswers {d} {grid.matrices} {grid.prime} B A (modelOracle H')"
        heads = f"heads {d} {self.denominator} hs"
        return {
            "same_function": Theorem.of(
                binders,
                f"{answers} ↔\n      ∀ (xs : List (Vec Int {d})) (q : Vec Int {d}),\n"
                f"        base2.evalHeads H' xs q = base2.evalHeads ({heads}) xs q",
                "model_certified accepted h",
                hypothesis=hypothesis,
            ),
            "unique": Theorem.of(
                binders,
                f"{answers} ↔\n      (canonical H').Perm ({heads})",
                "model_certified_canonical accepted h",
                hypothesis=hypothesis,
            ),
        }

    def answered(self) -> Iterator[Answered]:
        """The queries of length one, then those of each query token."""
        rows: Sequence[list[fmpq]] = [self.singles, *([x for row in rows for x in row] for rows in self.table)]
        return zip(self.grid.batches(), rows, strict=True)

    def words(self) -> str:
        """The theorem in words."""
        heads = "; ".join(shown_head(W, v) for W, v in self.heads) or "none"
        return (
            f"A sum of at most {self.n} attention heads of dimension {self.dim} over the base-2 semantics (integer W, "
            f"rational v, weights 2^score) gives the {self.grid.answers} recorded answers if and only if it computes "
            f"the same function as the {len(self.heads)} heads of the file; that is, if and only if merging heads of "
            f"equal W and dropping zero values leaves these heads, in some order: {heads}."
        )
