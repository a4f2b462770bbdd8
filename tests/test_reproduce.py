"""The table of results: its rows name real things, and a row that is not exact fails the run."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from attention_queries.errors import InputError, LearningError
from attention_queries.lean.command import Verified
from attention_queries.lean.proofs_document import python_exists
from attention_queries.lean.sources import find_sources
from attention_queries.lean.statements import pinned_file, read_pinned
from attention_queries.reproduce import command
from attention_queries.reproduce.row import Context, Outcome, Row

ROOT = Path(__file__).parent.parent
THEOREM = "AttentionQueries.Results.fibre"


def test_rows_have_different_names() -> None:
    names = [row.name for row in command.ROWS]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("row", command.ROWS, ids=lambda row: row.name)
def test_a_row_names_theorems_and_a_function(row: Row) -> None:
    pinned = read_pinned(pinned_file(find_sources()))
    assert row.lean
    assert [name for name in row.lean if f"theorem {name}" not in pinned] == []
    assert python_exists(ROOT, row.algorithm)


def run(monkeypatch: Any, out: Path, *outcomes: Outcome, lean: str = THEOREM) -> str:
    def verify(**_: Any) -> Verified:
        return Verified("bundled", "stub", 1, 1, {THEOREM: ("propext",)})

    rows = [Row(f"row {n}", "result", (lean,), "a.function", lambda context, o=o: o) for n, o in enumerate(outcomes)]
    monkeypatch.setattr(command, "verify_command", verify)
    monkeypatch.setattr(command, "ROWS", tuple(rows))
    screen = io.StringIO()
    command.reproduce_command(out=out, jobs=1, console=Console(file=screen, width=160))
    return screen.getvalue()


def test_exact_rows_are_reproduced_and_written(monkeypatch: Any, tmp_path: Path) -> None:
    screen = run(monkeypatch, tmp_path / "out", Outcome(3, 5, 6, True, {"note": 1}))
    assert "Reproduced" in screen
    assert "5 of 6" in screen
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert results["ok"] is True
    (row,) = results["rows"]
    assert row | {"cases": 3, "queries": 5, "bound": 6, "exact": True, "axioms": ["propext"]} == row
    assert row["details"] == {"note": 1}
    assert "| result |" in (tmp_path / "out" / "report.md").read_text()


@pytest.mark.parametrize("bad", [Outcome(3, 5, 6, False), Outcome(3, 7, 6, True)], ids=["inexact", "over its bound"])
def test_a_bad_row_fails_and_is_written(bad: Outcome, monkeypatch: Any, tmp_path: Path) -> None:
    with pytest.raises(LearningError, match="not reproduced: row 1"):
        run(monkeypatch, tmp_path, Outcome(1, 1, 1, True), bad)
    assert json.loads((tmp_path / "results.json").read_text())["ok"] is False


def test_a_row_without_its_theorem_fails(monkeypatch: Any, tmp_path: Path) -> None:
    with pytest.raises(LearningError, match="which is not a theorem of the library"):
        run(monkeypatch, tmp_path, Outcome(1, 1, 1, True), lean="AttentionQueries.Results.gone")


def test_a_folder_that_cannot_be_made(monkeypatch: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot make the folder"):
        run(monkeypatch, tmp_path / "file" / "out", Outcome(1, 1, 1, True))


@pytest.mark.parametrize("name", ["single-head-exp", "zero-value", "not-a-head", "length-two"])
def test_a_quick_row_is_exact(name: str, tmp_path: Path) -> None:
    (row,) = [row for row in command.ROWS if row.name == name]
    seen: list[float] = []
    outcome = row.run(Context(True, 1, tmp_path, advance=seen.append))
    assert outcome.exact
    assert outcome.queries == outcome.bound
    assert seen[-1] == 1
