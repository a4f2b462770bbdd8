"""The reduction of a transformer with a network without biases to one head, by negating all tokens.

Negation keeps every score, because `(-x)ᵀ W (-q) = xᵀ W q`, and negates the attention output `z`. With
`relu(x) - relu(-x) = x`, and without biases, `f(X) - f(-X) = g(z) - g(-z) = ⟨Σ_j a_j w_j + 2 l, z⟩`: the value of one
head (as proposed in arXiv 2601.16873).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

from attention_queries.errors import NotASingleHead, NotATransformer, NotIdentifiable
from attention_queries.learners.ffn.learner import learn_ffn
from attention_queries.learners.ffn.oracle import NetworkLearner
from attention_queries.learners.result import Learned, Progress, Result
from attention_queries.learners.single_head import learn_single_head
from attention_queries.learners.transformer.learner import cost_notes, learn_network, verify_transformer
from attention_queries.oracle import Oracle, QueryCount
from attention_queries.semantics.base import S, V
from attention_queries.sequences import Query, QueryBatch
from attention_queries.transformer.model import Transformer

METHOD = "negation"


class OddPart(Oracle[S, V]):
    """The oracle of `f(X) - f(-X)`; each of its queries asks two of the oracle for `f`, and both are counted."""

    def __init__(self, oracle: Oracle[S, V]) -> None:
        super().__init__(oracle.semantics, oracle.dim)
        self._oracle = oracle

    def _answer(self, query: Query[S]) -> V:
        return self._answers(QueryBatch.of([query]))[0]

    def _answers(self, batch: QueryBatch) -> list[V]:
        negative = QueryBatch(-batch.tokens, batch.sequences, batch.denominator)
        plus, minus = self._oracle.many(batch), self._oracle.many(negative)
        return [x - y for x, y in zip(plus, minus, strict=True)]

    @contextmanager
    def counting(self, count: QueryCount) -> Iterator[QueryCount]:
        """Within the block, the queries to the oracle for `f` are counted in `count`."""
        with self._oracle.counting(count):
            yield count

    @contextmanager
    def fresh_count(self) -> Iterator[QueryCount]:
        """Within the block, the queries to the oracle for `f` are counted apart, and recorded as checks."""
        with self._oracle.fresh_count() as count:
            yield count


def learn_by_negation(
    oracle: Oracle[S, V], *, seed: int = 0, checks: int = 8, progress: Progress | None = None
) -> Learned[S, V]:
    """Recover the head `(W, Σ_j a_j w_j + 2 l)` behind a transformer without biases, by `2(d² + d)` queries.

    The constant of the network may be anything. Raises `NotIdentifiable` when `Σ_j a_j w_j + 2 l = 0`: then
    `f(X) = f(-X)`, and this reduction shows nothing of `W`. Raises `NotATransformer` when `f(X) - f(-X)` is not the
    value of a head, in particular for a network whose biases matter.
    """
    try:
        learned = learn_single_head(OddPart(oracle), seed=seed, checks=checks, progress=progress)
    except NotIdentifiable:
        raise NotIdentifiable(
            "Σ_j a_j w_j + 2 l = 0, so f(X) = f(-X) for all sequences, and negating tokens shows nothing of W; "
            "the method transformer does not need this condition"
        ) from None
    except NotASingleHead as error:
        raise NotATransformer(
            "f(X) - f(-X) is not the value of one head, as it is for a network without biases (the method transformer "
            f"allows biases): {error}",
            error.query,
            error.answer,
        ) from None
    return Learned(learned.model, METHOD, learned.learning, learned.verification, learned.notes)


def learn_transformer_by_negation(
    oracle: Oracle[S, V],
    *,
    seed: int = 0,
    checks: int = 8,
    network_learner: NetworkLearner = learn_ffn,
    progress: Progress | None = None,
) -> Result[Transformer[S, V]]:
    """Recover a transformer without biases: `W` by `learn_by_negation`, then the network.

    Raises as `learn_by_negation`, and as the network learner.
    """
    head = learn_by_negation(oracle, seed=seed, checks=checks, progress=progress)
    with oracle.counting(QueryCount()) as for_network:
        network = learn_network(oracle, network_learner, seed)
    model = Transformer(oracle.semantics, head.model.heads[0].W, network)
    verification = verify_transformer(oracle, model, random.Random(seed + 1), checks)
    return Result(
        model,
        METHOD,
        _total(head.learning, for_network),
        _total(head.verification, verification),
        cost_notes(oracle.semantics, network_learner, for_network.queries, head.learning.queries),
    )


def _total(a: QueryCount, b: QueryCount) -> QueryCount:
    return QueryCount(a.queries + b.queries, a.tokens + b.tokens, max(a.longest, b.longest), a.bits + b.bits)
