"""Target files and atomic writing."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from flint import fmpq
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attention_queries import AttentionModel, Base2, ExpField, Head, InputError, load_target, save_target
from attention_queries.files import AtomicFile, parse_json, target_from_json, target_to_json, write_atomically
from strategies import SEMANTICS, models


@pytest.mark.parametrize("name", list(SEMANTICS))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_targets_are_read_back(name: str, tmp_path: Path, data: Any) -> None:
    model = data.draw(models(name))
    save_target(model, tmp_path / "t.json")
    assert load_target(tmp_path / "t.json") == model
    assert target_from_json(json.loads(json.dumps(target_to_json(model)))) == model


def test_huge_and_irrational_entries(tmp_path: Path) -> None:
    power = ExpField().exp(fmpq(1, 2))
    for model in (
        AttentionModel(Base2(), 1, [Head([[10**5000]], [fmpq(1, 10**5000)])]),
        AttentionModel(ExpField(), 1, [Head([[fmpq(1, 3)]], [power / (1 + power)])]),
    ):
        save_target(model, tmp_path / "t.json")
        assert load_target(tmp_path / "t.json") == model


def test_strings_and_byte_order_mark(target_file: Any) -> None:
    text = '\ufeff{"heads": [{"v": ["1/2"], "W": [["-3"]]}], "semantics": "base2", "model": "heads"}'
    assert load_target(target_file(text)) == AttentionModel(Base2(), 1, [Head([[-3]], [fmpq(1, 2)])])


def test_strict_json() -> None:
    assert parse_json('{"a": [1, -2.5, "x", null, true]}') == {"a": [1, -2.5, "x", None, True]}
    for text in (
        "",
        "{",
        "NaN",
        "[-Infinity]",
        '{"a": 1, "a": 2}',
        "1e400",
        "9" * 5000,
        "[" * 10**5,
        "01",
        "'a'",
        "1 2",
    ):
        with pytest.raises(InputError) as caught:
            parse_json(text)
        assert len(str(caught.value)) < 200


def test_writing_replaces_in_one_step(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_atomically(path, "one")
    path.chmod(0o640)
    with AtomicFile(path) as file:
        file.write("two")
        assert path.read_text() == "one"
    assert path.read_text() == "two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_new_files_follow_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "a", "x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


def test_an_error_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")

    def fail() -> None:
        with AtomicFile(path) as file:
            file.write("new")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_links_stay_links(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_atomically(tmp_path / "link", "x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "x"


def test_devices_are_written_directly(tmp_path: Path) -> None:
    write_atomically(os.devnull, "x")
    assert not Path(os.devnull).is_file()


@pytest.mark.parametrize("path", [".", "missing/file", "nul\0", "a" * 5000])
def test_unwritable_paths(tmp_path: Path, path: str) -> None:
    with pytest.raises(InputError, match="cannot write"):
        write_atomically(f"{tmp_path}/{path}", "x")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No space"):
        write_atomically("/dev/full", "x")
    with pytest.raises(InputError, match="No space"), AtomicFile("/dev/full") as file:
        file.write("x" * 10**6)


def test_no_heads_are_written_as_the_zero_head(tmp_path: Path) -> None:
    save_target(AttentionModel(ExpField(), 2, []), tmp_path / "t.json")
    assert load_target(tmp_path / "t.json") == AttentionModel(ExpField(), 2, [Head([[0, 0], [0, 0]], [0, 0])])
