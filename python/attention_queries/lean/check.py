"""Compile the library in import order, in parallel, skipping what has not changed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from attention_queries.errors import LeanError
from attention_queries.lean.cache import Cache, digest
from attention_queries.lean.sources import CORE, Module, Sources
from attention_queries.lean.toolchain import LIBRARY_OPTIONS, ONE_THREAD, STRICT, BundledLean, LeanOutput

Status = Literal["ok", "cached", "failed", "skipped"]


@dataclass(frozen=True)
class Row:
    """The result of one module: `seconds` is the time it took when it was compiled, `message` is Lean's own."""

    module: str
    status: Status
    seconds: float
    message: str = ""


def import_order(modules: Mapping[str, Module]) -> list[str]:
    """The modules, each after its imports; imports of unknown modules are left to Lean to report."""
    order: list[str] = []
    state: dict[str, bool] = {}  # False while a module's imports are being visited

    def visit(name: str, path: tuple[str, ...]) -> None:
        if state.get(name):
            return
        if name in state:
            raise LeanError(f"the imports go round in a circle: {' -> '.join((*path[path.index(name) :], name))}")
        state[name] = False
        for imported in modules[name].imports:
            if imported in modules:
                visit(imported, (*path, name))
        state[name] = True
        order.append(name)

    for name in modules:
        visit(name, ())
    return order


class Library:
    """The project's modules and minicore's, compiled by the bundled Lean into the cache."""

    def __init__(self, lean: BundledLean, cache: Cache | None = None) -> None:
        self.lean = lean
        self.cache = cache or Cache()
        self.modules: dict[str, Module] = {**lean.sources.core, **lean.sources.library}
        self.order = import_order(self.modules)
        self.keys = self._keys()

    @property
    def sources(self) -> Sources:
        """The Lean files."""
        return self.lean.sources

    def _keys(self) -> dict[str, str]:
        keys: dict[str, str] = {}
        for name in self.order:
            module = self.modules[name]
            imported = [f"{i} {keys.get(i, '')}" for i in module.imports]
            facts = (self.lean.identity, *self._options(name), name, module.shown, module.text)
            keys[name] = digest(*facts, *imported)
        return keys

    def _options(self, name: str) -> tuple[str, ...]:
        return (STRICT,) if name in self.sources.core else (*LIBRARY_OPTIONS, *ONE_THREAD)

    @cached_property
    def lean_path(self) -> Path:
        """The folder for LEAN_PATH: every module as a link to its place in the cache."""
        return self.cache.tree(self.keys)

    @property
    def key(self) -> str:
        """A hash of everything compiled."""
        return digest(*(f"{name} {key}" for name, key in sorted(self.keys.items())))

    def _compile(self, name: str) -> Row:
        with self.cache.lock(self.keys[name]):  # another process may be compiling the same
            cached = self.cache.get(self.keys[name])
            return self._compile_now(name) if cached is None else Row(name, "cached", cached.seconds)

    def _compile_now(self, name: str) -> Row:
        module = self.modules[name]
        root = self.sources.minicore if name in self.sources.core else self.sources.lean
        with self.cache.new_folder() as new:
            file = new / "module.olean"
            start = time.perf_counter()
            arguments = [*self._options(name), "-R", str(root), "-o", str(file), module.shown]
            output = self.lean.run(arguments, self.lean_path)
            seconds = time.perf_counter() - start
            if not output.ok:
                return Row(name, "failed", seconds, output.text)
            if not file.is_file():
                return Row(name, "failed", seconds, f"{module.shown}: Lean wrote no file\n{output.text}")
            if not module.is_unchanged():
                return Row(name, "failed", seconds, f"{module.shown}: changed while it was checked; run this again")
            self.cache.put(self.keys[name], file, seconds)
        return Row(name, "ok", seconds, output.text)

    def compile(
        self,
        on_row: Callable[[Row], None] = lambda row: None,
        *,
        only: set[str] | None = None,
        jobs: int | None = None,
    ) -> list[Row]:
        """Compile all modules (or `only` those and what they import), reporting each as it is done."""
        wanted = set(self.modules) if only is None else self._with_imports(only)
        waiting = {n: {i for i in self.modules[n].imports if i in self.modules} for n in self.order if n in wanted}
        rows: dict[str, Row] = {}
        running: dict[Future[Row], str] = {}

        def finish(row: Row) -> None:
            rows[row.module] = row
            on_row(row)

        with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
            try:
                while waiting or running:
                    for name in list(waiting):
                        states = [rows[i].status if i in rows else None for i in waiting[name]]
                        if any(s in ("failed", "skipped") for s in states):
                            del waiting[name]
                            finish(Row(name, "skipped", 0.0, "an imported module failed"))
                        elif None not in states:
                            del waiting[name]
                            running[pool.submit(self._compile, name)] = name
                    done, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        del running[future]
                        finish(future.result())
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return [rows[name] for name in self.order if name in rows]

    def _with_imports(self, names: set[str]) -> set[str]:
        wanted: set[str] = set()
        for name in reversed(self.order):
            if name in names or any(name in self.modules[w].imports for w in wanted):
                wanted.add(name)
        return wanted

    def compile_or_fail(self, *, only: set[str] | None = None) -> None:
        """Compile; raise `LeanError` with Lean's message if a module fails."""
        for row in self.compile(only=only):
            if row.status == "failed":
                raise LeanError(row.message)

    def run(self, file: Path, *options: str) -> LeanOutput:
        """Check a file that imports compiled modules, warnings as errors."""
        return self.lean.run([*LIBRARY_OPTIONS, *options, str(file)], self.lean_path)

    def core_modules(self) -> set[str]:
        """The names of minicore's modules."""
        return set(self.sources.core) | {CORE}
