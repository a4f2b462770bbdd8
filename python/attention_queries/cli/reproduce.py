"""`attnq reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from attention_queries.cli.options import Seed


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("reproduce")(reproduce)


def reproduce(
    quick: Annotated[bool, typer.Option("--quick", help="Smaller cases.")] = False,
    toolchain: Annotated[
        str, typer.Option("--toolchain", metavar="NAME", help="How to run Lean: auto, lake or bundled.")
    ] = "auto",
    seed: Seed = 0,
    jobs: Annotated[int | None, typer.Option("--jobs", min=1, metavar="N", help="Experiments run at once.")] = None,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder for the results.")] = Path("output"),
) -> None:
    """Check the proofs, run the algorithms, print the results. They are written into --out as well."""
    from attention_queries.reproduce.command import reproduce_command

    reproduce_command(quick=quick, out=out, toolchain=toolchain, seed=seed, jobs=jobs)
