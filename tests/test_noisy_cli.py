"""`attnq learn` with imperfect answers, from outside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from flint import fmpq

from attention_queries import load_target
from attention_queries.cli import main


def run(capsys: Any, *arguments: object) -> tuple[int, str, str]:
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def target(tmp_path: Path, capsys: Any) -> Any:
    def generate(*options: object) -> Path:
        path = tmp_path / "target.json"
        assert run(capsys, "generate", "--out", path, *options)[0] == 0
        return path

    return generate


@pytest.mark.parametrize("semantics", ["base2", "exp", "float"])
@pytest.mark.parametrize(
    "options",
    [
        ("--method", "noisy", "--tolerance", "1e-4", "--max-length", 32),
        ("--method", "noisy", "--tolerance", "1/1000", "--repeats", 3),
        ("--method", "membership", "--theta", "0.5"),
    ],
)
def test_json_carries_intervals(semantics: str, options: tuple[object, ...], target: Any, capsys: Any) -> None:
    path = target("--dim", 3, "--semantics", semantics, "--seed", 5)
    code, text, errors = run(capsys, "learn", path, "--json", *options)
    assert (code, errors) == (0, "")
    report = json.loads(text)
    assert report | {"method": options[1], "d": 3, "parameters": 12, "certified": 12, "violations": 0} == report
    (head,) = load_target(path).heads
    rows = zip([*report["W_intervals"], report["v_intervals"]], [*head.W, head.v], strict=True)
    for intervals, truths in rows:
        for (low, high), truth in zip(intervals, truths, strict=True):
            assert fmpq(*map(int, (low + "/1").split("/")[:2])) <= fmpq(int(str(truth).split(".")[0]))
            assert fmpq(*map(int, (high + "/1").split("/")[:2])) >= fmpq(int(str(truth).split(".")[0]))


def test_integers_of_known_bound(target: Any, tmp_path: Path, capsys: Any) -> None:
    path, out = target("--dim", 3, "--seed", 6), tmp_path / "out.json"
    options = ("--method", "membership", "--theta", "1", "--bound", 3, "--out", out)
    code, text, _ = run(capsys, "learn", path, *options)
    assert code == 0
    assert "12 of 12 intervals" in text
    assert "by the formula" in text
    assert out.read_text() == path.read_text()


def test_uncertified_entries_are_null(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "t.json"
    path.write_text('{"model": "heads", "semantics": "base2", "heads": [{"W": [[30, 1], [1, 1]], "v": [1, 1]}]}')
    options = ("--method", "noisy", "--tolerance", "1e-3", "--max-length", 16)
    code, text, _ = run(capsys, "learn", path, "--json", *options)
    report = json.loads(text)
    assert code == 0
    assert report["W_intervals"] == [[None, ["1", "1"]], [["1", "1"], ["1", "1"]]]
    assert "heads" not in report
    assert report["exact"] is False
    code, _, errors = run(capsys, "learn", path, "--out", tmp_path / "out.json", *options)
    assert code == 1
    assert "no model to write" in errors
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--method", "noisy"), 2, "--tolerance"),
        (("--method", "membership"), 2, "--theta"),
        (("--method", "noisy", "--tolerance", "much"), 2, "tolerance"),
        (("--method", "noisy", "--tolerance", "0"), 2, "positive"),
        (("--method", "noisy", "--tolerance", "1e-3", "--max-length", "1"), 2, "longest"),
        (("--method", "single-head", "--tolerance", "1e-3"), 2, "no option --tolerance"),
        (("--method", "noisy", "--tolerance", "100"), 1, "margin is too small"),
        (("--method", "membership", "--theta", "0"), 1, "not identifiable"),
        (("--method", "membership", "--theta", "1", "--bound", "1"), 1, "integer entries"),
    ],
)
def test_failures_by_name(options: tuple[str, ...], code: int, message: str, target: Any, capsys: Any) -> None:
    got, text, errors = run(capsys, "learn", target("--dim", 3, "--seed", 7), *options)
    assert (got, text) == (code, "")
    assert message in errors
    assert errors.count("\n") == 1


def test_several_heads_are_noticed(target: Any, capsys: Any) -> None:
    path = target("--dim", 3, "--heads", 2, "--semantics", "exp")
    code, text, errors = run(capsys, "learn", path, "--method", "noisy", "--tolerance", "1e-6")
    assert (code, text) == (1, "")
    assert "within" in errors


def test_very_long_sequences_are_reported(tmp_path: Path, capsys: Any) -> None:
    """Large weights need so many copies that their number does not fit a JSON integer."""
    path = tmp_path / "t.json"
    path.write_text('{"model": "heads", "semantics": "exp", "heads": [{"W": [[12000, 1], [1, 1]], "v": [1, 1]}]}')
    options = ("--method", "membership", "--theta", "1")
    code, text, errors = run(capsys, "learn", path, "--json", *options)
    assert (code, errors) == (0, "")
    assert isinstance(json.loads(text)["longest"], str)
    code, text, errors = run(capsys, "learn", path, *options)
    assert (code, errors) == (0, "")
    assert "digits in one query" in text
