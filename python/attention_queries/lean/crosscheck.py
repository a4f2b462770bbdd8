"""`attnq crosscheck`: Lean evaluates its definitions on random cases, and Python's values are compared with Lean's."""

from __future__ import annotations

import json
import random
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from flint import fmpq, fmpz
from rich.console import Console

from attention_queries.errors import InputError, LeanError
from attention_queries.lean.cache import Cache
from attention_queries.lean.cases import ValueCase, random_case
from attention_queries.lean.check import Library
from attention_queries.lean.conformance import COMMAND, model_data, query_data, stale_files, write_files
from attention_queries.lean.sources import Sources, find_sources
from attention_queries.lean.toolchain import STRICT, Lake, LeanOutput, choose

CASES = 25
_DEFINITIONS = "AttentionQueries.Conformance.Case"
_START = (
    f"import {_DEFINITIONS}",
    "open AttentionQueries.Conformance",
    "set_option maxRecDepth 100000",
    "set_option exponentiation.threshold 100000",
)
_UP_TO_DATE = "the conformance files are up to date"

_INTEGER = (
    r"(?:Int\.ofNat\s+(?P<{0}>\d+)|-\[(?P<{0}_minus>\d+)\+1\]|Int\.negSucc\s+(?P<{0}_succ>\d+)|"
    r"(?P<{0}_plain>-?\d+))"
)
_FRACTION = re.compile(rf"num\s*:=\s*{_INTEGER.format('num')}\s*,\s*den\s*:=\s*{_INTEGER.format('den')}\s*,")


def _integer(match: re.Match[str], name: str) -> fmpz:
    for negative in (match[f"{name}_minus"], match[f"{name}_succ"]):
        if negative is not None:
            return -fmpz(negative) - 1
    return fmpz(match[name] or match[f"{name}_plain"])


def question_file(cases: Sequence[ValueCase]) -> str:
    """The Lean file that makes Lean compute the cases, one command a line after the first lines."""
    questions = [f"#reduce value {model_data(case.model)} {query_data(case.query)}" for case in cases]
    return "\n".join([*_START, *questions, ""])


def read_answers(output: LeanOutput, count: int) -> list[fmpq]:
    """The values that Lean printed (`lean --json`), in the order of the cases."""
    values: dict[int, fmpq] = {}
    for line in output.text.splitlines():
        try:
            message = json.loads(line)
            position, data = int(message["pos"]["line"]) - len(_START) - 1, str(message["data"])
        except (ValueError, KeyError, TypeError):
            raise LeanError(f"Lean did not evaluate the cases: {output.text[:2000]}") from None
        match = _FRACTION.search(data)
        if match is None:
            raise LeanError(f"Lean did not evaluate case {position}: {data[:2000]}")
        values[position] = fmpq(_integer(match, "num"), _integer(match, "den"))
    missing = [position for position in range(count) if position not in values]
    if missing:
        raise LeanError(f"Lean said nothing about case {missing[0]}: {output.text[-2000:]}")
    return [values[position] for position in range(count)]


def _run(lean: Library | Lake, text: str) -> LeanOutput:
    with tempfile.TemporaryDirectory(prefix="attnq-") as folder:
        file = Path(folder) / "Cases.lean"
        file.write_text(text, encoding="utf-8")
        if isinstance(lean, Library):
            lean.compile_or_fail(only={_DEFINITIONS})
            return lean.run(file, "--json")
        built = lean.build()
        if not built.ok:
            raise LeanError(built.text)
        return lean.run([STRICT, "--json", str(file)])


def lean_values(cases: Sequence[ValueCase], lean: Library | Lake) -> list[fmpq]:
    """What the Lean definition gives for each case; one Lean process computes all. Raises `LeanError`."""
    return read_answers(_run(lean, question_file(cases)), len(cases))


def compare_random_cases(cases: int, seed: int, sources: Sources, toolchain: str = "auto") -> None:
    """Let Lean evaluate random cases that `seed` determines; raises `LeanError` at the first difference."""
    rng = random.Random(seed)
    asked = [random_case(rng) for _ in range(cases)]
    chosen = choose(toolchain, sources)
    answers = lean_values(asked, chosen if isinstance(chosen, Lake) else Library(chosen, Cache()))
    for case, answer in zip(asked, answers, strict=True):
        if case.value != answer:
            raise LeanError(
                f"Lean and Python disagree on value {model_data(case.model)} {query_data(case.query)}: "
                f"Lean computes {answer}, Python {case.value}"
            )


def crosscheck_command(
    *,
    cases: int = CASES,
    seed: int = 0,
    write: bool = False,
    check: bool = False,
    toolchain: str = "auto",
    root: Path | None = None,
    console: Console | None = None,
) -> None:
    """Compare Lean's and Python's values of `cases` random cases that `seed` determines.

    With `write`, renew the conformance files instead; with `check`, only say whether they are as they would be
    generated now. Raises `LeanError` on any difference, `LeanMissing` without a Lean, `InputError` for bad options.
    """
    console = console or Console()
    sources = find_sources(root)
    if write and check:
        raise InputError("choose one of --write and --check")
    if write:
        written = write_files(sources)
        console.print(f"wrote {', '.join(written)}" if written else _UP_TO_DATE, markup=False, soft_wrap=True)
        return
    if check:
        stale = stale_files(sources)
        if stale:
            raise LeanError(f"not what Python computes now: {', '.join(stale)} (renew: {COMMAND})")
        console.print(_UP_TO_DATE, markup=False)
        return
    if cases < 1:
        raise InputError(f"the number of cases is a positive integer, not {cases}")
    compare_random_cases(cases, seed, sources, toolchain)
    console.print(f"Lean and Python agree on {cases} random cases (seed {seed})", markup=False, highlight=False)
