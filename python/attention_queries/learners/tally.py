"""Counting every query of several learners, or of several attempts of one, those that give up included."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from attention_queries.oracle import Oracle, QueryCount, Sink
from attention_queries.semantics.base import S, Semantics, V
from attention_queries.sequences import QueryBatch


@dataclass
class Tally:
    """A sink that counts what it passes on, queries that only check apart."""

    semantics: Semantics[Any, Any]
    target: Sink | None
    learning: QueryCount = field(default_factory=QueryCount)
    verification: QueryCount = field(default_factory=QueryCount)

    def record(self, batch: QueryBatch, answers: Sequence[Any], *, check: bool) -> None:
        """Count the queries of a batch and pass them on."""
        count = self.verification if check else self.learning
        count.add(batch.lengths, sum(map(self.semantics.bits, answers)))
        if self.target is not None:
            self.target.record(batch, answers, check=check)


@contextmanager
def everything_counted(oracle: Oracle[S, V]) -> Iterator[Tally]:
    """Count all queries within the block, also those of a learner that gives up."""
    before = oracle.sink
    tally = Tally(oracle.semantics, before)
    oracle.sink = tally
    try:
        yield tally
    finally:
        oracle.sink = before
