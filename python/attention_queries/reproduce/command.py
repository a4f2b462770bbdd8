"""Run everything and write it down."""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from attention_queries import __version__
from attention_queries.errors import InputError, LearningError
from attention_queries.files import write_atomically
from attention_queries.lean.command import Verified, verify_command
from attention_queries.reproduce import (
    certificates,
    crosscheck,
    fibre,
    layers,
    low_rank,
    multi_head,
    noise,
    single_head,
    transformer,
)
from attention_queries.reproduce.row import Context, DataTable, Finished, Row, finish

ROWS: tuple[Row, ...] = (
    *single_head.ROWS,
    *layers.ROWS,
    *fibre.ROWS,
    *low_rank.ROWS,
    *multi_head.ROWS,
    *noise.ROWS,
    *certificates.ROWS,
    *transformer.ROWS,
    *crosscheck.ROWS,
)
"""Every row of the table, in its order."""


def reproduce_command(
    *,
    quick: bool = False,
    out: Path = Path("output"),
    toolchain: str = "auto",
    seed: int = 0,
    console: Console | None = None,
) -> None:
    """Check every proof, run every row, print the table, write `results.json` and `report.md` into `out`.

    Raises `LeanError` when a proof fails and `LearningError` when a row is not exact or exceeds its bound.
    """
    console = console or Console()
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {out}: {error.strerror}") from None
    start = time.perf_counter()
    console.rule("1. Proofs")
    verified = verify_command(toolchain=toolchain, console=console)
    console.rule("2. Algorithms")
    rows = _run(ROWS, verified, Context(quick, seed, out, toolchain), console)
    console.rule("3. Results")
    console.print(_table(rows))
    for table in _data_tables(rows):
        console.print(_figures(table))
    seconds = time.perf_counter() - start
    results = _results(rows, verified, quick=quick, seed=seed, seconds=seconds)
    write_atomically(out / "results.json", json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    write_atomically(out / "report.md", _report(rows, verified, results))
    bad = [finished.row.name for finished in rows if not finished.ok]
    if bad:
        raise LearningError(f"not reproduced: {', '.join(bad)}; see {out / 'results.json'}")
    console.print(
        f"Reproduced: {verified.theorems} theorems checked by Lean's kernel, {len(rows)} experiments, "
        f"{sum(r.outcome.cases for r in rows):,} exact runs, in {seconds:.0f} s. "
        f"Written: {out / 'results.json'}, {out / 'report.md'}",
        highlight=False,
        soft_wrap=True,
    )


def _run(rows: Sequence[Row], verified: Verified, context: Context, console: Console) -> list[Finished]:
    finished = []
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        for row in rows:
            missing = [name for name in row.lean if name not in verified.axioms]
            if missing:
                raise LearningError(f"the row {row.name} names {missing[0]}, which is not a theorem of the library")
            task = progress.add_task(row.name, total=1.0)
            axioms = tuple(sorted({axiom for name in row.lean for axiom in verified.axioms[name]}))
            advance = partial(_advance, progress, task)
            finished.append(finish(row, axioms, replace(context, advance=advance)))
            progress.remove_task(task)
            progress.console.print(f"{row.name}: {_verdict(finished[-1])}", highlight=False)
    return finished


def _advance(progress: Progress, task: TaskID, fraction: float) -> None:
    progress.update(task, completed=fraction)


def _verdict(row: Finished) -> str:
    return f"{'exact' if row.ok else 'NOT EXACT'}, {row.outcome.cases:,} cases, {row.seconds:.1f} s"


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


def _table(rows: Sequence[Finished]) -> Table:
    table = Table(*HEADINGS, show_lines=True)
    for row in rows:
        table.add_row(*_cells(row), style=None if row.ok else "red")
    return table


def _data_tables(rows: Sequence[Finished]) -> list[DataTable]:
    return [table for row in rows for table in row.outcome.tables]


def _figures(data: DataTable) -> Table:
    table = Table(title=data.title)
    for heading in data.headings:
        table.add_column(heading, justify="right")
    for cells in data.cells():
        table.add_row(*cells)
    return table


def _results(rows: Sequence[Finished], verified: Verified, *, quick: bool, seed: int, seconds: float) -> dict[str, Any]:
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


def _report(rows: Sequence[Finished], verified: Verified, results: dict[str, Any]) -> str:
    lines = [
        "# Report of `attnq reproduce`",
        "",
        f"{verified.theorems} theorems in {verified.modules} modules were checked. {verified.explanation}",
        "",
        *_markdown(HEADINGS, map(_cells, rows)),
        "",
    ]
    for table in _data_tables(rows):
        lines += [f"## {table.title}", "", *_markdown(table.headings, table.cells()), ""]
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
