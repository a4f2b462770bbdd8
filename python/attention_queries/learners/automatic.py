"""Choosing the learner by what the first queries show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from attention_queries.errors import NotASingleHead, NotIdentifiable
from attention_queries.learners.low_rank import learn_one_head
from attention_queries.learners.multi_head import Variant, learn_multi_head
from attention_queries.learners.result import Progress, Result
from attention_queries.learners.transformer import learn_transformer
from attention_queries.learners.transformer.recognise import nonlinear_on_single_tokens
from attention_queries.oracle import Oracle, QueryCount, Sink
from attention_queries.semantics.base import S, Semantics, V
from attention_queries.sequences import QueryBatch


def learn_automatically(
    oracle: Oracle[S, V],
    *,
    max_heads: int | None = None,
    variant: Variant = "short",
    seed: int = 0,
    progress: Progress | None = None,
) -> Result[Any]:
    """Learn one head with `learn_one_head`, and go on when one turns out not to be enough.

    Then answers to single tokens that are not linear call for `learn_transformer`, and linear ones for
    `learn_multi_head`. Nothing but the oracle's answers decides. The count of the result includes the queries asked
    before the change of method, and a note says how many these were. Errors as for the three learners; for linear
    answers, `NotASingleHead` is final in floating semantics.
    """
    with _everything_counted(oracle) as tally:
        try:
            return learn_one_head(oracle, seed=seed, progress=progress)
        except (NotASingleHead, NotIdentifiable) as error:
            nonlinear = nonlinear_on_single_tokens(oracle, seed=seed)
            if not nonlinear and (isinstance(error, NotIdentifiable) or not oracle.semantics.exact):
                raise
        before = tally.learning.queries
        learned: Result[Any]
        if nonlinear:
            learned = learn_transformer(oracle, seed=seed, progress=progress)
        else:
            learned = learn_multi_head(oracle, max_heads=max_heads, variant=variant, seed=seed, progress=progress)
    note = f"{before:,} queries were asked first, until one showed that a single head is not enough."
    return replace(learned, learning=tally.learning, verification=tally.verification, notes=(note, *learned.notes))


@dataclass
class _Tally:
    """A sink that counts what it passes on, queries that only check apart."""

    semantics: Semantics[Any, Any]
    target: Sink | None
    learning: QueryCount = field(default_factory=QueryCount)
    verification: QueryCount = field(default_factory=QueryCount)

    def record(self, batch: QueryBatch, answers: Sequence[Any], *, check: bool) -> None:
        count = self.verification if check else self.learning
        count.add(batch.lengths, sum(map(self.semantics.bits, answers)))
        if self.target is not None:
            self.target.record(batch, answers, check=check)


@contextmanager
def _everything_counted(oracle: Oracle[S, V]) -> Iterator[_Tally]:
    """Count all queries within the block, also those of a learner that gives up."""
    before = oracle.sink
    tally = _Tally(oracle.semantics, before)
    oracle.sink = tally
    try:
        yield tally
    finally:
        oracle.sink = before
