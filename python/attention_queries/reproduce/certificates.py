"""Rows about certificates: Lean's kernel judges files written from answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from attention_queries.errors import LeanError, NotASingleHead
from attention_queries.generate import random_target
from attention_queries.lean.certificate import Certificate, certify, parse_certificate
from attention_queries.lean.certificate.check import Judge
from attention_queries.lean.certificate.head import HeadCertificate
from attention_queries.reproduce.row import Context, DataTable, Outcome, Row
from attention_queries.semantics import Base2

_HEADINGS = ("certificate", "dimension", "answers", "bytes")

Case = tuple[str, Callable[[int], Certificate]]


def _head(dim: int) -> Case:
    return "one head", lambda seed: certify(random_target(Base2(), dim, seed=seed))


def _low_rank(dim: int, rank: int) -> Case:
    return f"rank {rank}", lambda seed: certify(random_target(Base2(), dim, rank=rank, seed=seed), kind="low-rank")


def _heads(dim: int, heads: int) -> Case:
    return f"{heads} heads", lambda seed: certify(random_target(Base2(), dim, heads=heads, seed=seed), max_heads=heads)


def _no_head(dim: int) -> Case:
    def make(seed: int) -> Certificate:
        return certify(random_target(Base2(), dim, heads=2, seed=seed), kind="inconsistency", seed=seed)

    return "no single head", make


def _judged(context: Context, cases: Sequence[Case]) -> Outcome:
    queries, lines, exact, lean = 0, [], True, Judge(context.toolchain)
    for name, make in context.track(cases, len(cases)):
        certificate = make(context.seed)
        text = certificate.text()
        exact &= parse_certificate(text).text() == text == make(context.seed).text()
        try:
            lean.judge(certificate)
        except LeanError:
            exact = False
        answers = certificate.transcript_digest()[1]
        queries += answers
        lines.append((name, certificate.dim, answers, len(text.encode())))
    table = DataTable("Certificates accepted by Lean's kernel", _HEADINGS, tuple(lines))
    return Outcome(len(cases), queries, queries, exact, tables=(table,))


def _single_head(context: Context) -> Outcome:
    return _judged(context, [_head(d) for d in ((3, 8) if context.quick else (3, 8, 16))])


def _low_rank_row(context: Context) -> Outcome:
    return _judged(context, [_low_rank(6 if context.quick else 12, 2)])


def _multi_head(context: Context) -> Outcome:
    return _judged(context, [_heads(2, 2) if context.quick else _heads(3, 2)])


def _inconsistency(context: Context) -> Outcome:
    return _judged(context, [_no_head(2), _no_head(4)])


def _tampered(context: Context) -> Outcome:
    """A changed answer makes the kernel say no; a changed text is refused before."""
    certificate: Any = certify(random_target(Base2(), 3, seed=context.seed))
    changed = HeadCertificate(
        certificate.W, certificate.v, certificate.singles, [[x + 1 for x in row] for row in certificate.table]
    )
    exact = False
    try:
        Judge(context.toolchain).judge(changed)
    except LeanError:
        exact = True
    try:
        certify(random_target(Base2(), 3, heads=2, seed=context.seed), kind="single-head")
    except NotASingleHead:
        return Outcome(2, 0, 0, exact)
    return Outcome(2, 0, 0, False)


CERTIFY = "attention_queries.lean.certificate.certify"
CHECK = "attention_queries.lean.certificate.check_certificate"

ROWS = (
    Row(
        "certificate-head",
        "the transcript of one head becomes a Lean file: no other head gives these d² + d answers",
        ("AttentionQueries.Results.certificate_head",),
        CERTIFY,
        _single_head,
    ),
    Row(
        "certificate-low-rank",
        "d + r(2d - r) answers leave no other head of rank at most r, by Lean's kernel",
        ("AttentionQueries.Results.certificate_low_rank",),
        CERTIFY,
        _low_rank_row,
    ),
    Row(
        "certificate-heads",
        "an explicit list of answers leaves no other model with at most H heads, by Lean's kernel",
        ("AttentionQueries.Results.certificate_heads",),
        CERTIFY,
        _multi_head,
    ),
    Row(
        "certificate-inconsistency",
        "answers that no single head gives: a Lean proof of that",
        (
            "AttentionQueries.Results.certificate_impossible",
            "AttentionQueries.Results.certificate_contradiction",
        ),
        CERTIFY,
        _inconsistency,
    ),
    Row(
        "certificate-tampered",
        "changed answers are rejected by the kernel, answers of two heads never certified as one",
        ("AttentionQueries.Results.certificate_head_complete",),
        CHECK,
        _tampered,
    ),
)
