"""`attnq learn`."""

from __future__ import annotations

import json
import os
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from attention_queries.cli.intervals import imperfect_oracle, print_intervals, whole_model
from attention_queries.cli.options import Json, Seed
from attention_queries.cli.output import counted, print_text, progress_bar
from attention_queries.errors import InputError
from attention_queries.files import AtomicFile, Target, load_target, target_text, target_to_json
from attention_queries.learners import registry
from attention_queries.learners.noisy.result import LearnedIntervals
from attention_queries.learners.result import Result
from attention_queries.models import AttentionModel
from attention_queries.oracle import ModelOracle
from attention_queries.transcript import TranscriptWriter
from attention_queries.transformer.equality import largest_error, same_function
from attention_queries.transformer.model import Transformer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("learn")(learn_command)


def learn_command(
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="Target file, or - for standard input.")],
    method: Annotated[
        str, typer.Option("--method", metavar="NAME", help=f"One of {', '.join(registry.NAMES)}.")
    ] = "auto",
    variant: Annotated[
        str | None, typer.Option("--variant", metavar="NAME", help="Sequences for several heads: short or long.")
    ] = None,
    max_heads: Annotated[
        int | None, typer.Option("--max-heads", metavar="H", help="Largest number of heads to look for.")
    ] = None,
    bound: Annotated[
        int | None,
        typer.Option("--bound", metavar="B", help="Largest entry, for the methods kronecker and membership."),
    ] = None,
    checks: Annotated[
        int | None, typer.Option("--checks", metavar="N", help="Random checks to stop, for the method low-rank.")
    ] = None,
    tolerance: Annotated[
        str | None, typer.Option("--tolerance", metavar="T", help="Largest error of an answer, for the method noisy.")
    ] = None,
    max_length: Annotated[
        int | None, typer.Option("--max-length", metavar="L", help="Longest sequence, for the method noisy.")
    ] = None,
    repeats: Annotated[
        int | None,
        typer.Option(
            "--repeats", metavar="R", help="Ask every query R times and average: random noise in place of rounding."
        ),
    ] = None,
    theta: Annotated[
        str | None, typer.Option("--theta", metavar="T", help="Threshold of the answers, for the method membership.")
    ] = None,
    max_denominator: Annotated[
        int | None,
        typer.Option("--max-denominator", metavar="N", help="Promise about W and v, for noisy and membership."),
    ] = None,
    as_json: Json = False,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write the recovered model.")] = None,
    transcript: Annotated[
        Path | None, typer.Option("--transcript", metavar="FILE", help="Write every query and answer.")
    ] = None,
    seed: Seed = 0,
) -> None:
    """Recover a target from its answers alone and compare. The result itself: --out FILE or --json."""
    options = {
        "variant": variant,
        "max_heads": max_heads,
        "bound": bound,
        "checks": checks,
        "tolerance": tolerance,
        "max_length": max_length,
        "repeats": repeats,
        "theta": theta,
        "max_denominator": max_denominator,
    }
    learner = registry.prepare(method, options)
    if out is not None and transcript is not None and os.path.realpath(out) == os.path.realpath(transcript):
        raise InputError("--out and --transcript name the same file")
    model = load_target(target)
    with ExitStack() as files:
        # Both files are opened first: a path that cannot be written shows before the work, not after.
        result_file = None if out is None else files.enter_context(AtomicFile(out))
        oracle = imperfect_oracle(model, options, seed) or ModelOracle(model)
        if transcript is not None:
            oracle.sink = files.enter_context(TranscriptWriter(transcript, model.semantics, model.dim))
        with progress_bar("learning", shown=not as_json) as progress:
            start = time.perf_counter()
            learned = learner(oracle, seed=seed, progress=progress)
            seconds = time.perf_counter() - start
        if result_file is not None:
            result_file.write(target_text(whole_model(learned)))
    if isinstance(learned, LearnedIntervals):
        print_intervals(model, learned, seconds, as_json=as_json)
        return
    report = summary(model, learned, seconds)
    print_text(json.dumps(report) + "\n" if as_json else as_text(report, learned.notes))
    if model.semantics.exact and not report["exact"]:
        raise typer.Exit(1)


def summary(target: Target, learned: Result[Any], seconds: float) -> dict[str, Any]:
    """What `--json` prints: the recovered model in the target format, and what it cost."""
    model = learned.model
    report = {
        **target_to_json(model),
        "method": learned.method,
        "d": model.dim,
        "parameters": model.parameters,
        **learned.learning.as_dict(),
        "verification": learned.verification.as_dict(),
        "exact": model.semantics.exact and same_function(model, target),
        "seconds": round(seconds, 6),
    }
    if not model.semantics.exact:
        report["largest_error"] = _largest_error(target, model)
    return report


def _largest_error(target: Target, model: Target) -> float | None:
    """The largest difference of two entries, where both models have one head, or networks of one size; else None."""
    if isinstance(target, Transformer) and isinstance(model, Transformer):
        return largest_error(target, model)
    if isinstance(target, Transformer) or isinstance(model, Transformer):
        return None
    if len(target.heads) != 1 or len(model.heads) != 1:
        return None
    pairs = zip(_entries(target), _entries(model), strict=True)
    return max(abs(float(x) - float(y)) for x, y in pairs)


def _entries(model: AttentionModel[Any, Any]) -> list[Any]:
    (head,) = model.heads
    return [x for row in (*head.W, head.v) for x in row]


def as_text(report: dict[str, Any], notes: tuple[str, ...]) -> str:
    """The report for people."""
    checks = report["verification"]
    if report["exact"]:
        verdict = "yes: the recovered model equals the target"
    elif "largest_error" in report:
        verdict = "no: floating point"
        if report["largest_error"] is not None:
            verdict += f", largest error {report['largest_error']:.3g}"
    else:
        verdict = "NO: the recovered model agrees with every check but is not the target"
    lines = {
        "model": f"{_kind(report)} of dimension {report['d']}, {report['semantics']} semantics",
        "method": report["method"],
        "queries": f"{report['queries']:,} for {report['parameters']:,} parameters",
        "tokens": f"{report['tokens']:,} in all, at most {report['longest']:,} in one query",
        "answers": f"{report['bits']:,} bits in all",
        "checks": f"{checks['queries']} fresh queries, not counted above",
        "exact": verdict,
        "seconds": f"{report['seconds']:.3f}",
    }
    return "".join(f"{name:<9}{text}\n" for name, text in lines.items()) + "".join(f"{note}\n" for note in notes)


def _kind(report: dict[str, Any]) -> str:
    if report["model"] == "transformer":
        return f"transformer with {counted(len(report['ffn']['hidden']), 'neuron')}"
    return counted(len(report["heads"]), "head")
