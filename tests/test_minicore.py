"""Minicore: its own Lean tests pass, and it stays what its README says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from attention_queries.lean.declarations import declarations
from attention_queries.lean.sources import find_sources
from lean_support import minicore

TESTS = sorted((find_sources().minicore / "tests").glob("*.lean"))


@pytest.mark.parametrize("file", TESTS, ids=lambda file: file.stem)
def test_lean_file(file: Path) -> None:
    library = minicore()
    output = library.lean.run([str(file)], library.lean_path)
    assert output.ok, output.text
    assert "sorryAx" not in output.text
    expected = file.with_suffix(".expected")
    if expected.exists():
        assert output.text == expected.read_text().strip()


def test_axioms_are_the_official_ones() -> None:
    found = {m[1] for module in find_sources().core.values() for m in re.finditer(r"^axiom (\S+)", module.code, re.M)}
    assert found == {
        "propext",
        "Quot.sound",
        "Classical.choice",
        # what native_decide rests on: `verify` allows none of them
        "Lean.trustCompiler",
        "Lean.ofReduceBool",
        "Lean.ofReduceNat",
    }


def test_scanner_reads_minicore() -> None:
    names = {d.name for module in find_sources().core.values() for d in declarations(module)}
    assert {"Nat.add_comm", "List.map", "Fin", "Function.comp"} <= names


def test_root_imports_every_file() -> None:
    core = find_sources().core
    assert set(core["Init"].imports) == set(core) - {"Init"}
