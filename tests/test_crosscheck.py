"""Lean's own evaluation of random cases against Python's, and how Lean's answers are read."""

from __future__ import annotations

import io
import json
import random
from typing import Any

import pytest
from flint import fmpq
from rich.console import Console

from attention_queries.errors import InputError, LeanError, LeanMissing
from attention_queries.lean.cases import random_case
from attention_queries.lean.crosscheck import crosscheck_command, question_file, read_answers
from attention_queries.lean.toolchain import LeanOutput
from attention_queries.semantics.base2 import Base2
from lean_support import path_without, real_lean

FIRST_LINE = 5


def crosscheck(**options: Any) -> str:
    real_lean()
    output = io.StringIO()
    crosscheck_command(toolchain="bundled", console=Console(file=output, width=200), **options)
    return output.getvalue()


def lean_says(*texts: str) -> LeanOutput:
    lines = [
        json.dumps({"pos": {"line": FIRST_LINE + i, "column": 0}, "severity": "information", "data": text})
        for i, text in enumerate(texts)
    ]
    return LeanOutput(True, "\n".join(lines))


def fraction(num: str, den: str) -> str:
    return f"Quot.mk (fun x y => x.num * y.den = y.num * x.den) {{ num := {num}, den := {den}, pos := ⋯ }}"


# --- With Lean ---


@pytest.mark.parametrize("seed", [0, 1])
def test_lean_and_python_agree(seed: int) -> None:
    assert crosscheck(cases=12, seed=seed) == f"Lean and Python agree on 12 random cases (seed {seed})\n"


def test_a_changed_sign_in_python_is_a_disagreement(monkeypatch: pytest.MonkeyPatch) -> None:
    original = Base2.softmax_mean
    monkeypatch.setattr(Base2, "softmax_mean", lambda self, s, k, y: original(self, [-x for x in s], k, y))
    with pytest.raises(LeanError, match=r"Lean and Python disagree on value .*: Lean computes .*, Python "):
        crosscheck(cases=12)


# --- Questions and answers ---


def test_one_question_a_line_after_the_header() -> None:
    rng = random.Random(0)
    lines = question_file([random_case(rng) for _ in range(3)]).splitlines()
    assert len(lines) == FIRST_LINE + 2
    assert [line.startswith("#reduce value ") for line in lines] == [False] * (FIRST_LINE - 1) + [True] * 3


@pytest.mark.parametrize(
    ("num", "den", "expected"),
    [
        ("Int.ofNat 6", "Int.ofNat 4", fmpq(3, 2)),
        ("-[5+1]", "Int.ofNat 4", fmpq(-3, 2)),
        ("Int.negSucc 5", "Int.ofNat 4", fmpq(-3, 2)),
        ("-6", "4", fmpq(-3, 2)),
        ("Int.ofNat 0", "Int.ofNat 7", fmpq(0)),
        ("\n    Int.ofNat\n      12345678901234567890", "Int.ofNat\n  10", fmpq(1234567890123456789)),
    ],
)
def test_every_form_of_an_integer_is_read(num: str, den: str, expected: fmpq) -> None:
    assert read_answers(lean_says(fraction(num, den)), 1) == [expected]


def test_answers_are_ordered_by_case() -> None:
    output = lean_says(fraction("1", "2"), fraction("1", "3"))
    swapped = LeanOutput(True, "\n".join(reversed(output.text.splitlines())))
    assert read_answers(swapped, 2) == [fmpq(1, 2), fmpq(1, 3)]


@pytest.mark.parametrize(
    ("output", "message"),
    [
        (LeanOutput(False, "no such file"), "did not evaluate the cases: no such file"),
        (lean_says("unknown identifier"), "did not evaluate case 0: unknown identifier"),
        (lean_says(fraction("1", "2")), "said nothing about case 1"),
    ],
)
def test_an_answer_that_cannot_be_read_is_an_error(output: LeanOutput, message: str) -> None:
    with pytest.raises(LeanError, match=message):
        read_answers(output, 2)


# --- Options ---


def test_bad_options_are_named() -> None:
    with pytest.raises(InputError, match="number of cases is a positive integer, not 0"):
        crosscheck_command(cases=0)
    with pytest.raises(InputError, match="one of --write and --check"):
        crosscheck_command(write=True, check=True)


def test_without_lean_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", path_without("lake"))
    with pytest.raises(LeanMissing, match="elan"):
        crosscheck_command(toolchain="lake")
