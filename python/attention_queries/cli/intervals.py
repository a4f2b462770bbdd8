"""The part of `attnq learn` for imperfect answers: simulated oracles, and reports with intervals."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import typer

from attention_queries.cli.output import print_text
from attention_queries.errors import InputError, LearningError
from attention_queries.files import Target, target_to_json
from attention_queries.learners.membership.oracle import ModelThreshold
from attention_queries.learners.noisy.oracles import NoisyOracle, read_number
from attention_queries.learners.noisy.result import LearnedIntervals, as_texts
from attention_queries.learners.result import Result
from attention_queries.models import AttentionModel
from attention_queries.oracle import Oracle, QueryCount
from attention_queries.semantics.rational import format_integer


def imperfect_oracle(target: Target, options: Mapping[str, Any], seed: int) -> Oracle[Any, Any] | None:
    """The oracle that the options ask to simulate: noisy with `tolerance`, one-bit with `theta`, else None.

    Noise is rounding to a grid that the seed places, or with `repeats` independent and uniform.
    """
    tolerance, theta = options["tolerance"], options["theta"]
    if tolerance is None and theta is None:
        return None
    if not isinstance(target, AttentionModel):
        raise InputError("noisy and one-bit answers are simulated for targets that consist of heads")
    if theta is not None:
        return ModelThreshold(target, read_number(theta, "threshold"))
    return NoisyOracle(target, tolerance, noise="uniform" if options["repeats"] else "rounding", seed=seed)


def whole_model(learned: Result[Any]) -> Any:
    """The recovered model; raises `LearningError` where intervals leave entries open."""
    if learned.model is None:
        raise LearningError("no model to write: not every entry is certified (leave out --out to see the intervals)")
    return learned.model


def print_intervals(target: Target, learned: LearnedIntervals, seconds: float, *, as_json: bool) -> None:
    """Print the report; exits with 1 when an entry of the target lies outside its interval."""
    report = interval_summary(target, learned, seconds)
    print_text(json.dumps(report) + "\n" if as_json else interval_text(report))
    if report["violations"] is None or report["violations"] > 0:
        raise typer.Exit(1)


def interval_summary(target: Target, learned: LearnedIntervals, seconds: float) -> dict[str, Any]:
    """What `--json` prints: intervals for all entries, and the model in their middle where there is one."""
    model, d = learned.model, learned.dim
    heads = target.heads if isinstance(target, AttentionModel) else ()
    return {
        **(target_to_json(model) if model is not None else {"semantics": learned.semantics.name}),
        "W_intervals": [as_texts(row) for row in learned.W_intervals],
        "v_intervals": as_texts(learned.v_intervals),
        "method": learned.method,
        "d": d,
        "parameters": d * d + d,
        "certified": learned.certified,
        "determined": learned.determined,
        "widest": None if learned.widest is None else float(learned.widest),
        "violations": learned.violations(heads[0]) if len(heads) == 1 else None,
        **_counts(learned.learning),
        "verification": _counts(learned.verification),
        "exact": target.semantics.exact and model is not None and model == target,
        "notes": list(learned.notes),
        "seconds": round(seconds, 6),
    }


def _counts(count: QueryCount) -> dict[str, int | str]:
    """The counts, as text where JSON readers refuse an integer: one-bit answers may need very many copies."""
    return {name: format_integer(x) for name, x in count.as_dict().items()}


def interval_text(report: dict[str, Any]) -> str:
    """The report for people."""
    parameters, violations = report["parameters"], report["violations"]
    inside = {None: "the target is not one head", 0: "every certified entry of the target lies in its interval"}
    widest = "" if report["widest"] is None else f", the widest of W {report['widest']:.3g}"
    lines = {
        "model": f"1 head of dimension {report['d']}, {report['semantics']} semantics",
        "method": report["method"],
        "queries": f"{report['queries']:,} for {parameters:,} parameters",
        "tokens": f"{_size(report['tokens'])} in all, at most {_size(report['longest'])} in one query",
        "answers": f"{report['bits']:,} bits in all",
        "checks": f"{report['verification']['queries']} fresh queries, not counted above",
        "certified": f"{report['certified']} of {parameters} intervals{widest}; {report['determined']} are exact",
        "target": inside.get(violations, f"VIOLATED: {violations} entries of the target lie outside"),
        "seconds": f"{report['seconds']:.3f}",
    }
    notes = (*report["notes"], "every interval: --json")
    return "".join(f"{name:<10}{text}\n" for name, text in lines.items()) + "".join(f"{x}\n" for x in notes)


def _size(x: int | str) -> str:
    digits = len(x) if isinstance(x, str) else len(str(x))
    return f"{x:,}" if isinstance(x, int) and digits <= 40 else f"a number of {digits:,} digits"
