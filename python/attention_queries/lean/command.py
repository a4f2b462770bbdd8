"""`attnq verify`: check every proof and everything that ties the Lean files to the rest of the project."""

from __future__ import annotations

import time
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from attention_queries.errors import LeanError
from attention_queries.lean.cache import Cache
from attention_queries.lean.check import Library, Row
from attention_queries.lean.rules import Problem, forbidden_words, wrong_imports
from attention_queries.lean.sources import Sources, find_sources
from attention_queries.lean.toolchain import BundledLean, Lake, choose

_COLOURS = {"ok": "green", "cached": "green", "failed": "red", "skipped": "yellow"}


def _print_row(console: Console, row: Row) -> None:
    colour = _COLOURS[row.status]
    console.print(f"[{colour}]{row.status:<8}[/] {row.seconds:7.2f} s  {row.module}", highlight=False)


def text_problems(sources: Sources) -> list[Problem]:
    """What is wrong with the text of the library, before Lean is asked."""
    problems = [p for module in sources.library.values() for p in forbidden_words(module)]
    return sorted([*problems, *wrong_imports(sources)])


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


def _check_bundled(lean: BundledLean, console: Console, jobs: int | None) -> list[str]:
    library = Library(lean, Cache())
    rows = library.compile(_CoreRow(library, console), jobs=jobs)
    library.cache.prune()
    return [row.message for row in rows if row.status == "failed"]


def _check_lake(lake: Lake, console: Console) -> list[str]:
    with console.status("lake build"):
        output = lake.build()
    if not output.ok:
        return [output.text]
    for name in find_sources(lake.checkout).library:
        _print_row(console, Row(name, "ok", 0.0))
    return []


def verify_command(
    *,
    toolchain: str = "auto",
    pin: bool = False,
    jobs: int | None = None,
    root: Path | None = None,
    console: Console | None = None,
) -> None:
    """Check the Lean library below `root` (default: this installation's) and print one row a module.

    Raises `LeanError` if anything fails, after printing Lean's messages; `LeanMissing` if there is no Lean.
    """
    console = console or Console()
    start = time.perf_counter()
    sources = find_sources(root)
    lean = choose(toolchain, sources)
    console.print(escape(lean.explanation), highlight=False)
    problems = [str(p) for p in text_problems(sources)]
    failures = _check_lake(lean, console) if isinstance(lean, Lake) else _check_bundled(lean, console, jobs)
    messages = [*problems, *failures]
    for message in messages:
        console.print(message, markup=False, highlight=False, soft_wrap=True)
    if messages:
        raise LeanError(f"verification failed: {len(messages)} problem{'s' if len(messages) > 1 else ''}, listed above")
    console.print(f"verified {len(sources.library)} modules in {time.perf_counter() - start:.1f} s", highlight=False)
