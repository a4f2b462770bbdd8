"""The audit of minicore: reading compiled modules, comparing signatures, and the real library's verdict."""

from __future__ import annotations

import gzip
import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from attention_queries.errors import InputError, LeanError
from attention_queries.lean.cache import Cache
from attention_queries.lean.check import Library
from attention_queries.lean.core_audit import (
    EXPLAINED,
    Fact,
    audit_core,
    audit_core_command,
    core_constants,
    facts_file,
    normal,
    read_facts,
    used_constants,
    write_facts,
)
from attention_queries.lean.olean import Olean
from attention_queries.lean.sources import find_sources
from attention_queries.lean.toolchain import bundled
from lean_support import edit, miniature, minicore, real_lean, real_sources


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    minicore()
    library = Library(bundled(find_sources(miniature(tmp_path_factory.mktemp("miniature")))), Cache())
    library.compile_or_fail()
    return library


def test_constants_of_a_compiled_module(library: Library) -> None:
    constants = Olean(library.lean_path / "AttentionQueries" / "Basic.olean").constants()
    assert {"AttentionQueries.double", "AttentionQueries.double_pos", "AttentionQueries.Positive.mk"} <= set(constants)


def test_used_core_constants(library: Library) -> None:
    used = used_constants(library)
    assert {"Nat.lt_of_lt_of_le", "Nat.le_add_left", "Nat.add_zero", "Nat", "Inhabited"} <= used
    assert "List.map" not in used
    assert not any(name.startswith(("Minicore.", "AttentionQueries.")) for name in used)


def test_a_file_that_is_no_compiled_module_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.olean").write_bytes(b"olean\x09rest")
    with pytest.raises(LeanError, match="not a compiled module"):
        Olean(tmp_path / "x.olean")


@pytest.mark.parametrize(
    ("ours", "official", "same"),
    [
        ("f.{u} {α : Sort u} (a : α) : α", "f {α : Sort u_1} (a : α) :α", True),
        ("f.{u, v} (α : Type u) (β : Type v) : Type", "f (α : Type u_2) (β : Type u_1) :Type", True),
        ("f.{u} (α β : Type u) : Type", "f (α : Type u) (β : Type v) :Type", False),
        ("f (a b : Nat) :\n  a = b", "f (a b : Nat) :a = b", True),
        ("f (a b : Nat) : a = b", "f {a b : Nat} :a = b", False),
        ("C (α : Type) : Type", "C (α : Type) extends A α, B α :Type", True),
    ],
)
def test_signatures_are_compared_up_to_print(ours: str, official: str, same: bool) -> None:
    assert (normal(ours) == normal(official)) is same


def test_parts_of_a_fact() -> None:
    fact = Fact("Fin", "structure", "", "Fin (n : Nat) :Type", "val : Nat ; isLt : ↑self < n")
    assert fact.parts == {"val": " : Nat", "isLt": " : ↑self < n"}


def test_difference_is_found(library: Library) -> None:
    verdicts = {f.name: f.verdict for f in audit_core(library)}
    assert verdicts["Nat.add_zero"] == "same"
    assert verdicts["Inhabited.default" if "Inhabited.default" in verdicts else "Inhabited"] == "same"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Nat.le_add_left (n m : Nat)", "Nat.le_add_left {n m : Nat}"),
        ("Nat.le_add_left (n m : Nat) :n ≤ m + n", "Nat.le_add_left (n m : Nat) :n ≤ n + m"),
        ("Nat.le_add_left\t", "Nat.le_add_left_renamed\t"),
    ],
)
def test_changed_fact_makes_the_audit_fail(tmp_path: Path, old: str, new: str) -> None:
    minicore()
    root = miniature(tmp_path)
    (root / "lean/minicore").unlink()
    source = real_sources().minicore
    (root / "lean/minicore").mkdir()
    for item in source.iterdir():
        if item.name != "official-signatures.tsv":
            (root / "lean/minicore" / item.name).symlink_to(item)
    table = root / "lean/minicore/official-signatures.tsv"
    table.write_text((source / table.name).read_text())
    edit(table, lambda text: text.replace(old, new))
    output = io.StringIO()
    with pytest.raises(LeanError, match="differs from the official core library in 1 places"):
        audit_core_command(root=root, console=Console(file=output, width=200))
    assert "Nat.le_add_left: " in output.getvalue()


def test_table_of_facts_is_regenerated_from_the_full_table(tmp_path: Path, library: Library) -> None:
    facts = read_facts(facts_file(real_sources()))
    lines = facts_file(real_sources()).read_text().splitlines()
    extra = "Not.in.minicore\ttheorem\t\tNot.in.minicore :True\t"
    full = tmp_path / "full.tsv.gz"
    full.write_bytes(gzip.compress("\n".join([*lines, extra, ""]).encode()))
    root = miniature(tmp_path / "copy")
    (root / "lean/minicore").unlink()
    (root / "lean/minicore").mkdir()
    for item in real_sources().minicore.iterdir():
        if item.name != "official-signatures.tsv":
            (root / "lean/minicore" / item.name).symlink_to(item)
    copy = Library(bundled(find_sources(root)), Cache())
    copy.compile_or_fail()
    assert write_facts(copy, full) == len(facts)
    assert facts_file(copy.sources).read_text() == facts_file(real_sources()).read_text()


def test_table_of_facts_only_speaks_of_minicore(library: Library) -> None:
    assert set(read_facts(facts_file(real_sources()))) <= core_constants(library)


def test_bad_table_is_bad_input(tmp_path: Path, library: Library) -> None:
    (tmp_path / "table.tsv").write_text("a\tb\n1\t2\n")
    for file in (tmp_path / "table.tsv", tmp_path / "missing.tsv", tmp_path):
        with pytest.raises(InputError):
            write_facts(library, file)


def test_the_library_agrees_with_the_official_core_library() -> None:
    real_lean()
    output = io.StringIO()
    audit_core_command(console=Console(file=output, width=200))
    assert re.search(r" 0 unexplained", output.getvalue().replace("\n", " "))


def test_every_explanation_is_about_a_constant_of_minicore_or_its_facts(library: Library) -> None:
    known = core_constants(library) | {
        f"{fact.name}.{part}" for fact in read_facts(facts_file(real_sources())).values() for part in fact.parts
    }
    assert set(EXPLAINED) <= known
