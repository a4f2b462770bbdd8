"""`attnq generate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from attention_queries import semantics
from attention_queries.cli.options import Seed
from attention_queries.cli.output import print_text
from attention_queries.errors import InputError, shown
from attention_queries.files import Target, target_text, write_atomically
from attention_queries.generate import DEFAULT_HIGH, DEFAULT_LOW, random_target, random_transformer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("generate")(generate_command)


def generate_command(
    dim: Annotated[int, typer.Option("--dim", metavar="D", help="Dimension of the tokens.")],
    model: Annotated[str, typer.Option("--model", metavar="KIND", help="heads or transformer.")] = "heads",
    heads: Annotated[int | None, typer.Option("--heads", metavar="H", help="Number of heads, by default 1.")] = None,
    rank: Annotated[
        int | None, typer.Option("--rank", metavar="R", help="W is a product of two random R x D factors.")
    ] = None,
    hidden: Annotated[
        int | None, typer.Option("--hidden", metavar="M", help="Neurons of a transformer's network, by default 4.")
    ] = None,
    semantics_name: Annotated[
        str, typer.Option("--semantics", metavar="NAME", help=f"One of {', '.join(semantics.NAMES)}.")
    ] = "base2",
    low: Annotated[int, typer.Option("--low", metavar="N", help="Smallest entry.")] = DEFAULT_LOW,
    high: Annotated[int, typer.Option("--high", metavar="N", help="Largest entry.")] = DEFAULT_HIGH,
    seed: Seed = 0,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write here, not to the terminal.")] = None,
) -> None:
    """Print a random target. All its parameters are integers, uniform from --low to --high."""
    number_system = semantics.get(semantics_name)
    target: Target
    if model == "heads":
        if hidden is not None:
            raise InputError("--hidden is for --model transformer")
        number = 1 if heads is None else heads
        target = random_target(number_system, dim, heads=number, rank=rank, low=low, high=high, seed=seed)
    elif model == "transformer":
        if heads is not None:
            raise InputError("--heads is for --model heads; a transformer has one")
        if rank is not None:
            raise InputError("--rank is for --model heads")
        neurons = 4 if hidden is None else hidden
        target = random_transformer(number_system, dim, hidden=neurons, low=low, high=high, seed=seed)
    else:
        raise InputError(f"--model is heads or transformer, not {shown(model)}")
    text = target_text(target)
    if out is None:
        print_text(text)
    else:
        write_atomically(out, text)
