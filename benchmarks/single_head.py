"""Seconds and memory of learning one head, and the ratio to two obvious implementations (see README.md)."""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import rivals
import sympy
from rich.console import Console
from rich.table import Table

from attention_queries import AttentionModel, CallableOracle, ModelOracle, Query, learn_single_head, semantics
from attention_queries.generate import random_target

CASES: dict[str, tuple[str, int]] = {
    "base2, batched": ("base2", 256),
    "base2, one query at a time": ("base2", 256),
    "exp, batched": ("exp", 64),
    "Fraction loop": ("base2", 256),
    "package, same as Fraction loop": ("base2", 256),
    "sympy": ("exp", 12),
    "package, same as sympy": ("exp", 12),
}
RATIOS = {"Fraction loop": "package, same as Fraction loop", "sympy": "package, same as sympy"}


def run(name: str) -> dict[str, Any]:
    """One case, in this process."""
    semantics_name, d = CASES[name]
    model = random_target(semantics.get(semantics_name), d, seed=1)
    learn = _learner(name, model)
    seconds, exact, repeats = [], True, 3 if name.startswith(("package", "base2, batched", "exp")) else 1
    for _ in range(repeats):
        start = time.perf_counter()
        result = learn()
        seconds.append(time.perf_counter() - start)
        exact &= result
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return {"d": d, "queries": d * d + d, "seconds": min(seconds), "exact": exact, "megabytes": memory}


def _learner(name: str, model: AttentionModel[Any, Any]) -> Callable[[], bool]:
    """A function that learns `model` once and tells whether the result is exact."""
    (head,) = model.heads
    integers = [[int(x.p) if hasattr(x, "p") else x for x in row] for row in head.W]
    values = [int(str(x)) for x in head.v]
    if name == "Fraction loop":
        ask = rivals.fraction_oracle(integers, values)
        return lambda: rivals.learn(ask, model.dim, rivals.fraction_log) == (integers, values)
    if name == "sympy":
        ask = rivals.sympy_oracle([list(map(sympy.Integer, row)) for row in integers], list(map(sympy.Integer, values)))
        return lambda: rivals.learn(ask, model.dim, rivals.sympy_log) == (integers, values)
    if name == "base2, one query at a time":

        def answer(runs: list[tuple[Any, int]]) -> Any:
            return model.value(Query(tuple(runs)))

        return lambda: learn_single_head(CallableOracle(answer, model.semantics, model.dim)).model == model
    return lambda: learn_single_head(ModelOracle(model)).model == model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--case", choices=CASES, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.case:
        print(json.dumps(run(arguments.case)))
        return
    results: dict[str, Any] = {}
    for name in CASES:
        child = subprocess.run([sys.executable, __file__, "--case", name], capture_output=True, text=True, check=True)
        results[name] = json.loads(child.stdout)
    for slow, fast in RATIOS.items():
        results[slow]["ratio"] = results[slow]["seconds"] / results[fast]["seconds"]
    print(json.dumps(results)) if arguments.json else _show(results)


def _show(results: dict[str, Any]) -> None:
    table = Table("case", "d", "queries", "seconds", "MB", "exact", "times the package")
    for name, r in results.items():
        ratio = f"{r['ratio']:.0f}" if "ratio" in r else ""
        row = (f"{r['d']}", f"{r['queries']:,}", f"{r['seconds']:.3f}", f"{r['megabytes']}", str(r["exact"]), ratio)
        table.add_row(name, *row)
    Console().print(table)


if __name__ == "__main__":
    main()
