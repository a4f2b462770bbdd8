"""Choosing the learner by what the first queries show."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from attention_queries.errors import LearningError, NotASingleHead, ScoreTooLarge
from attention_queries.learners.low_rank import learn_one_head
from attention_queries.learners.multi_head import Variant, learn_multi_head
from attention_queries.learners.multi_head.learner import check_options
from attention_queries.learners.result import Progress, Result
from attention_queries.learners.tally import everything_counted
from attention_queries.learners.transformer import learn_transformer
from attention_queries.learners.transformer.recognise import nonlinear_on_single_tokens
from attention_queries.oracle import Oracle
from attention_queries.semantics.base import S, V


def learn_automatically(
    oracle: Oracle[S, V],
    *,
    max_heads: int | None = None,
    variant: Variant = "short",
    seed: int = 0,
    progress: Progress | None = None,
) -> Result[Any]:
    """Learn one head with `learn_one_head`, and go on when one turns out not to be enough.

    In exact semantics, a head is returned only when answers to single tokens, some of them large, are linear as well.
    Otherwise answers to single tokens that are not linear call for `learn_transformer`, and linear ones for
    `learn_multi_head`. Nothing but the oracle's answers decides. The count of the result includes the queries asked
    before the change of method, and a note says how many these were. Errors as for the three learners; for linear
    answers, `NotASingleHead` is final in floating semantics.
    """
    check_options(max_heads, variant)
    with everything_counted(oracle) as tally:
        try:
            head = learn_one_head(oracle, seed=seed, progress=progress)
            if not oracle.semantics.exact:
                return head
            # A network that is linear near the origin looks like a head until its kinks are crossed.
            with oracle.fresh_count():
                nonlinear = nonlinear_on_single_tokens(oracle, seed=seed)
            if not nonlinear:
                return replace(head, verification=tally.verification)
        except (LearningError, ScoreTooLarge) as error:
            nonlinear = nonlinear_on_single_tokens(oracle, seed=seed)
            if not nonlinear and not (isinstance(error, NotASingleHead) and oracle.semantics.exact):
                raise
        before = tally.learning.queries
        learned: Result[Any]
        if nonlinear:
            learned = learn_transformer(oracle, seed=seed, progress=progress)
        else:
            learned = learn_multi_head(oracle, max_heads=max_heads, variant=variant, seed=seed, progress=progress)
    note = f"{before:,} queries were asked first, until one showed that a single head is not enough."
    return replace(learned, learning=tally.learning, verification=tally.verification, notes=(note, *learned.notes))
