"""Transcripts: recording, files, replay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flint import fmpq
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attention_queries import Base2, ExpField, InputError, LearningError, ModelOracle, Query, QueryBatch, transcript
from attention_queries.generate import random_target
from attention_queries.learners import learn_single_head
from attention_queries.transcript import Entry, ReplayOracle, Transcript, TranscriptReader, TranscriptWriter
from strategies import EXACT, SEMANTICS, models, queries

HEADER = '{"format": "attention-queries transcript", "version": 1, "semantics": "base2", "dim": 1}\n'


@pytest.mark.parametrize("name", list(SEMANTICS))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_files_are_read_back(name: str, tmp_path: Path, data: Any) -> None:
    model = data.draw(models(name))
    oracle = ModelOracle(model)
    oracle.sink = transcript = Transcript(model.semantics, model.dim)
    oracle.many(QueryBatch.of(data.draw(st.lists(queries(name, model.dim), min_size=1, max_size=4))))
    with oracle.fresh_count():
        oracle.ask(data.draw(queries(name, model.dim)))
    transcript.save(tmp_path / "t")
    loaded = Transcript.load(tmp_path / "t")
    assert loaded == transcript
    assert [entry.check for entry in loaded.entries] == [False] * (len(loaded.entries) - 1) + [True]


@pytest.mark.parametrize("name", list(EXACT))
def test_learning_from_a_transcript(name: str, tmp_path: Path) -> None:
    target = random_target(SEMANTICS[name], 4, seed=8)
    oracle = ModelOracle(target)
    with TranscriptWriter(tmp_path / "t", target.semantics, 4) as writer:
        oracle.sink = writer
        learned = learn_single_head(oracle, seed=3)
    transcript = Transcript.load(tmp_path / "t")
    assert sum(not entry.check for entry in transcript.entries) == learned.learning.queries
    assert sum(entry.check for entry in transcript.entries) == learned.verification.queries
    replayed = learn_single_head(ReplayOracle(transcript), seed=3)
    assert (replayed.model, replayed.learning.queries) == (learned.model, learned.learning.queries)
    with pytest.raises(InputError, match="no answer"):
        learn_single_head(ReplayOracle(transcript), seed=4)


def test_replay_ignores_the_order_of_the_context() -> None:
    a, b = (1,), (2,)
    transcript = Transcript(Base2(), 1, [Entry(Query(((a, 1), (b, 2), (a, 1))), fmpq(5))])
    oracle = ReplayOracle(transcript)
    assert oracle.ask(Query(((b, 1), (a, 1), (b, 1), (a, 1)))) == 5
    with pytest.raises(InputError, match="no answer"):
        oracle.ask(Query(((a, 2), (b, 2))))


def test_contradictory_transcripts() -> None:
    entries = [Entry(Query((((1,), 1),)), fmpq(answer)) for answer in (1, 2)]
    with pytest.raises(InputError, match="two different answers"):
        ReplayOracle(Transcript(Base2(), 1, entries))


def test_huge_answers(tmp_path: Path) -> None:
    entry = Entry(Query((((1,), 1),)), fmpq(1 << 100_000, 3))
    integer = Entry(Query((((2,), 1),)), fmpq(1 << 100_000))
    Transcript(Base2(), 1, [entry, integer]).save(tmp_path / "t")
    assert Transcript.load(tmp_path / "t").entries == [entry, integer]


def test_nothing_is_left_of_a_failed_run(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="stop"), TranscriptWriter(tmp_path / "t", Base2(), 1):
        raise ValueError("stop")
    assert list(tmp_path.iterdir()) == []


def test_a_negative_result_keeps_its_transcript(tmp_path: Path) -> None:
    with pytest.raises(LearningError), TranscriptWriter(tmp_path / "t", Base2(), 1):
        raise LearningError
    assert Transcript.load(tmp_path / "t").entries == []


def test_reading_streams(tmp_path: Path) -> None:
    (tmp_path / "t").write_text(HEADER + '{"runs": [[[1], 1]], "answer": 2}\n' + "rubbish\n")
    with TranscriptReader(tmp_path / "t") as reader:
        entries = iter(reader)
        assert next(entries) == Entry(Query((((1,), 1),)), fmpq(2))
        with pytest.raises(InputError, match="line 3"):
            next(entries)


BAD_HEADERS = [
    "",
    "x",
    "[]",
    "{}",
    HEADER.replace("1,", "2,", 1),
    HEADER.replace("1,", "true,", 1),
    HEADER.replace("1,", "1.0,", 1),
    HEADER.replace("base2", "base3"),
    HEADER.replace('"dim": 1', '"dim": 0'),
    HEADER.replace('"dim": 1', '"dim": true'),
    HEADER.replace('"dim": 1', '"dim": 1, "x": 2'),
    HEADER.replace("-queries", ""),
]


@pytest.mark.parametrize("header", BAD_HEADERS)
def test_bad_headers(header: str, target_file: Any) -> None:
    with pytest.raises(InputError, match="line 1"):
        Transcript.load(target_file(header))


BAD_LINES = [
    "\n",
    "1\n",
    '{"runs": [], "answer": 1}',
    '{"runs": [[[1], 0]], "answer": 1}',
    '{"runs": [[[1], true]], "answer": 1}',
    '{"runs": [[[1, 2], 1]], "answer": 1}',
    '{"runs": [[["1/2"], 1]], "answer": 1}',
    '{"runs": [[1, 1]], "answer": 1}',
    '{"runs": [[[1]]], "answer": 1}',
    '{"runs": 5, "answer": 1}',
    '{"runs": [[[1], 1]]}',
    '{"runs": [[[1], 1]], "answer": 0.5}',
    '{"runs": [[[1], 1]], "answer": NaN}',
    '{"runs": [[[1], 1]], "answer": 1, "check": 1}',
    '{"runs": [[[1], 1]], "answer": 1, "other": 1}',
    '{"runs": [[[1], 1]], "answer": 1, "answer": 1}',
    "[" * 100_000,
]


@pytest.mark.parametrize("line", BAD_LINES, ids=range(len(BAD_LINES)))
def test_bad_lines(line: str, target_file: Any) -> None:
    good = '{"runs": [[[1], 1]], "answer": 1}\n'
    with pytest.raises(InputError, match="line 3"):
        Transcript.load(target_file(HEADER + good + line))


def test_bad_files(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    for name in ("missing", ".", "binary", "nul\0"):
        with pytest.raises(InputError):
            Transcript.load(f"{tmp_path}/{name}")
    for name in ("missing/t", "."):
        with pytest.raises(InputError, match="cannot write"):
            Transcript(ExpField(), 1).save(f"{tmp_path}/{name}")


def test_endless_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript, "MAX_FILE_BYTES", 200)
    (tmp_path / "t").write_text("0" * 1000)
    with pytest.raises(InputError, match="line 1: a line of 200 characters or more"):
        Transcript.load(tmp_path / "t")
