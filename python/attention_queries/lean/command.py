"""`attnq verify`: check every proof and everything that ties the Lean files to the rest of the project."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from attention_queries.errors import LeanError
from attention_queries.lean import proofs_document, statements
from attention_queries.lean.cache import Cache
from attention_queries.lean.check import Library, Row
from attention_queries.lean.declarations import (
    Declaration,
    documentation_problems,
    hidden_commands,
    public_declarations,
)
from attention_queries.lean.rules import CONFORMANCE, Problem, forbidden_words, wrong_imports
from attention_queries.lean.sources import Sources, find_sources
from attention_queries.lean.toolchain import Lake, choose


@dataclass(frozen=True)
class Verified:
    """What a successful `verify` has checked: how, how much, and the axioms of each public declaration."""

    way: str
    explanation: str
    modules: int
    theorems: int
    axioms: Mapping[str, tuple[str, ...]]


_COLOURS = {"ok": "green", "cached": "green", "failed": "red", "skipped": "yellow"}


def _print_row(console: Console, row: Row) -> None:
    colour = _COLOURS[row.status]
    console.print(f"[{colour}]{row.status:<8}[/] {row.seconds:7.2f} s  {row.module}", highlight=False)


def text_problems(sources: Sources) -> list[Problem]:
    """What is wrong with the text of the library, before Lean is asked."""
    problems = [p for module in sources.library.values() for p in (*forbidden_words(module), *hidden_commands(module))]
    return sorted([*problems, *wrong_imports(sources), *documentation_problems(sources)])


class _CoreRow:
    """Gathers the rows of minicore's modules into one."""

    def __init__(self, library: Library, console: Console) -> None:
        self.core = library.core_modules()
        self.left = len(self.core)
        self.seconds = 0.0
        self.status = "cached"
        self.console = console

    def __call__(self, row: Row) -> None:
        if row.module not in self.core or row.status in ("failed", "skipped"):
            _print_row(self.console, row)
            return
        self.left -= 1
        self.seconds += row.seconds
        if row.status == "ok":
            self.status = "ok"
        if self.left == 0:
            name = f"minicore ({len(self.core)} files, once per machine)"
            _print_row(self.console, Row(name, "ok" if self.status == "ok" else "cached", self.seconds))


def _compile(library: Library, console: Console, jobs: int | None) -> list[str]:
    rows = library.compile(_CoreRow(library, console), jobs=jobs)
    library.cache.prune()
    return [row.message for row in rows if row.status == "failed"]


def _build(lake: Lake, sources: Sources, console: Console) -> list[str]:
    with console.status("lake build"):
        start = time.perf_counter()
        output = lake.build()
    if not output.ok:
        return [output.text]
    console.print(f"lake build took {time.perf_counter() - start:.1f} s", highlight=False)
    for name in sources.library:
        _print_row(console, Row(name, "ok", 0.0))
    return []


def _check_statements(
    sources: Sources,
    everything: Sequence[Declaration],
    answers: Mapping[str, statements.Statement],
    *,
    pin: bool,
) -> list[Problem]:
    declarations = [d for d in everything if not d.module.startswith(CONFORMANCE)]
    problems = list(statements.axiom_problems(everything, answers))
    if pin and not problems:
        statements.pin(sources, declarations, answers)
        proofs_document.update_index(sources, declarations)
    problems += statements.pin_problems(sources, declarations, answers)
    problems += proofs_document.check_proofs_md(sources, declarations)
    return problems


def verify_command(
    *,
    toolchain: str = "auto",
    pin: bool = False,
    show_statements: bool = False,
    jobs: int | None = None,
    root: Path | None = None,
    console: Console | None = None,
) -> Verified:
    """Check the Lean library below `root` (default: this installation's) and print one row a module.

    `pin` accepts the present statements and renews the index of proofs.md. Raises `LeanError` if anything fails, after
    printing Lean's messages; `LeanMissing` if there is no Lean.
    """
    console = console or Console()
    start = time.perf_counter()
    sources = find_sources(root)
    lean = choose(toolchain, sources)
    console.print(escape(lean.explanation), highlight=False)
    built: Library | Lake
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(text_problems, sources)  # while Lean is at work
        if isinstance(lean, Lake):
            built = lean
            failures = _build(lean, sources, console)
        else:
            built = Library(lean, Cache())
            failures = _compile(built, console, jobs)
        messages = [*map(str, reading.result()), *failures]
    everything = public_declarations(sources, conformance=True)
    answers: dict[str, statements.Statement] = {}
    if not failures:
        try:
            answers = statements.audit(built, everything)
            messages += [str(p) for p in _check_statements(sources, everything, answers, pin=pin)]
        except LeanError as error:
            messages.append(str(error))
    if show_statements:
        for text in (answers[d.name].text for d in everything if d.is_theorem and d.name in answers):
            console.print(f"{text}\n", markup=False, highlight=False, soft_wrap=True)
    for message in messages:
        console.print(message, markup=False, highlight=False, soft_wrap=True)
    if messages:
        raise LeanError(f"verification failed: {len(messages)} problem{'s' if len(messages) > 1 else ''}, listed above")
    theorems = sum(d.is_theorem for d in everything)
    console.print(
        f"{theorems} public theorems and {len(everything) - theorems} definitions: as pinned, "
        f"axioms within {', '.join(statements.ALLOWED_AXIOMS)}",
        highlight=False,
    )
    console.print(f"verified {len(sources.library)} modules in {time.perf_counter() - start:.1f} s", highlight=False)
    axioms = {name: statement.axioms for name, statement in answers.items()}
    return Verified(lean.name, lean.explanation, len(sources.library), theorems, axioms)
