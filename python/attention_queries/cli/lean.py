"""`attnq verify`, `attnq crosscheck` and `attnq audit-core`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from attention_queries.cli.options import Seed


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("verify")(verify)
    app.command("crosscheck")(crosscheck)
    app.command("audit-core")(audit_core)


Toolchain = Annotated[str, typer.Option("--toolchain", metavar="NAME", help="How to run Lean: auto, lake or bundled.")]


def verify(
    toolchain: Toolchain = "auto",
    pin: Annotated[bool, typer.Option("--pin", help="Accept the present statements of the theorems.")] = False,
    show_statements: Annotated[bool, typer.Option("--show-statements", help="Print the statements.")] = False,
    jobs: Annotated[int | None, typer.Option("--jobs", min=1, metavar="N", help="Modules checked at once.")] = None,
) -> None:
    """Check every proof of the Lean library."""
    from attention_queries.lean.command import verify_command

    verify_command(toolchain=toolchain, pin=pin, show_statements=show_statements, jobs=jobs)


def crosscheck(
    cases: Annotated[int, typer.Option("--cases", min=1, metavar="N", help="Number of random cases.")] = 100,
    write: Annotated[bool, typer.Option("--write", help="Renew the generated conformance files instead.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Only say whether the generated files are current.")] = False,
    toolchain: Toolchain = "auto",
    seed: Seed = 0,
) -> None:
    """Compare Lean's values with Python's. Both evaluate the same random cases."""
    from attention_queries.lean.crosscheck import crosscheck_command

    crosscheck_command(cases=cases, seed=seed, write=write, check=check, toolchain=toolchain)


def audit_core(
    everything: Annotated[bool, typer.Option("--all", help="Compare all of minicore, not only what is used.")] = False,
    facts: Annotated[
        Path | None, typer.Option("--facts", metavar="FILE", help="Renew the table of facts from this full one.")
    ] = None,
) -> None:
    """Audit the stand-in for Lean's core library. What the library uses is compared with the official signatures."""
    from attention_queries.lean.core_audit import audit_core_command

    audit_core_command(facts=facts, everything=everything)
