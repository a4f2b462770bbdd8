"""`attnq generate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from attention_queries import semantics
from attention_queries.cli.options import Seed
from attention_queries.cli.output import print_text
from attention_queries.files import target_text, write_atomically
from attention_queries.generate import DEFAULT_HIGH, DEFAULT_LOW, random_target


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("generate")(generate_command)


def generate_command(
    dim: Annotated[int, typer.Option("--dim", metavar="D", help="Dimension of the tokens.")],
    heads: Annotated[int, typer.Option("--heads", metavar="H", help="Number of heads.")] = 1,
    semantics_name: Annotated[
        str, typer.Option("--semantics", metavar="NAME", help=f"One of {', '.join(semantics.NAMES)}.")
    ] = "base2",
    low: Annotated[int, typer.Option("--low", metavar="N", help="Smallest entry.")] = DEFAULT_LOW,
    high: Annotated[int, typer.Option("--high", metavar="N", help="Largest entry.")] = DEFAULT_HIGH,
    seed: Seed = 0,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write here, not to the terminal.")] = None,
) -> None:
    """Print a random target: integer entries of W and v, uniform from --low to --high."""
    target = random_target(semantics.get(semantics_name), dim, heads=heads, low=low, high=high, seed=seed)
    text = target_text(target)
    if out is None:
        print_text(text)
    else:
        write_atomically(out, text)
