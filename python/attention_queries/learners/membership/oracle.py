"""Oracles that answer with one bit."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

from flint import fmpq

from attention_queries.errors import InputError, shown
from attention_queries.learners.noisy.oracles import exact_batch, exact_version
from attention_queries.models import AttentionModel
from attention_queries.oracle import Oracle
from attention_queries.semantics.base import S, Semantics
from attention_queries.semantics.sign import sign
from attention_queries.sequences import Query, QueryBatch, Token

_MAX_RECORDED_BITS = 14_000
"""Longer numbers of copies are no JSON integers."""


class ThresholdOracle(Oracle[S, Any]):
    """Answers True where the output exceeds a threshold, False elsewhere; every answer counts as one bit.

    A sink records 1 for True and -1 for False.
    """

    @abstractmethod
    def _bits(self, batch: QueryBatch) -> list[bool]:
        """The answers to a batch of the right dimension."""

    def _answer(self, query: Query[S]) -> bool:
        return self._bits(QueryBatch.of([query]))[0]

    def ask(self, query: Query[S]) -> bool:
        """The answer to one query."""
        return self.many(QueryBatch.of([query]))[0]

    def many(self, batch: QueryBatch) -> list[bool]:
        """The answers to a batch, in its order."""
        if len(batch) == 0:
            return []
        self._check_dim(batch.dim)
        answers = self._bits(batch)
        self.count.add(batch.lengths, len(answers))
        if self.sink is not None:
            if max(batch.lengths).bit_length() > _MAX_RECORDED_BITS:
                raise InputError("a sequence has too many copies of a token to be recorded in a transcript")
            signs = [self.semantics.value(1 if answer else -1) for answer in answers]
            self.sink.record(batch, signs, check=self._checking)
        return answers


class ModelThreshold(ThresholdOracle[S]):
    """Compares the values of a known model with a rational threshold, exactly.

    In the float semantics the values are those of the real-valued function with the model's parameters.
    """

    def __init__(self, model: AttentionModel[S, Any], theta: fmpq) -> None:
        super().__init__(model.semantics, model.dim)
        self._truth = exact_version(model)
        self._theta = theta

    def _bits(self, batch: QueryBatch) -> list[bool]:
        return [sign(y - self._theta) > 0 for y in self._truth.values(exact_batch(batch))]


class CallableThreshold(ThresholdOracle[S]):
    """Answers with any function of the runs that returns a truth value or a sign; signs above 0 count as True."""

    def __init__(self, f: Callable[[list[tuple[Token[S], int]]], Any], semantics: Semantics[S, Any], dim: int) -> None:
        super().__init__(semantics, dim)
        self._f = f

    def _bits(self, batch: QueryBatch) -> list[bool]:
        return [self._read(self._f(list(query.runs)), query) for query in batch]

    def _read(self, answer: object, query: Query[S]) -> bool:
        if isinstance(answer, bool) or (isinstance(answer, int) and -1 <= answer <= 1):
            return answer > 0
        raise InputError(f"the oracle's answer to {query} is neither a truth value nor a sign: {shown(answer)}")
