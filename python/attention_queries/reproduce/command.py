"""Run everything and write it down."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from rich.console import Console

from attention_queries.errors import InputError, LearningError
from attention_queries.files import write_atomically
from attention_queries.lean.command import Verified, verify_command
from attention_queries.reproduce import report
from attention_queries.reproduce.row import Context, Finished
from attention_queries.reproduce.rows import ROWS
from attention_queries.reproduce.running import Result, run_rows

_WIDTH = 160
"""Columns of the tables where the output is no terminal."""


def reproduce_command(
    *,
    quick: bool = False,
    out: Path = Path("output"),
    toolchain: str = "auto",
    seed: int = 0,
    jobs: int | None = None,
    console: Console | None = None,
) -> None:
    """Check every proof, run every row, print the table, write `results.json` and `report.md` into `out`.

    `jobs` rows run at once (default: one a core). Raises `LeanError` when a proof fails and `LearningError` when a row
    is not exact or exceeds its bound.
    """
    console = console or Console()
    if not console.is_terminal:
        console.width = max(console.width, _WIDTH)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {out}: {error.strerror}") from None
    start = time.perf_counter()
    console.rule("1. Proofs")
    verified = verify_command(toolchain=toolchain, console=console)
    console.rule("2. Algorithms")
    rows = _run(verified, Context(quick, seed, out, toolchain), console, jobs or os.cpu_count() or 1)
    console.rule("3. Results")
    for table in report.data_tables(rows):
        console.print(report.figures(table, console.width))
    console.print(report.table(rows))
    seconds = time.perf_counter() - start
    results = report.as_json(rows, verified, quick=quick, seed=seed, seconds=seconds)
    write_atomically(out / "results.json", json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    write_atomically(out / "report.md", report.as_markdown(rows, verified, results))
    bad = [finished.row.name for finished in rows if not finished.ok]
    if bad:
        raise LearningError(f"not reproduced: {', '.join(bad)}; see {out / 'results.json'}")
    console.print(
        f"Reproduced: {verified.theorems} theorems checked by Lean's kernel, {len(rows)} experiments, "
        f"{sum(r.outcome.cases for r in rows):,} cases, in {seconds:.0f} s. "
        f"Written: {out / 'results.json'}, {out / 'report.md'}",
        highlight=False,
        soft_wrap=True,
    )


def _run(verified: Verified, context: Context, console: Console, jobs: int) -> list[Finished]:
    axioms = []
    for row in ROWS:
        missing = [name for name in row.lean if name not in verified.axioms]
        if missing:
            raise LearningError(f"the row {row.name} names {missing[0]}, which is not a theorem of the library")
        axioms.append(tuple(sorted({axiom for name in row.lean for axiom in verified.axioms[name]})))

    def finish(position: int, result: Result) -> Finished:
        return Finished(ROWS[position], axioms[position], *result)

    def on_row(position: int, result: Result) -> None:
        console.print(f"{ROWS[position].name}: {report.verdict(finish(position, result))}", highlight=False)

    results = run_rows(ROWS, context, console, jobs, on_row)
    return [finish(position, result) for position, result in enumerate(results)]
