"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

Seed = Annotated[int, typer.Option("--seed", min=0, metavar="N", help="Seed of the random numbers.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
