"""The commands generate and learn, from outside."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from attention_queries import load_target
from attention_queries.cli import main
from attention_queries.transcript import Transcript

ATTNQ = [sys.executable, "-c", "import sys; from attention_queries.cli import main; sys.exit(main())"]


def run(capsys: Any, *arguments: object) -> tuple[int, str, str]:
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def generate(capsys: Any, path: Path, *options: object) -> Path:
    assert run(capsys, "generate", "--out", path, *options) == (0, "", "")
    return path


@pytest.mark.parametrize("semantics", ["base2", "exp"])
def test_generate_and_learn(semantics: str, tmp_path: Path, capsys: Any) -> None:
    target = generate(capsys, tmp_path / "t.json", "--dim", 5, "--seed", 3, "--semantics", semantics)
    out, transcript = tmp_path / "learned.json", tmp_path / "transcript"
    code, text, errors = run(capsys, "learn", target, "--json", "--out", out, "--transcript", transcript)
    assert (code, errors) == (0, "")
    report = json.loads(text)
    expected = {"model": "heads", "semantics": semantics, "method": "single-head", "d": 5, "queries": 30}
    assert report | expected == report
    assert report | {"parameters": 30, "tokens": 55, "longest": 2, "exact": True} == report
    assert 8 < report["verification"]["queries"] <= 8 + 25  # single tokens of several sizes besides
    assert report["bits"] > 0
    assert report["seconds"] >= 0
    assert report["heads"] == json.loads(target.read_text())["heads"]
    assert out.read_text() == target.read_text()
    assert len(Transcript.load(transcript).entries) == 30 + report["verification"]["queries"]


def test_generate_prints_what_it_would_write(tmp_path: Path, capsys: Any) -> None:
    options = ("--dim", 3, "--heads", 2, "--low", -7, "--high", 9, "--seed", 4)
    code, text, errors = run(capsys, "generate", *options)
    assert (code, errors) == (0, "")
    assert text == generate(capsys, tmp_path / "t", *options).read_text()
    assert len(load_target(tmp_path / "t").heads) == 2


def test_learn_for_people(tmp_path: Path, capsys: Any) -> None:
    target = generate(capsys, tmp_path / "t.json", "--dim", 3)
    code, text, errors = run(capsys, "learn", target, "--method", "single-head")
    assert (code, errors) == (0, "")
    assert "12 for 12 parameters" in text
    assert "yes: the recovered model equals the target" in text


def test_float_targets_are_never_called_exact(tmp_path: Path, capsys: Any) -> None:
    target = generate(capsys, tmp_path / "t.json", "--dim", 3, "--semantics", "float")
    code, text, _ = run(capsys, "learn", target, "--json")
    report = json.loads(text)
    assert code == 0
    assert report["exact"] is False
    assert 0 <= report["largest_error"] < 1e-6
    assert "floating point" in run(capsys, "learn", target)[1]


def test_equal_heads_are_one_head(target_file: Any, capsys: Any) -> None:
    head = '{"W": [[2]], "v": [1]}'
    target = target_file(f'{{"model": "heads", "semantics": "base2", "heads": [{head}, {head}]}}')
    code, text, _ = run(capsys, "learn", target, "--json")
    assert code == 0
    assert json.loads(text)["heads"] == [{"W": [[2]], "v": [2]}]
    assert json.loads(text)["exact"] is True


NEGATIVE = {
    "not identifiable": '[{"W": [[1, 2], [3, 4]], "v": [0, 0]}]',
    "not a single attention head": '[{"W": [[1, 2], [3, 4]], "v": [1, 0]}, {"W": [[1, 2], [3, 5]], "v": [1, 1]}]',
}


@pytest.mark.parametrize("words", NEGATIVE)
def test_negative_results(words: str, target_file: Any, tmp_path: Path, capsys: Any) -> None:
    target = target_file(f'{{"model": "heads", "semantics": "base2", "heads": {NEGATIVE[words]}}}')
    out, transcript = tmp_path / "out", tmp_path / "transcript"
    options = ("--method", "single-head", "--json", "--out", out, "--transcript", transcript)
    code, text, errors = run(capsys, "learn", target, *options)
    assert (code, text) == (1, "")
    assert words in errors
    assert errors.count("\n") == 1
    assert not out.exists()
    assert Transcript.load(transcript).entries


def test_standard_input(tmp_path: Path, capsys: Any) -> None:
    target = generate(capsys, tmp_path / "t.json", "--dim", 2)
    child = subprocess.run([*ATTNQ, "learn", "-"], input=target.read_bytes(), capture_output=True, check=False)
    assert (child.returncode, child.stderr) == (0, b"")


def test_help_and_version(capsys: Any) -> None:
    for arguments in (["--help"], ["learn", "--help"], ["generate", "--help"], ["--version"]):
        code, text, errors = run(capsys, *arguments)
        assert (code, errors) == (0, "")
        assert text


def test_a_reader_that_goes_away(tmp_path: Path) -> None:
    child = subprocess.Popen([*ATTNQ, "generate", "--dim", "300"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.close()
    errors = child.stderr.read()
    assert (child.wait(), errors) == (2, b"attnq: standard output is closed\n")
    child.stderr.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [["generate", "--dim", "3"], ["--help"]])
def test_a_full_disk(arguments: list[str]) -> None:
    with open("/dev/full", "w") as full:
        child = subprocess.run([*ATTNQ, *arguments], stdout=full, stderr=subprocess.PIPE, check=False)
    assert child.returncode == 2
    assert child.stderr.count(b"\n") == 1
    assert b"No space" in child.stderr


def test_ascii_terminals(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"}
    for arguments in (["learn", "--help"], ["learn", "ä"]):
        child = subprocess.run([*ATTNQ, *arguments], env=environment, capture_output=True, check=False)
        assert b"Error" not in child.stderr
        assert child.returncode in (0, 2)


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_interruption_leaves_nothing_behind(name: str, tmp_path: Path, capsys: Any) -> None:
    target = generate(capsys, tmp_path / "t.json", "--dim", 100)
    command = [*ATTNQ, "learn", str(target), "--transcript", str(tmp_path / "x")]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while child.poll() is None and len(list(tmp_path.iterdir())) == 1:
        time.sleep(0.005)
    child.send_signal(signal.Signals[name])
    out, errors = child.communicate()
    assert (child.returncode, out, errors) == (130, b"", b"attnq: interrupted\n")
    assert list(tmp_path.iterdir()) == [target]
