"""Running the rows side by side, each in a process of its own pool, with one progress bar a running row."""

from __future__ import annotations

import time
from collections.abc import Callable, MutableSequence, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from multiprocessing.sharedctypes import RawArray
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from attention_queries.reproduce.row import Context, Outcome, Row
from attention_queries.reproduce.rows import ROWS

Result = tuple[Outcome, float]
"""What a row gave, and the seconds it took."""

_fractions: Any = None
"""In a worker process: how much of each row is done, shared with the parent."""


def run_rows(
    rows: Sequence[Row], context: Context, console: Console, jobs: int, on_row: Callable[[int, Result], None]
) -> list[Result]:
    """The outcomes of the rows in their order; `on_row` is called as each is done.

    With several `jobs` the rows must be those of `ROWS`, which the worker processes import for themselves.
    """
    fractions = RawArray("d", len(rows))
    with Progress(
        TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), console=console, transient=True
    ) as (bars):
        tasks = [bars.add_task(row.name, total=1.0, visible=False) for row in rows]

        def show() -> None:
            for task, fraction in zip(tasks, fractions, strict=True):
                bars.update(task, completed=fraction, visible=0 < fraction < 1)

        if jobs == 1:
            return [_run_here(position, row, context, fractions, show, on_row) for position, row in enumerate(rows)]
        return _run_in_processes(len(rows), context, fractions, jobs, show, on_row)


def _run_here(
    position: int,
    row: Row,
    context: Context,
    fractions: MutableSequence[float],
    show: Callable[[], None],
    on_row: Callable[[int, Result], None],
) -> Result:
    def advance(fraction: float) -> None:
        fractions[position] = fraction
        show()

    result = _timed(row, replace(context, advance=advance))
    on_row(position, result)
    return result


def _run_in_processes(
    count: int,
    context: Context,
    fractions: Any,
    jobs: int,
    show: Callable[[], None],
    on_row: Callable[[int, Result], None],
) -> list[Result]:
    results: dict[int, Result] = {}
    settings = (context.quick, context.seed, context.out, context.toolchain)
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _share, (fractions,))
    try:
        running: dict[Future[Result], int] = {pool.submit(_work, n, *settings): n for n in range(count)}
        while running:
            done, _ = wait(running, timeout=0.2, return_when=FIRST_COMPLETED)
            show()
            for future in done:
                position = running.pop(future)
                results[position] = future.result()
                on_row(position, results[position])
    finally:
        pool.shutdown(cancel_futures=True)
    return [results[position] for position in range(count)]


def _share(fractions: Any) -> None:
    global _fractions
    _fractions = fractions


def _work(position: int, *settings: Any) -> Result:
    return _timed(ROWS[position], replace(Context(*settings), advance=partial(_note, position)))


def _note(position: int, fraction: float) -> None:
    _fractions[position] = fraction


def _timed(row: Row, context: Context) -> Result:
    start = time.perf_counter()
    outcome = row.run(context)
    return outcome, time.perf_counter() - start
