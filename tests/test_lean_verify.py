"""`attnq verify` as a whole: its rows, its words, its failures, and the real library."""

from __future__ import annotations

from pathlib import Path

import pytest

from attention_queries.errors import LeanError
from attention_queries.lean.command import text_problems, verify_command
from attention_queries.lean.rules import FORBIDDEN, forbidden_words
from attention_queries.lean.sources import Module, find_sources
from lean_support import edit, real_lean, real_sources, verify


def test_one_row_a_module_and_the_way_in_words(copy: Path) -> None:
    ok, text = verify(copy)
    assert ok, text
    assert "bundled: the official Lean 4.35.0 elaborator and kernel" in text
    rows = [line.split() for line in text.splitlines() if " s  " in line]
    assert [row[-1] for row in rows[1:]] == ["AttentionQueries.Basic", "AttentionQueries.Derived", "AttentionQueries"]
    assert rows[0][3] == "minicore"
    assert {row[0] for row in rows} == {"cached"}
    assert "2 public theorems and 3 definitions: as pinned" in text


def test_failure_shows_the_message_of_lean_with_file_and_line(copy: Path) -> None:
    edit(copy / "lean/AttentionQueries/Basic.lean", lambda t: t.replace("n + n\n", "n + nn\n"))
    ok, text = verify(copy)
    assert not ok
    assert "lean/AttentionQueries/Basic.lean:8:34: error" in text
    rows = {line.split()[-1]: line.split()[0] for line in text.splitlines() if " s  " in line}
    assert rows["AttentionQueries.Basic"] == "failed"
    assert rows["AttentionQueries.Derived"] == "skipped"


def test_all_problems_are_listed(copy: Path) -> None:
    edit(copy / "lean/AttentionQueries/Basic.lean", lambda t: t.replace("/-- The double of a number. -/\n", ""))
    edit(copy / "lean/AttentionQueries/Derived.lean", lambda t: t.replace("/-! # Derived -/", ""))
    with pytest.raises(LeanError, match="problems, listed above"):
        verify_command(toolchain="bundled", root=copy)
    ok, text = verify(copy)
    assert not ok
    assert "has no docstring" in text
    assert "has no module documentation" in text


def test_library_imports_its_own_modules_only(copy: Path) -> None:
    edit(copy / "lean/AttentionQueries/Derived.lean", lambda t: f"import Std\n{t}")
    problems = [str(p) for p in text_problems(find_sources(copy))]
    assert problems == ["lean/AttentionQueries/Derived.lean:1: imports Std: the library imports its own modules only"]


def test_forbidden_words_inside_longer_names_are_allowed(tmp_path: Path) -> None:
    file = tmp_path / "A.lean"
    file.write_text("theorem axioms_sorry' : Foo.axiom = extern_ := by exact admitted -- sorry\n")
    assert list(forbidden_words(Module("AttentionQueries.A", file, "A.lean"))) == []


def test_conformance_files_may_evaluate(tmp_path: Path) -> None:
    file = tmp_path / "A.lean"
    file.write_text("#eval 1\n")
    assert list(forbidden_words(Module("AttentionQueries.Conformance.A", file, "A.lean"))) == []
    assert len(list(forbidden_words(Module("AttentionQueries.A", file, "A.lean")))) == 1


def test_contributing_quotes_the_forbidden_words() -> None:
    checkout = real_sources().checkout
    assert checkout is not None
    text = (checkout / "CONTRIBUTING.md").read_text()
    assert [word for word in FORBIDDEN if f"`{word}`" not in text] == []


def test_the_library_is_in_order() -> None:
    """The real thing; quick if `attnq verify` has run before."""
    real_lean()
    checkout = real_sources().checkout
    assert checkout is not None
    ok, text = verify(checkout)
    assert ok, text
