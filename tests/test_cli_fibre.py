"""The commands canonical, equal and symmetries, from outside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from attention_queries import load_target
from attention_queries.cli import main
from attention_queries.fibre import canonical, equal

MERGEABLE = {
    "model": "heads",
    "semantics": "base2",
    "heads": [{"W": [[1]], "v": [1]}, {"W": [[2]], "v": ["1/2"]}, {"W": [[1]], "v": [2]}],
}
ZERO = {"model": "heads", "semantics": "exp", "heads": [{"W": [["1/2"]], "v": [1]}, {"W": [["1/2"]], "v": [-1]}]}


def run(capsys: Any, *arguments: object) -> tuple[int, str, str]:
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_canonical_prints_a_target(target_file: Any, tmp_path: Path, capsys: Any) -> None:
    path = target_file(json.dumps(MERGEABLE))
    code, text, errors = run(capsys, "canonical", path)
    assert (code, errors) == (0, "")
    assert json.loads(text)["heads"] == [{"W": [[1]], "v": [3]}, {"W": [[2]], "v": ["1/2"]}]
    assert run(capsys, "canonical", path, "--out", tmp_path / "c.json") == (0, "", "")
    assert load_target(tmp_path / "c.json") == canonical(load_target(path))


def test_canonical_form_of_the_zero_function_can_be_read_back(target_file: Any, capsys: Any) -> None:
    code, text, _ = run(capsys, "canonical", target_file(json.dumps(ZERO)))
    assert code == 0
    assert json.loads(text)["heads"] == [{"W": [[0]], "v": [0]}]
    assert equal(load_target(target_file(text, "c.json")), load_target(target_file(json.dumps(ZERO))))


def test_equal_models(target_file: Any, capsys: Any) -> None:
    a = target_file(json.dumps(MERGEABLE), "a.json")
    b = target_file(json.dumps(MERGEABLE | {"heads": list(reversed(MERGEABLE["heads"]))}), "b.json")
    assert run(capsys, "equal", a, b)[0] == 0
    code, text, errors = run(capsys, "equal", a, b, "--json")
    assert (code, errors) == (0, "")
    assert json.loads(text) == {"equal": True, "witness": None, "values": None}


def test_different_models_have_a_witness(target_file: Any, capsys: Any) -> None:
    a = target_file(json.dumps(MERGEABLE), "a.json")
    b = target_file(json.dumps(MERGEABLE).replace("[[2]]", "[[3]]"), "b.json")
    code, text, errors = run(capsys, "equal", a, b)
    assert (code, errors) == (1, "")
    assert text.startswith("different: on [")
    code, text, _ = run(capsys, "equal", a, b, "--json")
    assert code == 1
    found = json.loads(text)
    assert found["equal"] is False
    assert found["values"][0] != found["values"][1]
    assert all(copies >= 1 for _, copies in found["witness"]["runs"])


def test_symmetries_and_members(target_file: Any, tmp_path: Path, capsys: Any) -> None:
    path = target_file(json.dumps(MERGEABLE))
    code, text, errors = run(capsys, "symmetries", path, "--json", "--sample", 3, "--out", tmp_path / "members")
    assert (code, errors) == (0, "")
    family = json.loads(text)
    assert family | {"heads": 3, "smallest": 2, "identifiable": False, "dimension": 1} == family
    members = sorted((tmp_path / "members").iterdir())
    assert [member.name for member in members] == ["member-0.json", "member-1.json", "member-2.json"]
    assert all(equal(load_target(member), load_target(path)) for member in members)
    assert "not identifiable" in run(capsys, "symmetries", path)[1]


BAD = {
    "one missing": ("equal", "A", "missing.json"),
    "other dimension": ("equal", "A", "WIDE"),
    "other semantics": ("equal", "A", "ZERO"),
    "float": ("canonical", "FLOAT"),
    "sample without out": ("symmetries", "A", "--sample", "3"),
    "out without sample": ("symmetries", "A", "--out", "x"),
    "no sample": ("symmetries", "A", "--sample", "0", "--out", "x"),
    "out is a file": ("symmetries", "A", "--sample", "1", "--out", "A"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name: str, target_file: Any, tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    target_file(json.dumps(MERGEABLE), "A")
    target_file(json.dumps(ZERO), "ZERO")
    target_file(json.dumps(MERGEABLE | {"heads": [{"W": [[1, 0], [0, 1]], "v": [1, 1]}]}), "WIDE")
    target_file(json.dumps(MERGEABLE | {"semantics": "float", "heads": [{"W": [[1.5]], "v": [1.0]}]}), "FLOAT")
    code, text, errors = run(capsys, *BAD[name])
    assert (code, text) == (2, "")
    assert errors.startswith("attnq: ")
    assert errors.count("\n") == 1
