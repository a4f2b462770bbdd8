"""Making certificates from a model that answers, or from the transcript of a run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from flint import fmpq

from attention_queries.errors import InputError, LearningError, NotASingleHead, NotIdentifiable, shown
from attention_queries.fibre import canonical, equal
from attention_queries.lean.certificate.document import Certificate
from attention_queries.lean.certificate.head import HeadCertificate, shown_value
from attention_queries.lean.certificate.low_rank import LowRankCertificate, cross_of, pivots, probed_scores
from attention_queries.lean.certificate.multi_head import ModelCertificate
from attention_queries.lean.certificate.refutation import (
    Contradiction,
    Impossible,
    NotZero,
    Refutation,
    is_impossible,
)
from attention_queries.lean.certificate.run import RecordedRun
from attention_queries.learners.single_head import learn_single_head
from attention_queries.models import AttentionModel
from attention_queries.oracle import ModelOracle
from attention_queries.sequences import Query
from attention_queries.transcript import Transcript

KINDS = ("auto", "single-head", "low-rank", "multi-head", "inconsistency")
Model = AttentionModel[Any, Any]


def certify(
    source: Model | RecordedRun,
    *,
    kind: str = "auto",
    rank: int | None = None,
    max_heads: int | None = None,
    model: Model | None = None,
    seed: int = 0,
) -> Certificate:
    """The certificate of a kind, for a model that answers or for a recorded run.

    `rank` is that of a low-rank certificate, which must be the rank of `W`; `max_heads` the bound of a multi-head one
    (default: as many heads as the canonical form has); `model` the model that a recorded run of several heads is to
    certify; `seed` chooses the queries that look for a contradiction. Raises `InputError` for what cannot be
    certified, and a `LearningError` with the first impossible answer when there is no such model.
    """
    if kind not in KINDS:
        raise InputError(f"unknown kind {shown(kind)}; known: {', '.join(KINDS)}")
    if rank is not None and rank < 0:
        raise InputError(f"the rank is a natural number, not {rank}")
    if max_heads is not None and max_heads < 1:
        raise InputError(f"the largest number of heads is a positive integer, not {shown(max_heads)}")
    if isinstance(source, RecordedRun):
        chosen = _kind_of_run(source, model) if kind == "auto" else kind
        _check_options(chosen, rank, max_heads)
        return _certify_run(source, chosen, rank, max_heads, model)
    if model is not None:
        raise InputError("a model is given apart only together with a transcript")
    if source.semantics.name != "base2":
        raise InputError(
            f"certificates exist for the base2 semantics only; this is a model of the {source.semantics.name} semantics"
        )
    if kind == "auto":
        several = max_heads is not None or len(canonical(source).heads) > 1
        kind = "low-rank" if rank is not None else "multi-head" if several else "single-head"
    _check_options(kind, rank, max_heads)
    oracle = ModelOracle(source)
    if kind == "low-rank":
        return LowRankCertificate.make(oracle, *_cross(source, rank))
    if kind == "multi-head":
        heads = canonical(source)
        return ModelCertificate.make(oracle, heads, max_heads or max(1, len(heads.heads)))
    if kind == "inconsistency":
        return _refute_model(source, seed)
    certificate = HeadCertificate.make(oracle)
    _same_function(source, certificate.model)
    return certificate


def _same_function(source: Model, model: AttentionModel[int, fmpq]) -> None:
    """Raise `NotASingleHead` when the source answers other queries than the learner's not as the head found."""
    comparison = equal(source, model)
    if comparison.equal:
        return
    query, values = comparison.witness, comparison.values
    if query is None or values is None:
        raise LearningError("the model is not a single attention head, although the learner's queries do not show it")
    raise NotASingleHead(
        f"the model is not a single attention head: it answers {shown_value(values[0])} to the query {query}, "
        f"where the only head with its answers to the learner's queries gives {shown_value(values[1])}",
        query,
        values[0],
    )


def _check_options(kind: str, rank: int | None, max_heads: int | None) -> None:
    if rank is not None and kind != "low-rank":
        raise InputError(f"a rank belongs to the kind low-rank, not to {kind}")
    if max_heads is not None and kind != "multi-head":
        raise InputError(f"a largest number of heads belongs to the kind multi-head, not to {kind}")


def _cross(source: Model, rank: int | None) -> tuple[list[int], list[int]]:
    """Rows and columns that determine the one head of a model among those of its rank."""
    heads = canonical(source).heads
    if len(heads) != 1:
        raise InputError(f"a low-rank certificate is about one head; the canonical form has {len(heads)}")
    (head,) = heads
    rows, cols = pivots(probed_scores(head.W, head.v))
    if rank is not None and rank != len(rows):
        raise LearningError(
            f"W has rank {len(rows)}; among the heads of rank at most {rank} a certificate needs a W of this rank"
        )
    return rows, cols


# Recorded runs.


def _kind_of_run(run: RecordedRun, model: Model | None) -> str:
    if model is not None:
        return "multi-head"
    d, steps = run.dim, len(run.steps)
    crosses = {d + r * (2 * d - r) for r in range(d)}
    return "low-rank" if steps in crosses and all(entry.query.length <= 2 for _, entry in run.steps) else "single-head"


def _certify_run(
    run: RecordedRun, kind: str, rank: int | None, max_heads: int | None, model: Model | None
) -> Certificate:
    if kind == "inconsistency":
        return _refute_run(run)
    if (model is None) == (kind == "multi-head"):
        raise InputError(
            "the transcript alone does not give the heads: name the recovered model with --model"
            if model is None
            else f"--model belongs to the kind multi-head, not to {kind}"
        )
    try:
        certificate = _from_run(run, kind, rank, max_heads, model)
    except NotASingleHead as error:
        raise _placed(run, error) from None
    contradiction = _contradiction(run, certificate.model)
    if contradiction is not None:
        line, query, answer = contradiction
        raise NotASingleHead(
            f"{run.path}, line {line}: the answer {shown_value(answer)} to {query} contradicts the answers before it, "
            f"which leave {shown_value(certificate.model.value(query))} only",
            query,
            answer,
        )
    return certificate


def _from_run(
    run: RecordedRun, kind: str, rank: int | None, max_heads: int | None, model: Model | None
) -> HeadCertificate | LowRankCertificate | ModelCertificate:
    if model is not None:
        if model.semantics.name != "base2" or model.dim != run.dim:
            raise InputError("the model and the transcript differ in semantics or dimension")
        heads = canonical(model)
        return ModelCertificate.make(run, heads, max_heads or max(1, len(heads.heads)))
    if kind == "low-rank":
        singles = [entry.answer for _, entry in run.steps[: run.dim]]
        if len(singles) < run.dim or all(x == 0 for x in singles):
            HeadCertificate.make(run)  # which says what is wrong
        rows, cols = cross_of([entry.query for _, entry in run.steps[run.dim :]], singles)
        if rank is not None and rank != len(rows):
            raise InputError(f"the transcript has {len(rows)} rows and columns, not {rank}")
        return LowRankCertificate.make(run, rows, cols)
    return HeadCertificate.make(run)


def _placed(run: RecordedRun, error: NotASingleHead) -> NotASingleHead:
    line = run.line_of(error.query)
    place = f"{run.path}, line {line}: " if line is not None else ""
    return NotASingleHead(f"{place}{error}", error.query, error.answer)


def _contradiction(run: RecordedRun, model: AttentionModel[int, fmpq]) -> tuple[int, Query[int], fmpq] | None:
    """The first entry after the run that the model does not answer so."""
    for line, entry in run.finished():
        if model.value(entry.query) != entry.answer:
            return line, entry.query, entry.answer
    return None


# Refutations.

_NOTHING = "the answers are those of one attention head, so there is nothing to refute"


def _refute_model(source: Model, seed: int) -> Refutation:
    oracle = ModelOracle(source)
    record: Transcript[int, fmpq] = Transcript(oracle.semantics, oracle.dim)
    oracle.sink = record
    try:
        learn_single_head(oracle, seed=seed)
    except NotASingleHead as error:
        singles = [entry.answer for entry in record.entries[: oracle.dim]]
        oracle.sink = None
        return _refutation(oracle, singles, error.query, error.answer)
    except NotIdentifiable:
        pass
    raise LearningError(_NOTHING)


def _refute_run(run: RecordedRun) -> Refutation:
    singles = [entry.answer for _, entry in run.steps[: run.dim]]
    try:
        head = HeadCertificate.make(run)
    except NotASingleHead as error:
        return _refutation(run, singles, error.query, error.answer)
    except NotIdentifiable:
        return _nonzero(run.dim, ((entry.query, entry.answer) for _, entry in run.finished()))
    contradiction = _contradiction(run, head.model)
    if contradiction is None:
        raise LearningError(_NOTHING)
    return Contradiction(head, *contradiction[1:])


def _nonzero(dim: int, entries: Iterable[tuple[Query[int], fmpq]]) -> NotZero:
    for query, answer in entries:
        if answer != 0:
            return NotZero(dim, query, answer)
    raise LearningError(_NOTHING)


def _refutation(
    oracle: ModelOracle[int, fmpq] | RecordedRun, singles: list[fmpq], query: Query[int], answer: fmpq
) -> Refutation:
    if is_impossible(singles, query, answer):
        return Impossible(singles, query, answer)
    if all(x == 0 for x in singles):
        return NotZero(oracle.dim, query, answer)
    if isinstance(oracle, RecordedRun):
        oracle.rewind()
    return Contradiction(HeadCertificate.make(oracle), query, answer)
