"""How many random scores the floating-point methods for low rank need, beside the exact learner (see README.md)."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from attention_queries.learners.low_rank import baselines, learn_low_rank
from attention_queries.reproduce.low_rank import DATA, baseline_table, float_head

CASES = ((8, 1), (16, 1), (16, 2), (32, 1), (32, 2))
METHODS = ("alternating", "nuclear")
TRIALS, SUCCESSES = 40, 38


def works(method: str, d: int, r: int, n: int) -> bool:
    """Whether at least 95 % of the trials with `n` scores succeed; stops as soon as that is known."""
    failures = 0
    for trial in range(TRIALS):
        rng = np.random.default_rng([d, r, trial])
        head, oracle = float_head(rng, d, r)
        data = baselines.measure(oracle, head.v, n, rng)
        W = baselines.nuclear_norm(data) if method == "nuclear" else baselines.alternating_minimisation(data, r, rng)
        failures += not baselines.recovered(W, np.array(head.W))
        if failures > TRIALS - SUCCESSES:
            return False
    return True


def smallest(good: Callable[[int], bool], low: int, high: int) -> int:
    """Bisection: a number in `(low, high]` that is good while the one before is not, if `high` is good."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if good(middle) else (middle, high)
    return high


def run(d: int, r: int) -> dict[str, Any]:
    """One case: the numbers of score queries."""
    freedom = r * (2 * d - r)
    result: dict[str, Any] = {"d": d, "r": r, "freedom": freedom}
    _, oracle = float_head(np.random.default_rng([d, r]), d, r)
    result["exact"] = learn_low_rank(oracle).learning.queries - d
    for method in METHODS:
        start = time.perf_counter()
        result[method] = smallest(lambda n, method=method: works(method, d, r, n), freedom - 1, 4 * freedom)
        print(f"d={d} r={r} {method}: {result[method]} ({time.perf_counter() - start:.0f} s)", file=sys.stderr)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--write", action="store_true", help="renew the file of results that the report shows")
    arguments = parser.parse_args()
    results = {
        "measured": f"least number of scores with {SUCCESSES} successes in {TRIALS} trials, found by bisection",
        "command": "python benchmarks/low_rank.py --write",
        "cases": [run(d, r) for d, r in CASES],
    }
    text = json.dumps(results, indent=1)
    if arguments.write:
        DATA.write_text(text + "\n", encoding="utf-8")
    if arguments.json:
        print(text)
        return
    measured = baseline_table(results)
    table = Table(*measured.headings, title=measured.title)
    for row in measured.cells():
        table.add_row(*row)
    Console().print(table)


if __name__ == "__main__":
    main()
