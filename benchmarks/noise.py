"""Two thousand heads under adversarial rounding: certified intervals against the paper's estimator (see README.md)."""

from __future__ import annotations

import argparse
import sys
import time

from rich.console import Console
from rich.progress import track
from rich.table import Table

from attention_queries.reproduce.noise import noise_groups, noise_table

RUNS = 75
"""Runs for each of the 27 pairs of weight scale and tolerance."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    start = time.perf_counter()
    groups = noise_groups(arguments.seed, arguments.runs, lambda items, total: track(items, "runs", total))
    table = noise_table(groups)
    console = Console()
    shown = Table(*table.headings, title=table.title)
    for cells in table.cells():
        shown.add_row(*cells)
    console.print(shown)
    violations, runs = (sum(getattr(group, name) for group in groups) for name in ("violations", "runs"))
    console.print(f"{runs} runs, {violations} violations, {time.perf_counter() - start:.0f} s")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
