"""`attnq verify`."""

from __future__ import annotations

from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("verify")(verify)


def verify(
    toolchain: Annotated[
        str, typer.Option("--toolchain", metavar="NAME", help="How to run Lean: auto, lake or bundled.")
    ] = "auto",
    pin: Annotated[bool, typer.Option("--pin", help="Accept the present statements of the theorems.")] = False,
    show_statements: Annotated[bool, typer.Option("--show-statements", help="Print the statements.")] = False,
    jobs: Annotated[int | None, typer.Option("--jobs", min=1, metavar="N", help="Modules checked at once.")] = None,
) -> None:
    """Check every proof of the Lean library."""
    from attention_queries.lean.command import verify_command

    verify_command(toolchain=toolchain, pin=pin, show_statements=show_statements, jobs=jobs)
