"""Learning a sum of attention heads: its canonical form from nearly as few queries as it has parameters."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from attention_queries.errors import InputError, NotMultiHead, ScoreTooLarge, VerificationFailed, shown
from attention_queries.fibre import canonical
from attention_queries.learners.multi_head import long, short
from attention_queries.learners.multi_head.anchor import MAX_HEADS, TooLong, check_max_heads, find_anchor, random_anchor
from attention_queries.learners.multi_head.column import Column, from_pivot, learn_column
from attention_queries.learners.multi_head.directions import Total, unit_vector
from attention_queries.learners.multi_head.reduction import NewDenominator, Reduction, Reductions, Retry, divided
from attention_queries.learners.multi_head.rows import Guide, choose_guide, query_tokens, see_guide
from attention_queries.learners.result import Learned, Progress
from attention_queries.learners.tally import everything_counted
from attention_queries.learners.verification import MAX_LENGTH, verify_on_fresh_queries
from attention_queries.models import AttentionModel, Head
from attention_queries.oracle import Oracle, QueryCount
from attention_queries.semantics.base import S, V
from attention_queries.sequences import QueryBatch

METHOD = "multi-head"
Variant = Literal["short", "long"]
VARIANTS: tuple[Variant, ...] = ("short", "long")

_ATTEMPTS = 8
_SMALLEST = -12
_FEW_TOKENS = 5
"""Longest check with two distinct tokens, which are enough to tell any two models apart."""

Scores = Callable[
    [Oracle[Any, Any], Reduction, Total, Column, Guide, Sequence[int], list[Any]],
    list[list[Any]],
]
_SCORES: dict[str, Scores] = {"short": short.scores_at, "long": long.scores_at}


def formula(heads: int, dim: int, variant: Variant) -> int:
    """The number of queries of a run without surprises, the number of heads being known."""
    if heads == 0:
        return dim
    if variant == "short":
        return (2 * heads - 1) * dim**2 + dim
    return heads * (dim**2 + 2 * dim - 1) - (dim - 1)


def learn_multi_head(
    oracle: Oracle[S, V],
    *,
    max_heads: int | None = None,
    variant: Variant = "short",
    seed: int = 0,
    checks: int = 8,
    progress: Progress | None = None,
) -> Learned[S, V]:
    """Recover the canonical form of the sum of heads behind `oracle`, then re-check it on `checks` fresh queries.

    `variant` `"short"` asks sequences of at most `2H + 1` tokens (`max_heads + 1` until `H` is known), for `H` heads
    `(2H - 1)d² + d` of them; `"long"` asks `H(d² + 2d - 1) - (d - 1)` queries, most of them with very many copies of
    one token. To these come one query to find out the number of heads, or `2(max_heads - H)` with a bound on it, and
    what repeated attempts cost: directions and primes are random, determined by `seed`, and an attempt that meets a
    coincidence is repeated with others, a bounded number of times. The notes of the result say how many queries were
    asked beyond the formula.

    Equal `W` come back merged; heads without effect do not come back. Raises `TooManyHeads` when more than `max_heads`
    show (or more than `MAX_HEADS` without a bound), `NotMultiHead` when no attempt explains the answers,
    `UnsupportedValues` for large exponential sums as values, `ScoreTooLarge` when base-2 powers do not fit even for the
    smallest queries, and `InputError` for floating semantics.
    """
    check_options(max_heads, variant)
    with everything_counted(oracle) as tally, oracle.counting(QueryCount()):
        run = _Run(oracle, max_heads, variant, random.Random(seed), checks, progress, tally.learning)
        model = run.learn()
    return Learned(model, METHOD, tally.learning, tally.verification, run.notes(len(model.heads)))


def check_options(max_heads: int | None, variant: str) -> None:
    """Raise `InputError` for options that `learn_multi_head` does not accept."""
    if variant not in VARIANTS:
        raise InputError(f"unknown variant {shown(variant)}; known: {', '.join(VARIANTS)}")
    if max_heads is not None:
        check_max_heads(max_heads)


@dataclass
class _Run:
    """All attempts at one oracle."""

    oracle: Oracle[Any, Any]
    max_heads: int | None
    variant: Variant
    rng: random.Random
    checks: int
    progress: Progress | None
    learning: QueryCount
    given_up: int = 0
    spent_before: int = 0
    doubts: list[VerificationFailed] = field(default_factory=list)

    def learn(self) -> AttentionModel[Any, Any]:
        """The model of the first attempt that stands every check."""
        reductions = Reductions(self.oracle.semantics, self.rng)
        d = self.oracle.dim
        V = self.oracle.many(QueryBatch.singles([unit_vector(d, i) for i in range(d)]))
        size = failures = 0
        last: Exception = Retry("no attempt was made")
        while failures < _ATTEMPTS:
            reduction = reductions.draw()
            self.spent_before = self.learning.queries
            try:
                model = self._attempt(reduction, Total(V, reduction), size)
                self._verify(model)
                return model
            except (TooLong, ScoreTooLarge):
                if size == _SMALLEST:
                    raise
                size -= 1
            except NewDenominator as error:
                reductions.allow(error.denominator)
                failures, last = failures + 1, error
            except (Retry, VerificationFailed) as error:
                failures, last, size = failures + 1, error, size + 1
            self.given_up += 1
        raise self._failure(last)

    def _attempt(self, reduction: Reduction, total: Total, size: int) -> AttentionModel[Any, Any]:
        oracle = self.oracle
        direction = random_anchor(self.rng, oracle.dim, size)
        anchor = find_anchor(oracle, reduction, total, direction, self.max_heads, impatient=size > _SMALLEST)
        if not anchor.heads:
            return AttentionModel(oracle.semantics, oracle.dim, [])
        column = learn_column(oracle, reduction, total, anchor)
        guide = choose_guide(column, reduction, self.rng, with_multiples=self.variant == "short")
        pivot, tokens = query_tokens(column, guide.n)
        columns = {}
        for done, (j, q) in enumerate(tokens.items(), 1):
            at_guide = see_guide(oracle, reduction, total, guide, q)
            columns[j] = _SCORES[self.variant](oracle, reduction, total, column, guide, q, at_guide)
            if self.progress is not None:
                self.progress(done, len(tokens))
        heads = [
            Head(_matrix(column, h, {j: found[h] for j, found in columns.items()}, guide.n, pivot), v)
            for h, v in enumerate(column.values)
        ]
        return canonical(AttentionModel(oracle.semantics, oracle.dim, heads))

    def _verify(self, model: AttentionModel[Any, Any]) -> None:
        # A query that refuted one attempt's model must not be forgotten by the next attempt.
        for doubt in self.doubts:
            if model.value(doubt.query) != doubt.answer:
                raise doubt
        # Exact answers of the exp semantics have as many terms as there are choices of one distinct token a head.
        long_answers = self.oracle.semantics.max_span is None and len(model.heads) > 3
        max_length = _FEW_TOKENS if long_answers else MAX_LENGTH
        try:
            verify_on_fresh_queries(self.oracle, model, self.rng, checks=self.checks, max_length=max_length)
        except VerificationFailed as error:
            self.doubts.append(error)
            raise

    def _failure(self, last: Exception) -> NotMultiHead:
        most = self.max_heads or MAX_HEADS
        query, answer = getattr(last, "query", None), getattr(last, "answer", None)
        return NotMultiHead(
            f"no sum of at most {most} attention heads was found that gives the oracle's answers, "
            f"in {_ATTEMPTS} attempts; in the last one, {last}",
            query,
            answer,
        )

    def notes(self, heads: int) -> tuple[str, ...]:
        """What the queries were spent on."""
        dim = self.oracle.dim
        if heads == 0:
            return ("The function is zero: no heads are left in its canonical form.",)
        expected = formula(heads, dim, self.variant)
        text = {"short": "(2H - 1)d² + d", "long": "H(d² + 2d - 1) - (d - 1)"}[self.variant]
        notes = [f"H = {heads}: the {self.variant} variant's formula {text} gives {expected:,} queries."]
        wasted = self.spent_before - dim
        beyond = self.learning.queries - expected - wasted
        if beyond:
            notes.append(f"{beyond:,} more to find out the number of heads or to replace unlucky directions.")
        if wasted:
            notes.append(f"{wasted:,} more in {self.given_up} attempt(s) given up: a coincidence, or long answers.")
        return tuple(notes)


def _matrix(column: Column, h: int, columns: dict[int, list[Any]], n: int, pivot: int) -> list[list[Any]]:
    """The matrix of one head from its scores at the query tokens `q` and `q + n·e_j`, `j ≠ pivot`."""
    d = len(column.q)
    W = [[0] * d for _ in range(d)]
    for i, at_q in enumerate(column.scores[h]):
        for j, scores in columns.items():
            W[i][j] = divided(scores[i] - at_q, n)
        W[i][pivot] = from_pivot(at_q, column.q, W[i], pivot)
    return W
