"""`attnq certify` and `attnq check`."""

from __future__ import annotations

import json
import textwrap
import time
from pathlib import Path
from typing import Annotated

import typer

from attention_queries.cli.options import Seed
from attention_queries.cli.output import print_text
from attention_queries.errors import InputError, LearningError, NotASingleHead
from attention_queries.files import AtomicFile, load_target
from attention_queries.models import AttentionModel
from attention_queries.transcript import is_transcript


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("certify")(certify_command)
    app.command("check")(check_command)


def certify_command(
    source: Annotated[Path, typer.Argument(metavar="TARGET|TRANSCRIPT", help="Target file, or transcript of a run.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The Lean file to write.")],
    kind: Annotated[
        str,
        typer.Option("--kind", metavar="KIND", help="auto, single-head, low-rank, multi-head or inconsistency."),
    ] = "auto",
    rank: Annotated[
        int | None, typer.Option("--rank", metavar="R", help="Certify one head among those of rank at most R.")
    ] = None,
    max_heads: Annotated[
        int | None, typer.Option("--max-heads", metavar="H", help="Certify among models with at most H heads.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option("--model", metavar="FILE", help="The recovered heads, for a transcript of several.")
    ] = None,
    transcript: Annotated[
        Path | None, typer.Option("--transcript", metavar="FILE", help="Write the answers that are certified.")
    ] = None,
    seed: Seed = 0,
) -> None:
    """Turn answers into a Lean file of proofs. It proves which model gives them, or that no single head does."""
    from attention_queries.lean.certificate.make import certify
    from attention_queries.lean.certificate.run import RecordedRun

    if transcript is not None and transcript.resolve() == out.resolve():
        raise InputError("--out and --transcript name the same file")
    try:
        certificate = certify(
            RecordedRun(source) if is_transcript(source) else _heads(source),
            kind=kind,
            rank=rank,
            max_heads=max_heads,
            model=None if model is None else _heads(model),
            seed=seed,
        )
    except NotASingleHead as error:
        if kind == "inconsistency":
            raise
        raise LearningError(f"{error} (--kind inconsistency writes a proof that no head gives such answers)") from None
    with AtomicFile(out) as file:  # opened first: where it cannot be written, no transcript is left behind
        file.write(certificate.text())
        if transcript is not None:
            certificate.transcript().save(transcript)
    _, answers = certificate.transcript_digest()
    print_text(f"wrote {out}: {certificate.title()}, {answers:,} answers; attnq check {out} lets Lean judge it\n")


def _heads(path: Path) -> AttentionModel[object, object]:
    model = load_target(path)
    if not isinstance(model, AttentionModel):
        raise InputError(f"{path}: certificates are about sums of attention heads, not about transformers")
    return model


def check_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A certificate.")],
    toolchain: Annotated[
        str, typer.Option("--toolchain", metavar="NAME", help="How to run Lean: auto, lake or bundled.")
    ] = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Let Lean's kernel judge a certificate. What it proves is then said in words."""
    from attention_queries.lean.certificate.check import check_certificate

    start = time.perf_counter()
    verdict = check_certificate(file, toolchain=toolchain)
    seconds = time.perf_counter() - start
    certificate = verdict.certificate
    digest, answers = certificate.transcript_digest()
    if as_json:
        report = {
            "kind": certificate.kind,
            "dim": certificate.dim,
            "statement": certificate.words(),
            "theorems": {name: theorem.printed for name, theorem in certificate.statements().items()},
            "axioms": list(verdict.axioms),
            "answers": answers,
            "sha256": digest,
            "lean": verdict.way,
            "seconds": round(seconds, 3),
        }
        print_text(json.dumps(report, ensure_ascii=False) + "\n")
        return
    lines = [
        "accepted by Lean's kernel",
        *textwrap.wrap(certificate.words(), width=110, break_long_words=False, break_on_hyphens=False),
        *(f"theorem {name} : {theorem.printed}" for name, theorem in certificate.statements().items()),
        f"axioms      {', '.join(verdict.axioms) or 'none'}",
        f"transcript  {answers:,} answers, SHA-256 {digest}",
        verdict.explanation,
        f"checked in {seconds:.2f} s",
    ]
    print_text("".join(f"{line}\n" for line in lines))
