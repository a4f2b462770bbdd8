"""`attnq canonical`, `attnq equal`, `attnq symmetries`: which models compute the same function."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from attention_queries.cli.options import Json, Seed
from attention_queries.cli.output import counted, print_text
from attention_queries.errors import InputError
from attention_queries.fibre import Component, Fibre, fibre
from attention_queries.files import load_heads, load_target, target_text, write_atomically
from attention_queries.sequences import Query
from attention_queries.transformer.equality import AnyModel, canonical, equal

MAX_SAMPLES = 10_000
MAX_LISTED = 1000
"""Families in the JSON description; their number is given beside them."""

_SHOWN_COMPONENTS = 20

Model = Annotated[Path, typer.Argument(metavar="MODEL", help="Target file, or - for standard input.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("canonical")(canonical_command)
    app.command("equal")(equal_command)
    app.command("symmetries")(symmetries_command)


def canonical_command(
    model: Model,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write here, not to the terminal.")] = None,
) -> None:
    """Print the smallest model with the same function. Equal W are merged, zero sums dropped, heads sorted."""
    text = target_text(canonical(load_target(model)))
    if out is None:
        print_text(text)
    else:
        write_atomically(out, text)


def equal_command(
    first: Annotated[Path, typer.Argument(metavar="A", help="Target file, or - for standard input.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Target file.")],
    as_json: Json = False,
) -> None:
    """Decide whether two models compute the same function. If not, it prints a witness; exit code 1."""
    a, b = load_target(first), load_target(second)
    comparison = equal(a, b)
    witness = comparison.witness
    if as_json:
        values = None if comparison.values is None else [a.semantics.format_value(x) for x in comparison.values]
        shown = None if witness is None else {"runs": _runs(a, witness)}
        print_text(json.dumps({"equal": comparison.equal, "witness": shown, "values": values}) + "\n")
    elif comparison.equal:
        print_text("equal: the two models compute the same function on all sequences\n")
    elif witness is None or comparison.values is None:
        print_text(
            "different: the canonical forms differ, but base-2 powers that would show it on a sequence are too large "
            "to write down; the exp semantics has no such limit\n"
        )
    else:
        f_a, f_b = comparison.values
        print_text(f"different: on {witness} the first model gives {f_a}, the second {f_b}\n")
    if not comparison.equal:
        raise typer.Exit(1)


def _runs(model: AnyModel, query: Query[Any]) -> list[list[Any]]:
    return [[[model.semantics.format_scalar(x) for x in token], copies] for token, copies in query.runs]


def symmetries_command(
    model: Model,
    sample: Annotated[
        int | None,
        typer.Option("--sample", min=1, max=MAX_SAMPLES, metavar="N", help="Write N random members into --out."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Folder for the members.")] = None,
    as_json: Json = False,
    seed: Seed = 0,
) -> None:
    """Describe all models with the same function and as many heads."""
    if (sample is None) != (out is None):
        raise InputError("--sample N and --out DIR go together: how many members, and where to write them")
    family = fibre(load_heads(model))
    if out is not None and sample is not None:
        _write_members(family, sample, out, seed)
    text = json.dumps(_description(family)) + "\n" if as_json else _text(family)
    if out is not None and sample is not None and not as_json:
        text += f"wrote {counted(sample, 'random member')} to {out}\n"
    print_text(text)


def _write_members(family: Fibre[Any, Any], count: int, folder: Path, seed: int) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {folder}: {error.strerror}") from None
    digits = len(str(count - 1))
    for n in range(count):
        write_atomically(folder / f"member-{n:0{digits}}.json", target_text(family.sample(seed + n)))


def _description(family: Fibre[Any, Any]) -> dict[str, Any]:
    return {
        "heads": len(family.model.heads),
        "smallest": len(family.canonical.heads),
        "identifiable": family.identifiable,
        "dimension": family.dimension,
        "component_count": family.component_count,
        "components": [
            {"shared": list(c.shared), "free": list(c.free), "dimension": c.dimension}
            for c in islice(family.components(), MAX_LISTED)
        ],
        "redistributions": [list(move) for move in family.redistributions],
        "movable": [list(group) for group in family.movable],
    }


def _text(family: Fibre[Any, Any]) -> str:
    heads, smallest = len(family.model.heads), len(family.canonical.heads)
    lines = [f"{counted(heads, 'head')}; the function needs {smallest}"]
    if family.identifiable:
        lines.append("identifiable: every model with this function and as many heads is a reordering of this one")
        return "".join(f"{line}\n" for line in lines)
    lines.append(
        f"not identifiable: the models with this function and {counted(heads, 'head')} "
        f"have dimension {family.dimension}"
    )
    lines += [_family(c, smallest) for c in islice(family.components(), _SHOWN_COMPONENTS)]
    if family.component_count > _SHOWN_COMPONENTS:
        lines.append(f"  and {family.component_count - _SHOWN_COMPONENTS} more families (see --json)")
    lines.append(
        f"at this model: {len(family.redistributions)} independent ways to move value between heads that share W, "
        f"{counted(len(family.movable), 'group')} of heads whose common W is arbitrary"
    )
    return "".join(f"{line}\n" for line in lines)


def _family(component: Component, smallest: int) -> str:
    parts = []
    if smallest:
        on_needed = ", ".join(counted(n, "head") for n in component.shared)
        parts.append(f"{on_needed} on the needed W")
    parts += [
        "1 head with v = 0 and any W" if size == 1 else f"{size} heads on any one W, values summing to 0"
        for size in component.free
    ]
    return f"  dimension {component.dimension}: {'; '.join(parts)}"
