"""The results as a table on the screen, as JSON, and as Markdown."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from attention_queries import __version__
from attention_queries.lean.command import Verified
from attention_queries.reproduce.row import DataTable, Finished


def verdict(row: Finished) -> str:
    """One line about a row that has just finished."""
    cases = row.outcome.cases
    return f"{'exact' if row.ok else 'NOT EXACT'}, {cases:,} {'case' if cases == 1 else 'cases'}, {row.seconds:.1f} s"


def _short(name: str) -> str:
    return name.removeprefix("AttentionQueries.").removeprefix("Results.")


def _cells(row: Finished) -> tuple[str, ...]:
    outcome = row.outcome
    return (
        row.row.result,
        ", ".join(map(_short, row.row.lean)),
        ", ".join(row.axioms) or "none",
        row.row.algorithm.removeprefix("attention_queries."),
        f"{outcome.cases:,}",
        f"{outcome.queries:,} of {outcome.bound:,}" if outcome.bound else "",
        "yes" if row.ok else "NO",
        f"{row.seconds:.1f}",
    )


HEADINGS = ("result", "Lean theorem", "axioms", "algorithm", "cases", "queries of bound", "exact", "s")


def table(rows: Sequence[Finished]) -> RenderableType:
    """The table of all rows: names stand below the words, so that a narrow terminal folds them and cuts nothing."""
    result = Table(box=box.HORIZONTALS, show_lines=True, padding=(0, 1), expand=True)
    result.add_column("result; Lean theorems and their axioms; Python function", overflow="fold", ratio=1)
    for heading in ("cases", "queries of bound", "exact", "s"):
        result.add_column(heading, justify="right")
    for row in rows:
        words, lean, axioms, algorithm, *numbers = _cells(row)
        names = f"{words}\nLean    {lean}\nAxioms  {axioms}\nPython  {algorithm}"
        result.add_row(Text(names), *numbers, style=None if row.ok else "red")
    return Group(result, Text("Bounds: what the theorems allow, over all cases of the row."))


def data_tables(rows: Sequence[Finished]) -> list[DataTable]:
    """The tables of figures of all rows."""
    return [data for row in rows for data in row.outcome.tables]


def figures(data: DataTable, width: int) -> RenderableType:
    """One table of figures; where `width` columns cannot hold its numbers, a line that says where it is."""
    cells = data.cells()
    widths = [
        max(map(len, (*heading.split(), *column)))
        for heading, column in zip(data.headings, zip(*cells, strict=True), strict=True)
    ]
    if sum(widths) + 3 * len(widths) + 1 > width:
        return Text(f"{data.title}: too wide for this terminal, see report.md.", style="italic")
    result = Table(title=data.title)
    for heading, least in zip(data.headings, widths, strict=True):
        result.add_column(heading, justify="right", min_width=least)
    for row in cells:
        result.add_row(*row)
    return result


def as_json(rows: Sequence[Finished], verified: Verified, *, quick: bool, seed: int, seconds: float) -> dict[str, Any]:
    """What `results.json` holds."""
    return {
        "ok": all(row.ok for row in rows),
        "version": __version__,
        "python": platform.python_version(),
        "quick": quick,
        "seed": seed,
        "seconds": round(seconds, 1),
        "lean": {
            "way": verified.way,
            "meaning": verified.explanation,
            "modules": verified.modules,
            "theorems": verified.theorems,
        },
        "rows": [row.as_json() for row in rows],
    }


def as_markdown(rows: Sequence[Finished], verified: Verified, results: dict[str, Any]) -> str:
    """The text of `report.md`."""
    lines = [
        "# Report of `attnq reproduce`",
        "",
        f"{verified.theorems} theorems in {verified.modules} modules were checked. {verified.explanation}",
        "",
        *_markdown(HEADINGS, map(_cells, rows)),
        "",
    ]
    for data in data_tables(rows):
        lines += [f"## {data.title}", "", *_markdown(data.headings, data.cells()), ""]
    lines += [
        f"Version {results['version']}, Python {results['python']}, seed {results['seed']}, {results['seconds']} s.",
        "",
    ]
    return "\n".join(lines)


def _markdown(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [
        "| " + " | ".join(headings) + " |",
        "|" + " --- |" * len(headings),
        *("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows),
    ]
