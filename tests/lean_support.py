"""What the tests of the Lean tooling share: a miniature library that is quick to check, and runs of `verify` on it."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from rich.console import Console

from attention_queries.errors import LeanError, LeanMissing
from attention_queries.lean.cache import Cache
from attention_queries.lean.check import Library
from attention_queries.lean.command import verify_command
from attention_queries.lean.sources import Sources, find_sources
from attention_queries.lean.toolchain import BundledLean, bundled

ROOT_FILE = """\
import AttentionQueries.Basic
import AttentionQueries.Derived

/-! # A miniature library -/
"""

BASIC = """\
/-! # Basic

Just enough for every kind of entry. -/

namespace AttentionQueries

/-- The double of a number. -/
def double (n : Nat) : Nat := n + n

/-- A number that has a predecessor. -/
structure Positive where
  /-- The number. -/
  value : Nat
  /-- It is not zero. -/
  pos : 0 < value

/-- One is positive. -/
instance : Inhabited Positive := ⟨⟨1, Nat.lt_succ_self 0⟩⟩

private theorem helper (n : Nat) : n + 0 = n := Nat.add_zero n

/-- Doubling reflects being different from zero. It says `"sorry"` in a comment only. -/
theorem double_pos {n : Nat} (h : 0 < n) : 0 < double n := Nat.lt_of_lt_of_le h (Nat.le_add_left n n)

end AttentionQueries
"""

DERIVED = """\
import AttentionQueries.Basic

/-! # Derived -/

namespace AttentionQueries.Positive

/-- The double of a positive number is positive. -/
theorem double_value_pos (p : Positive) : 0 < double p.value := double_pos p.pos

end AttentionQueries.Positive
"""


@cache
def real_sources() -> Sources:
    return find_sources()


@cache
def real_lean() -> BundledLean:
    try:
        return bundled(real_sources())
    except LeanMissing as missing:
        pytest.skip(str(missing))


@cache
def minicore() -> Library:
    """Minicore, compiled once for all tests (and all processes) into the ordinary cache."""
    library = Library(real_lean(), Cache())
    library.compile_or_fail(only=library.core_modules())
    return library


def miniature(folder: Path) -> Path:
    """A checkout with a miniature library in `folder`, pinned and in order."""
    lean = folder / "lean"
    (lean / "AttentionQueries").mkdir(parents=True)
    (lean / "minicore").symlink_to(real_sources().minicore)
    (lean / "AttentionQueries.lean").write_text(ROOT_FILE)
    (lean / "AttentionQueries" / "Basic.lean").write_text(BASIC)
    (lean / "AttentionQueries" / "Derived.lean").write_text(DERIVED)
    return folder


def pinned_miniature(folder: Path) -> Path:
    """The miniature library after `attnq verify --pin`."""
    minicore()
    miniature(folder)
    ok, text = verify(folder, pin=True)
    assert ok, text
    return folder


def real_copy(folder: Path) -> Path:
    """A checkout with a copy of the real library, for changes; minicore is shared."""
    source = real_sources()
    shutil.copytree(source.lean, folder / "lean", ignore=shutil.ignore_patterns("minicore"))
    (folder / "lean" / "minicore").symlink_to(source.minicore)
    return folder


def verify(root: Path, *, pin: bool = False, toolchain: str = "bundled") -> tuple[bool, str]:
    """Run `attnq verify` below `root`: whether it succeeded, and what it printed."""
    output = io.StringIO()
    try:
        verify_command(toolchain=toolchain, pin=pin, root=root, console=Console(file=output, width=200))
    except LeanError as error:
        return False, f"{output.getvalue()}{error}"
    return True, output.getvalue()


def edit(file: Path, change: Callable[[str], str]) -> None:
    """Change a file's text; the change must be one."""
    before = file.read_text()
    after = change(before)
    assert before != after
    file.write_text(after)


def stub_command(folder: Path, name: str, script: str) -> None:
    """An executable shell script `name` in `folder`."""
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)


def path_without(command: str) -> str:
    """The PATH without the folders that hold `command`."""
    return os.pathsep.join(p for p in os.environ["PATH"].split(os.pathsep) if not (Path(p) / command).exists())
