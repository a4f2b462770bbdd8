"""Bad input from outside: always one clear line and exit code 2."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attention_queries.cli import main

GOOD = {"model": "heads", "semantics": "base2", "heads": [{"W": [[1, 2], [3, 4]], "v": [5, 6]}]}


def refuse(capsys: Any, *arguments: object) -> str:
    """Run the command, which must fail with one line; return that line."""
    assert main([str(argument) for argument in arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("attnq: ")
    assert captured.err.count("\n") == 1
    return str(captured.err)


def entry(number: str, *, semantics: str = "base2") -> str:
    """A target whose first weight is this JSON text."""
    text = json.dumps({**GOOD, "semantics": semantics})
    return text.replace("[[1,", f"[[{number},")


def changed(**keys: Any) -> str:
    return json.dumps({key: value for key, value in {**GOOD, **keys}.items() if value is not ...})


def head(**keys: Any) -> str:
    return changed(heads=[{key: x for key, x in {**GOOD["heads"][0], **keys}.items() if x is not ...}])  # type: ignore[dict-item, index]


TARGETS = {
    "empty file": ("", "not JSON"),
    "not JSON": ("hello", "not JSON"),
    "cut off": (json.dumps(GOOD)[:-3], "not JSON"),
    "array": ("[1]", "JSON object"),
    "number": ("1", "JSON object"),
    "ragged W": (head(W=[[1, 2], [3]]), "square"),
    "wide W": (head(W=[[1, 2, 3], [3, 4, 5]]), "square"),
    "tall W": (head(W=[[1, 2]] * 3), "square"),
    "W a number": (head(W=1), "W is a list"),
    "W a vector": (head(W=[1, 2]), "W is a list"),
    "W a text": (head(W="ab"), "W is a list"),
    "W of texts": (head(W=["ab", "cd"]), "W is a list"),
    "v too short": (head(v=[1]), "size"),
    "v too long": (head(v=[1, 2, 3]), "size"),
    "v a number": (head(v=1), "v is a list"),
    "v an object": (head(v={"0": 1}), "v is a list"),
    "nested v": (head(v=[[1], [2]]), r"v[0]"),
    "NaN": (entry("NaN"), "NaN"),
    "Infinity": (entry("Infinity"), "Infinity"),
    "minus Infinity": (entry("-Infinity"), "Infinity"),
    "float": (entry("1.0"), "floating-point"),
    "float in exp": (entry("1.0", semantics="exp"), "floating-point"),
    "exponent": (entry("1e5"), "floating-point"),
    "huge exponent": (entry("1e999999"), "too large"),
    "huge exponent in float": (entry("1e999999", semantics="float"), "too large"),
    "huge exponent as text": (entry('"1e999999"'), "p/q"),
    "exponent as text": (entry('"1e5"', semantics="exp"), "1e5"),
    "boolean": (entry("true"), "truth value"),
    "boolean in float": (entry("false", semantics="float"), "truth value"),
    "null": (entry("null"), "None"),
    "object": (entry("{}"), "not a number"),
    "list": (entry("[1]"), "not a number"),
    "fraction in base2": (entry('"1/2"'), "not an integer"),
    "denominator 0": (head(v=["1/0", 1]), "denominator 0"),
    "words": (entry('"one"', semantics="float"), "one"),
    "integer beyond Python's limit": (entry("9" * 5000), "5000 digits"),
    "large score": (entry(str(10**9)), "exp semantics"),
    "score of astronomic size": (entry(f'"{"9" * 5000}"'), "exp semantics"),
    "float overflow": (entry("1e308", semantics="float").replace("2]", "1e308]"), "too large"),
    "integer too large for float": (entry(str(10**400), semantics="float"), "finite"),
    "no heads": (changed(heads=[]), "at least one head"),
    "heads an object": (changed(heads={}), "heads is a list"),
    "heads of numbers": (changed(heads=[1]), "heads[0]"),
    "dimension 0": (head(W=[], v=[]), "dimension at least 1"),
    "rows of length 0": (head(W=[[]], v=[1]), "square"),
    "different dimensions": (changed(heads=[GOOD["heads"][0], {"W": [[1]], "v": [1]}]), "dimension"),  # type: ignore[index]
    "missing semantics": (changed(semantics=...), "semantics"),
    "missing model": (changed(model=...), "model"),
    "missing heads": (changed(heads=...), "heads"),
    "missing W": (head(W=...), "W"),
    "missing v": (head(v=...), "v"),
    "unknown key": (changed(colour="red"), "colour"),
    "unknown key of a head": (head(b=[1]), "'b'"),
    "other model": (changed(model="mlp"), "mlp"),
    "other semantics": (changed(semantics="base3"), "base3"),
    "semantics a list": (changed(semantics=["base2"]), "semantics"),
    "repeated key": (json.dumps(GOOD)[:-1] + ', "model": "heads"}', "repeated"),
    "repeated key of a head": ('{"model": "heads", "heads": [{"W": [[1]], "v": [1], "v": [2]}]}', "repeated"),
    "deep lists": ("[" * 100_000, "nested"),
    "deep objects": ('{"a":' * 100_000, "nested"),
    "line breaks in a key": (changed(**{"a\nb\x1b[31m": 1}), "unknown key"),
    "a very long text": (changed(semantics="x" * 10**6), "unknown semantics"),
}


@pytest.mark.parametrize("case", TARGETS)
def test_bad_targets(case: str, target_file: Any, capsys: Any) -> None:
    text, words = TARGETS[case]
    line = refuse(capsys, "learn", target_file(text))
    assert words in line
    assert len(line) < 500
    assert "\x1b" not in line


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["heads", "exp"]),
    lambda x: st.lists(x, max_size=3) | st.dictionaries(st.sampled_from(["W", "v", "model", "heads", "semantics"]), x),
    max_leaves=8,
)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(JSON, JSON, st.sampled_from(["model", "semantics", "heads", "W", "v", "row", "file"]))
def test_random_targets_never_crash(tmp_path: Path, capsys: Any, x: Any, y: Any, place: str) -> None:
    data: Any = json.loads(json.dumps(GOOD))
    if place == "file":
        data = x
    elif place in data:
        data[place] = x
    elif place == "row":
        data["heads"][0]["W"][0] = [x, y]
    else:
        data["heads"][0][place] = x
    path = tmp_path / "t.json"
    path.write_text(json.dumps(data))
    code = main(["learn", str(path)])
    captured = capsys.readouterr()
    assert code in (0, 1, 2)
    assert captured.err.count("\n") == (code != 0)
    assert "internal" not in captured.err


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=40))
def test_random_bytes_never_crash(tmp_path: Path, capsys: Any, data: bytes) -> None:
    (tmp_path / "t.json").write_bytes(data)
    refuse(capsys, "learn", tmp_path / "t.json")


def test_bad_files(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for name, words in {
        "missing": "No such file",
        "": "directory",
        "binary": "UTF-8",
        "new\nline": "No such file",
        "loop": "links",
        "a" * 5000: "too long",
    }.items():
        assert words in refuse(capsys, "learn", f"{tmp_path}/{name}")


def test_unreadable_files(target_file: Any, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*arguments: Any, **options: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    path = target_file(json.dumps(GOOD))
    monkeypatch.setattr("builtins.open", refused)
    assert "Permission denied" in refuse(capsys, "learn", path)


@pytest.mark.parametrize("option", ["--out", "--transcript"])
@pytest.mark.parametrize("path", ["", "missing/x", "a" * 5000])
def test_unwritable_files(option: str, path: str, target_file: Any, tmp_path: Path, capsys: Any) -> None:
    target = target_file(json.dumps(GOOD))
    assert "cannot write" in refuse(capsys, "learn", target, option, f"{tmp_path}/{path}")
    assert list(tmp_path.iterdir()) == [target]
    if option == "--out":
        assert "cannot write" in refuse(capsys, "generate", "--dim", 2, option, f"{tmp_path}/{path}")


def test_one_file_for_two_things(target_file: Any, tmp_path: Path, capsys: Any) -> None:
    target = target_file(json.dumps(GOOD))
    options = ("--out", tmp_path / "x", "--transcript", tmp_path / "." / "x")
    assert "same file" in refuse(capsys, "learn", target, *options)
    (tmp_path / "loop").symlink_to("loop")
    refuse(capsys, "learn", target, "--out", tmp_path / "loop", "--transcript", tmp_path / "loop")
    assert "cannot write" in refuse(capsys, "learn", target, "--out", tmp_path / "loop")


USAGE: list[list[str]] = [
    [],
    ["nonsense"],
    ["--nonsense"],
    ["learn"],
    ["learn", "TARGET", "extra"],
    ["learn", "TARGET", "--method", "nonsense"],
    ["learn", "TARGET", "--method", ""],
    ["learn", "TARGET", "--method"],
    ["learn", "TARGET", "--seed", "x"],
    ["learn", "TARGET", "--seed", "-1"],
    ["learn", "TARGET", "--seed", "1.5"],
    ["learn", "TARGET", "--json", "yes"],
    ["generate"],
    ["generate", "--dim"],
    ["generate", "--dim", "0"],
    ["generate", "--dim", "-3"],
    ["generate", "--dim", "two"],
    ["generate", "--dim", "1e2"],
    ["generate", "--dim", "9" * 5000],
    ["generate", "--dim", "1000000000"],
    ["generate", "--dim", "2", "--heads", "0"],
    ["generate", "--dim", "2", "--low", "3", "--high", "2"],
    ["generate", "--dim", "2", "--low", "0", "--high", "0"],
    ["generate", "--dim", "2", "--semantics", "nonsense"],
    ["generate", "--dim", "2", "--seed", "-1"],
    ["generate", "--dim", "2", "--low", str(10**400), "--high", str(10**400), "--semantics", "float"],
    ["generate", "--dim", "2", "--wrong"],
    ["generate", "--dim", "2", "extra"],
]


@pytest.mark.parametrize("arguments", USAGE, ids=range(len(USAGE)))
def test_bad_usage(arguments: list[str], target_file: Any, capsys: Any) -> None:
    target = str(target_file(json.dumps(GOOD)))
    refuse(capsys, *(target if argument == "TARGET" else argument for argument in arguments))
