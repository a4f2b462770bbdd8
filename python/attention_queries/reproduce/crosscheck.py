"""The row in which Lean and Python evaluate the same cases and are compared."""

from __future__ import annotations

from attention_queries.lean.conformance import conformance_files, stale_files
from attention_queries.lean.crosscheck import compare_random_cases
from attention_queries.lean.sources import find_sources
from attention_queries.reproduce.row import Context, Outcome, Row


def _crosscheck(context: Context) -> Outcome:
    sources = find_sources(None)
    cases = 25 if context.quick else 100
    compare_random_cases(cases, context.seed, sources, context.toolchain)
    fixed = sum(text.count("\nexample ") for text in conformance_files().values())
    stale = stale_files(sources)
    return Outcome(cases + fixed, 0, 0, not stale, {"evaluated by Lean": cases, "checked by the kernel": fixed})


ROWS = (
    Row(
        "cross-check",
        "Lean's own definitions, evaluated by Lean, give what Python computes",
        ("AttentionQueries.Results.base2_run",),
        "attention_queries.lean.crosscheck.compare_random_cases",
        _crosscheck,
    ),
)
