"""Reading declarations, pinning statements, and keeping proofs.md true."""

from __future__ import annotations

from pathlib import Path

import pytest

from attention_queries.lean.declarations import Declaration, declarations, documentation_problems, public_declarations
from attention_queries.lean.proofs_document import check_proofs_md, index, names_a_test, python_exists, update_index
from attention_queries.lean.sources import Module, find_sources
from attention_queries.lean.statements import read_pinned, title
from lean_support import edit, miniature, real_sources, verify

SAMPLE = """\
import AttentionQueries.Basic
/-! # Sample -/
namespace AttentionQueries
universe u
section Fine
variable {α : Type u}
/-- A definition. With "more" text. -/
@[simp, reducible]
def first.{v} {β : Type v} (b : β) : β :=
  b -- end AttentionQueries

namespace Deep.Down
/-- doc
of two lines -/
private theorem hidden : 1 = 1 := rfl
open Nat in
/-- About `x`. -/
protected theorem shown
    (n : Nat) : n = n :=
  rfl
theorem bare' : "theorem no : end" = "x" → True := fun _ => trivial
end Deep.Down
/-- An instance. -/
instance : Inhabited Nat where
  default := 0
/-- Named. -/
instance (priority := low) named : Inhabited Nat := ⟨1⟩
mutual
/-- Even. -/
inductive Even : Nat → Prop
  | zero : Even 0
end
end Fine
/-- A class. -/
class inductive Klass (n : Nat) : Prop
  | mk : Klass n
/-- Root. -/
theorem _root_.AttentionQueries.rooted : True := trivial
end AttentionQueries
/-- Outside. -/
theorem outside : True := trivial
"""


def sample(tmp_path: Path) -> list[Declaration]:
    file = tmp_path / "Sample.lean"
    file.write_text(SAMPLE)
    return declarations(Module("AttentionQueries.Sample", file, "lean/Sample.lean"))


def test_declarations_are_read(tmp_path: Path) -> None:
    found = {(d.kind, d.name): d for d in sample(tmp_path)}
    assert list(found) == [
        ("def", "AttentionQueries.first"),
        ("theorem", "AttentionQueries.Deep.Down.hidden"),
        ("theorem", "AttentionQueries.Deep.Down.shown"),
        ("theorem", "AttentionQueries.Deep.Down.bare'"),
        ("instance", ""),
        ("instance", "AttentionQueries.named"),
        ("inductive", "AttentionQueries.Even"),
        ("class inductive", "AttentionQueries.Klass"),
        ("theorem", "AttentionQueries.rooted"),
        ("theorem", "outside"),
    ]
    assert [d.name.rsplit(".", 1)[-1] for d in found.values() if not d.public] == ["hidden"]
    assert [d.name.rsplit(".", 1)[-1] for d in found.values() if not d.documentation] == ["bare'"]
    first = found["def", "AttentionQueries.first"]
    assert first.summary == "A definition."
    assert first.source == "@[simp, reducible]\ndef first.{v} {β : Type v} (b : β) : β :=\n  b"
    assert first.line == 8
    assert title(found["instance", ""]) == "instance : Inhabited Nat (AttentionQueries.Sample)"


def test_missing_documentation_and_namespace_are_problems(tmp_path: Path) -> None:
    root = miniature(tmp_path)
    (root / "lean/AttentionQueries/Sample.lean").write_text(SAMPLE.replace("/-! #", "/- #"))
    problems = [str(p) for p in documentation_problems(find_sources(root))]
    place = "lean/AttentionQueries/Sample.lean"
    assert problems == [
        f"{place}: has no module documentation (/-! # Title … -/)",
        f"{place}:21: theorem `AttentionQueries.Deep.Down.bare'` has no docstring",
        f"{place}:41: theorem `outside` is outside the namespace AttentionQueries",
    ]


def test_the_library_has_no_two_declarations_of_one_name() -> None:
    names = [d.name for d in public_declarations(real_sources(), conformance=True) if d.name]
    assert len(names) == len(set(names))


def test_pinned_file_holds_statements_and_definitions(pinned: Path) -> None:
    texts = read_pinned(pinned / "lean/statements.txt")
    assert texts["def AttentionQueries.double"] == "def double (n : Nat) : Nat := n + n"
    statement, source = texts["theorem AttentionQueries.double_pos"].split(" [source ")
    assert statement.endswith("(h : (0 : Nat) < n) : (0 : Nat) < double n")
    assert len(source) == 17
    assert texts["module AttentionQueries.Derived"] == (
        "import AttentionQueries.Basic namespace AttentionQueries.Positive end AttentionQueries.Positive"
    )
    assert "theorem AttentionQueries.helper" not in texts
    assert read_pinned(pinned / "nowhere.txt") == {}


def test_pinning_twice_changes_nothing(copy: Path) -> None:
    before = [(copy / name).read_text() for name in ("lean/statements.txt", "proofs.md")]
    ok, text = verify(copy, pin=True)
    assert ok, text
    assert before == [(copy / name).read_text() for name in ("lean/statements.txt", "proofs.md")]


def test_a_failing_library_is_not_pinned(copy: Path) -> None:
    edit(copy / "lean/AttentionQueries/Basic.lean", lambda t: t.replace("n + n\n", "n + n +\n"))
    before = (copy / "lean/statements.txt").read_text()
    ok, _ = verify(copy, pin=True)
    assert not ok
    assert (copy / "lean/statements.txt").read_text() == before


def problems(root: Path) -> list[str]:
    sources = find_sources(root)
    return [str(p) for p in check_proofs_md(sources, public_declarations(sources))]


def write_document(root: Path, text: str) -> None:
    (root / "proofs.md").write_text(text)
    sources = find_sources(root)
    update_index(sources, public_declarations(sources))


def test_document_in_order(tmp_path: Path) -> None:
    root = miniature(tmp_path)
    (root / "python/attention_queries/learners").mkdir(parents=True)
    (root / "python/attention_queries/__init__.py").write_text("")
    (root / "python/attention_queries/learners/__init__.py").write_text("from a import f as g\nX: int = 1\n")
    (root / "python/attention_queries/learners/one.py").write_text("class A:\n    def m(self): ...\n\ndef f(): ...\n")
    (root / "tests").mkdir()
    (root / "tests/test_a.py").write_text("def test_b(): ...\n")
    write_document(
        root,
        "# Proofs\n\n### Doubling\n\nIn words.\n\n**Lean:** `double_pos`, `AttentionQueries.Positive`\n"
        "- Python: `attention_queries.learners.one.f`, `learners.one.A.m`, `learners.g`, `learners.X`, `learners`\n"
        "Tests: `tests/test_a.py::test_b`, `tests/test_a.py`\n",
    )
    assert problems(root) == []
    assert not python_exists(root, "learners.one.A.n")
    assert not names_a_test(root, "tests/test_a.py::test_c")


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("### E\n\nNo names.\n", "proofs.md:1: the entry `E` has no line `Lean:` with a name"),
        ("### E\nLean: `no_such`\n", "proofs.md:2: `no_such` is not a public declaration of the Lean library"),
        ("### E\nLean: `helper`\n", "proofs.md:2: `helper` is not a public declaration of the Lean library"),
        ("### E\nLean: `double`\nPython: `a.b`\n", "proofs.md:3: `a.b` is not defined in the Python package"),
        ("### E\nLean: `double`\nTest: `tests/t.py::t`\n", "proofs.md:3: `tests/t.py::t` is not a test"),
        ("See `AttentionQueries.gone`.\n", "proofs.md:1: `AttentionQueries.gone` is not a public declaration"),
    ],
)
def test_dead_names_are_problems(tmp_path: Path, entry: str, problem: str) -> None:
    root = miniature(tmp_path)
    write_document(root, entry)
    found = problems(root)
    assert len(found) == 1
    assert found[0].startswith(problem)


def test_stale_or_missing_index_is_a_problem(tmp_path: Path) -> None:
    root = miniature(tmp_path)
    assert "has no index" in problems(root)[0]
    write_document(root, "# Proofs\n")
    assert problems(root) == []
    edit(root / "lean/AttentionQueries/Basic.lean", lambda t: t.replace("Doubling reflects", "Doubling keeps"))
    assert "the index is stale" in problems(root)[0]


def test_index_lists_theorems_only() -> None:
    sources = real_sources()
    text = index(sources, public_declarations(sources))
    theorems = [d for d in public_declarations(sources) if d.is_theorem]
    assert sum(line.startswith("- `") for line in text.splitlines()) == len(theorems)
