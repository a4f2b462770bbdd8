"""Whatever is changed in a copy of the Lean files so that they claim less, or prove less, makes `verify` fail."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from attention_queries.lean.cache import Cache
from attention_queries.lean.check import Library
from attention_queries.lean.declarations import Declaration, public_declarations
from attention_queries.lean.rules import FORBIDDEN
from attention_queries.lean.sources import Sources, find_sources
from attention_queries.lean.toolchain import bundled
from lean_support import BASIC, edit, miniature, real_copy, real_lean, verify

BASIC_FILE = "lean/AttentionQueries/Basic.lean"
DERIVED_FILE = "lean/AttentionQueries/Derived.lean"
END = "end AttentionQueries\n"
DOC = "/-- A documented claim. -/\n"


def append(claim: str) -> Callable[[str], str]:
    return lambda text: text.replace(END, f"{DOC}{claim}\n\n{END}")


def test_untouched_copy_passes(copy: Path) -> None:
    ok, text = verify(copy)
    assert ok, text


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        pytest.param(lambda t: t.replace(":= Nat.lt_of_lt_of_le h", ":= by sorry --"), "sorry", id="sorry"),
        pytest.param(append("axiom magic : 0 = 1"), "axiom", id="axiom"),
        pytest.param(append("theorem wrong : double 1 = 3 := rfl"), "error", id="false theorem"),
        pytest.param(append("theorem d : double 1 = 2 := by native_decide"), "native_decide", id="native_decide"),
        pytest.param(append("theorem extra : double 1 = 2 := rfl"), "not pinned", id="unpinned theorem"),
        pytest.param(lambda t: t.replace("(h : 0 < n) ", ""), "error", id="hypothesis removed"),
        pytest.param(lambda t: t.replace("(h : 0 < n)", "(h : 0 ≤ n)"), "error", id="hypothesis weakened"),
        pytest.param(lambda t: t.replace("n + n\n", "n + n + 0\n"), "changed", id="definition changed"),
        pytest.param(append("theorem typo : double m = m + m := rfl"), "error", id="mistyped name"),
        pytest.param(append("theorem unused (n : Nat) : 0 = 0 := rfl"), "unused", id="warning"),
        pytest.param(lambda t: t.replace("double_pos", "doubled_pos"), "error", id="renamed"),
        pytest.param(lambda t: t.replace(DOC[:4] + "The double", "/- The double"), "docstring", id="docstring"),
        pytest.param(lambda t: t.replace("/-! # Basic", "/- # Basic"), "module documentation", id="module doc"),
    ],
)
def test_change_is_caught(copy: Path, change: Callable[[str], str], expected: str) -> None:
    edit(copy / BASIC_FILE, change)
    ok, text = verify(copy)
    assert not ok
    assert expected in text
    assert BASIC_FILE in text or DERIVED_FILE in text


def test_provable_change_of_a_hypothesis_is_caught_by_the_pin(copy: Path) -> None:
    edit(copy / BASIC_FILE, lambda t: t.replace("(h : 0 < n) : 0 < double n := ", "(h : 1 < n) : 0 < double n := "))
    edit(copy / BASIC_FILE, lambda t: t.replace("le h (", "le (Nat.lt_of_succ_lt h) ("))
    edit(copy / DERIVED_FILE, lambda t: re.sub(r"theorem(.|\n)*?p.pos", "theorem other : 0 = 0 := rfl", t))
    line = (copy / BASIC_FILE).read_text().split("theorem double_pos")[0].count("\n") + 1
    ok, text = verify(copy)
    assert not ok
    assert f"{BASIC_FILE}:{line}: theorem AttentionQueries.double_pos changed" in text
    assert (
        "lean/statements.txt: theorem AttentionQueries.Positive.double_value_pos is pinned but does not exist" in text
    )


PLAIN = "theorem double_add (m n : Nat) : double (m + n) = double (m + n) := rfl"
PRINTED_ALIKE = (
    "theorem double_add (m n : Nat) :\n"
    "    double (@HAdd.hAdd Nat Nat Nat ⟨fun a _ => a⟩ m n) = double (@HAdd.hAdd Nat Nat Nat ⟨fun a _ => a⟩ m n) := rfl"
)


def test_statement_that_prints_alike_but_means_something_else_is_caught(tmp_path: Path) -> None:
    root = miniature(tmp_path)
    edit(root / BASIC_FILE, append(PLAIN))
    assert verify(root, pin=True)[0]
    edit(root / BASIC_FILE, lambda t: t.replace(PLAIN, PRINTED_ALIKE))
    ok, text = verify(root)
    assert not ok
    assert "theorem AttentionQueries.double_add changed" in text
    pinned, now = re.findall(r"(?:pinned|now): +(.*) \[source \w+\]", text)
    assert pinned == now


@pytest.mark.parametrize(
    ("private", "changed"),
    [
        pytest.param("private def twice (n : Nat) : Nat := n + n", "private def twice (n : Nat) : Nat := n", id="def"),
        pytest.param('local notation "twice" => Nat.succ', 'local notation "twice" => Nat.pred', id="notation"),
        pytest.param('local macro "twice" : term => `(Nat.succ)', 'local macro "twice" : term => `(id)', id="macro"),
        pytest.param("variable (twice : Nat → Nat)", "variable (twice : Nat → Nat := id)", id="variable"),
        pytest.param(
            "private structure S where\n  f : Nat\nopen Nat renaming succ → twice",
            "private structure S where\n  f : Nat\nopen Nat renaming pred → twice",
            id="open",
        ),
    ],
)
def test_change_of_what_a_definition_rests_on_is_caught(tmp_path: Path, private: str, changed: str) -> None:
    root = miniature(tmp_path)
    claim = f"{DOC}def applied : Nat := twice 3"
    edit(root / BASIC_FILE, lambda t: t.replace(END, f"{private}\n\n{claim}\n\n{END}"))
    ok, text = verify(root, pin=True)
    assert ok, text
    edit(root / BASIC_FILE, lambda t: t.replace(private, changed))
    ok, text = verify(root)
    assert not ok
    assert f"{BASIC_FILE}: module AttentionQueries.Basic changed" in text


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("private theorem a : True := trivial theorem hidden : (0 : Nat) = 0 := rfl", "`theorem` in the middle"),
        ("section end theorem hidden : (0 : Nat) = 0 := rfl", "`theorem` in the middle"),
        ("mutual theorem hidden : (0 : Nat) = 0 := rfl end", "`theorem` in the middle"),
        ("section\nend theorem hidden : (0 : Nat) = 0 := rfl", "`theorem` in the middle"),
        ("set_option debug.«skipKernelTC» true", "`set_option debug.«skipKernelTC»`"),
        ("set_option pp.all false", "`set_option pp.all`"),
        ("attribute [reducible] double", "module AttentionQueries.Basic changed"),
        ("export Nat (succ)", "module AttentionQueries.Basic changed"),
        ("private instance : Inhabited Bool := ⟨true⟩", "module AttentionQueries.Basic changed"),
    ],
)
def test_command_that_could_change_what_statements_mean_is_caught(copy: Path, line: str, expected: str) -> None:
    edit(copy / BASIC_FILE, lambda t: t.replace(END, f"{line}\n\n{END}"))
    ok, text = verify(copy)
    assert not ok
    assert expected in text


def test_removed_check_of_axioms_is_caught(tmp_path: Path) -> None:
    root = miniature(tmp_path)
    check = (
        "/-- info: 'AttentionQueries.double_pos' does not depend on any axioms -/\n"
        "#guard_msgs in #print axioms double_pos\n"
    )
    edit(root / BASIC_FILE, lambda t: t.replace(END, f"{check}\n{END}"))
    ok, text = verify(root, pin=True)
    assert ok, text
    edit(root / BASIC_FILE, lambda t: t.replace(check, ""))
    ok, text = verify(root)
    assert not ok
    assert "module AttentionQueries.Basic changed" in text


def test_module_missing_from_the_root_is_caught(copy: Path) -> None:
    edit(copy / "lean/AttentionQueries.lean", lambda t: t.replace("import AttentionQueries.Derived\n", ""))
    ok, text = verify(copy)
    assert not ok
    assert "lean/AttentionQueries.lean: does not import AttentionQueries.Derived" in text


def test_deleted_module_is_caught(copy: Path) -> None:
    (copy / DERIVED_FILE).unlink()
    ok, text = verify(copy)
    assert not ok
    assert "lean/AttentionQueries.lean:2: imports AttentionQueries.Derived, which does not exist" in text


def test_edited_pin_is_caught(copy: Path) -> None:
    edit(copy / "lean/statements.txt", lambda t: t.replace("(h : (0 : Nat) < n)", "(h : (1 : Nat) < n)"))
    ok, text = verify(copy)
    assert not ok
    assert "theorem AttentionQueries.double_pos changed" in text


@pytest.mark.parametrize("word", FORBIDDEN)
def test_each_forbidden_word_is_named_with_file_and_line(copy: Path, word: str) -> None:
    text = f"-- {word}\n{BASIC}\n{word}\n"
    (copy / BASIC_FILE).write_text(text)
    ok, output = verify(copy)
    assert not ok
    assert f"{BASIC_FILE}:{text.count(chr(10))}: `{word}`" in output
    assert f"{BASIC_FILE}:1: `{word}`" not in output


def _uniqueness(sources: Sources) -> list[Declaration]:
    module = "AttentionQueries.SingleHead.Identifiability"
    return [d for d in public_declarations(sources) if d.module == module and d.is_theorem]


def _hypotheses(theorem: Declaration) -> list[str]:
    """The explicit binders that a theorem's text gives names starting with h."""
    statement = theorem.source.split(":=")[0]
    found = []
    for match in re.finditer(r"\(h\w* : ", statement):
        depth = 0
        for position in range(match.start(), len(statement)):
            depth += {"(": 1, ")": -1}.get(statement[position], 0)
            if depth == 0:
                found.append(statement[match.start() : position + 1])
                break
    return found


def test_every_hypothesis_of_the_uniqueness_theorems_is_needed_by_its_proof(tmp_path: Path) -> None:
    real_lean()
    root = real_copy(tmp_path / "copy")
    theorems = _uniqueness(find_sources(root))
    assert theorems
    tried = 0
    for theorem in theorems:
        file = root / theorem.file
        original = file.read_text()
        short = theorem.name.rsplit(".", 1)[-1]
        for hypothesis in _hypotheses(theorem):
            place = re.compile(rf"(theorem {re.escape(short)}(?=\s)(?:(?!:=)(.|\n))*?){re.escape(hypothesis)}\s*")
            edit(file, lambda text, place=place: place.sub(r"\1", text, count=1))
            library = Library(bundled(find_sources(root)), Cache())
            failed = [row for row in library.compile(only={theorem.module}) if row.status == "failed"]
            assert failed, f"{theorem.name} holds without {hypothesis}"
            assert theorem.file in failed[0].message
            file.write_text(original)
            tried += 1
    assert tried
