"""Certificates: what is written, what Lean says about it, and what is refused."""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path
from typing import Any

import pytest
from flint import fmpq

from attention_queries.cli.app import main
from attention_queries.cli.certify import certify_command
from attention_queries.errors import InputError, LearningError, NotASingleHead, NotIdentifiable, NotMultiHead
from attention_queries.files import save_target
from attention_queries.generate import random_target
from attention_queries.lean.certificate import certify, read_certificate
from attention_queries.lean.certificate.check import judge
from attention_queries.lean.certificate.document import Certificate
from attention_queries.lean.certificate.head import HeadCertificate, directions
from attention_queries.lean.certificate.low_rank import LowRankCertificate, pivots
from attention_queries.lean.certificate.multi_head import Grid, ModelCertificate
from attention_queries.lean.certificate.reading import parse_certificate
from attention_queries.lean.certificate.refutation import Contradiction, Impossible, NotZero
from attention_queries.lean.certificate.run import RecordedRun
from attention_queries.models import AttentionModel, Head
from attention_queries.oracle import CallableOracle
from attention_queries.semantics import Base2, ExpField
from attention_queries.sequences import Query, QueryBatch
from attention_queries.transcript import Transcript
from lean_support import real_lean

Model = AttentionModel[Any, Any]


def head(W: list[list[int]], v: list[Any]) -> Model:
    return AttentionModel(Base2(), len(v), [Head(W, v)])


def target(dim: int, heads: int = 1, seed: int = 0) -> Model:
    return random_target(Base2(), dim, heads=heads, seed=seed)


def low_rank(dim: int, rank: int, seed: int = 0) -> Model:
    return random_target(Base2(), dim, rank=rank, seed=seed)


def lying(model: Model, wrong: Query[Any], answer: Any) -> Transcript[Any, Any]:
    """The transcript of the single-head queries and one more, which is answered wrongly."""
    transcript = certify(model, kind="single-head").transcript()
    transcript.record(QueryBatch.of([wrong]), [answer], check=True)
    return transcript


def run_of(transcript: Transcript[Any, Any], folder: Path) -> RecordedRun:
    path = folder / "run.jsonl"
    transcript.save(path)
    return RecordedRun(path)


def judged(certificate: Certificate) -> str:
    """What the certificate says, once Lean has accepted it."""
    real_lean()
    verdict = judge(certificate, toolchain="bundled")
    assert set(verdict.axioms) <= {"propext", "Quot.sound", "Classical.choice"}
    return verdict.certificate.words()


@pytest.mark.parametrize("dim", [1, 2, 5])
def test_one_head_is_certified(dim: int) -> None:
    certificate = certify(target(dim, seed=dim))
    assert isinstance(certificate, HeadCertificate)
    assert certificate.model == target(dim, seed=dim)
    assert f"{dim * dim + dim} recorded answers" in judged(certificate)


def test_fractions_and_zeros_in_the_values() -> None:
    model = head([[1, -40, 0], [2, 3, 0], [0, -7, 9]], [0, fmpq(2, 3), fmpq(-1, 5)])
    certificate = certify(model)
    assert "def v : List Int := integers! 0, 10, -3\n" in certificate.text()
    assert "v = [0, 2/3, -1/5]" in judged(certificate)


@pytest.mark.parametrize("rank", [0, 1, 2, 4])
def test_low_rank_is_certified(rank: int) -> None:
    model = low_rank(4, rank, seed=3) if rank else head([[0] * 4] * 4, [0, 1, 0, 2])
    certificate = certify(model, kind="low-rank")
    assert isinstance(certificate, LowRankCertificate)
    assert certificate.model == model
    assert certificate.transcript_digest()[1] == 4 + rank * (8 - rank)
    assert f"rank at most {rank} " in judged(certificate)


@pytest.mark.parametrize(("dim", "heads", "bound"), [(1, 2, 2), (2, 2, 2), (2, 1, 2), (3, 2, 1)])
def test_several_heads_are_certified(dim: int, heads: int, bound: int) -> None:
    certificate = certify(target(dim, heads, seed=5), kind="multi-head", max_heads=bound)
    assert isinstance(certificate, ModelCertificate)
    assert f"at most {bound} attention heads" in judged(certificate)


def test_no_heads_are_certified() -> None:
    model = AttentionModel(Base2(), 2, [Head([[1, 2], [3, 4]], [1, 1]), Head([[1, 2], [3, 4]], [-1, -1])])
    certificate = certify(model, kind="multi-head", max_heads=2)
    assert "as the 0 heads of the file" in judged(certificate)


def test_equal_heads_are_merged() -> None:
    W = [[1, 0], [0, 1]]
    model = AttentionModel(Base2(), 2, [Head(W, [1, 2]), Head(W, [3, 4])])
    certificate = certify(model)
    assert isinstance(certificate, HeadCertificate)
    assert certificate.v == [4, 6]


def test_an_impossible_answer_is_refuted() -> None:
    certificate = certify(target(3, heads=2, seed=2), kind="inconsistency")
    assert isinstance(certificate, Impossible)
    assert "No attention head of dimension 3" in judged(certificate)


def test_two_heads_with_the_answers_of_one() -> None:
    """The values of the heads have disjoint supports, so that the learner's queries see one head at a time."""
    model = AttentionModel(Base2(), 2, [Head([[1, 0], [0, 0]], [1, 0]), Head([[0, 0], [2, 0]], [0, 1])])
    with pytest.raises(NotASingleHead, match="the only head with its answers"):
        certify(model, kind="single-head")
    assert "No attention head of dimension 2" in judged(certify(model, kind="inconsistency"))


def test_a_contradiction_is_refuted(tmp_path: Path) -> None:
    query = Query((((1, 2), 3), ((0, -1), 2), ((1, 1), 2)))
    transcript = lying(target(2, seed=4), query, fmpq(1, 7))
    certificate = certify(run_of(transcript, tmp_path), kind="inconsistency")
    assert isinstance(certificate, Contradiction)
    assert "1/7 to the query" in judged(certificate)
    with pytest.raises(NotASingleHead, match=r"run.jsonl, line 8: the answer 1/7 to \[\(1, 2\) x3"):
        certify(run_of(transcript, tmp_path))


def test_zero_on_length_one_is_refuted(tmp_path: Path) -> None:
    transcript: Transcript[Any, Any] = Transcript(Base2(), 2)
    oracle = CallableOracle(lambda runs: 0 if len(runs) == 1 else 5, Base2(), 2)
    oracle.sink = transcript
    for query in (Query((((1, 0), 1),)), Query((((0, 1), 1),))):
        oracle.ask(query)
    with oracle.fresh_count():
        oracle.ask(Query((((1, 0), 2), ((0, 1), 1))))
    certificate = certify(run_of(transcript, tmp_path), kind="inconsistency")
    assert isinstance(certificate, NotZero)
    assert "gives these answers: 0 to the 2 sequences [e_i], and 5" in judged(certificate)
    with pytest.raises(NotIdentifiable):
        certify(run_of(transcript, tmp_path))


def test_nothing_to_refute(tmp_path: Path) -> None:
    with pytest.raises(LearningError, match="nothing to refute"):
        certify(target(2), kind="inconsistency")
    run = run_of(certify(target(2)).transcript(), tmp_path)
    with pytest.raises(LearningError, match="nothing to refute"):
        certify(run, kind="inconsistency")


@pytest.mark.parametrize("kind", ["single-head", "low-rank", "multi-head"])
def test_same_certificate_from_the_model_and_from_its_transcript(kind: str, tmp_path: Path) -> None:
    model = low_rank(3, 2, seed=1)
    certificate = certify(model, kind=kind)
    run = run_of(certificate.transcript(), tmp_path)
    again = certify(run, kind=kind, model=model if kind == "multi-head" else None)
    assert again.text() == certificate.text() == certify(model, kind=kind).text()


def test_digest_is_that_of_the_transcript_file(tmp_path: Path) -> None:
    certificate = certify(target(3))
    certificate.transcript().save(tmp_path / "t.jsonl")
    digest = hashlib.sha256((tmp_path / "t.jsonl").read_bytes()).hexdigest()
    assert certificate.transcript_digest() == (digest, 12)
    assert digest in certificate.text()


@pytest.mark.parametrize("dim", [1, 2, 4])
def test_text_is_read_back(dim: int) -> None:
    rng = random.Random(dim)
    models = [(target(dim, seed=dim), "single-head"), (target(dim, seed=dim), "low-rank")]
    models += [(target(dim, heads=2, seed=rng.randint(0, 99)), "multi-head")] if dim < 4 else []
    for model, kind in models:
        certificate = certify(model, kind=kind)
        assert parse_certificate(certificate.text("9.9.9")).text("9.9.9") == certificate.text("9.9.9")


def test_other_semantics_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="base2 semantics only"):
        certify(random_target(ExpField(), 2))
    Transcript(ExpField(), 2).save(tmp_path / "t.jsonl")
    with pytest.raises(InputError, match="base2 semantics only"):
        RecordedRun(tmp_path / "t.jsonl")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "other"}, "unknown kind"),
        ({"kind": "single-head", "rank": 1}, "belongs to the kind low-rank"),
        ({"kind": "low-rank", "max_heads": 1}, "belongs to the kind multi-head"),
        ({"kind": "multi-head", "max_heads": 0}, "is a positive integer"),
        ({"kind": "multi-head", "max_heads": 200}, "would need"),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        certify(target(3), **options)


def test_wrong_claims_are_refused(tmp_path: Path) -> None:
    with pytest.raises(LearningError, match="W has rank 3"):
        certify(head([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [1, 1, 1]), rank=2)
    with pytest.raises(InputError, match="about one head"):
        certify(target(2, heads=2), rank=1)
    with pytest.raises(NotIdentifiable):
        certify(head([[1]], [0]))
    transcript = certify(target(2), kind="multi-head").transcript()
    with pytest.raises(NotMultiHead, match="the oracle is not the model"):
        certify(run_of(transcript, tmp_path), kind="multi-head", model=target(2, seed=9))
    with pytest.raises(InputError, match="--model"):
        certify(run_of(transcript, tmp_path), kind="multi-head")


def test_pivots_meet_in_an_invertible_minor() -> None:
    matrix = [[0, 0, 2], [0, 0, 4], [0, 5, 1]]
    assert pivots(matrix) == ([0, 2], [1, 2])
    assert pivots([[0, 0], [0, 0]]) == ([], [])


def test_directions_and_grid() -> None:
    assert directions([0, 3, 0]).tolist() == [[1, 1, 0], [0, 1, 0], [0, 1, 1]]
    grid = Grid(4, 4)
    assert (grid.tokens, grid.directions, grid.rungs, grid.prime, grid.answers) == (10, 13, 3, 13, 394)
    assert grid.vector(5) == [1, 5, -1, -5]
    assert sum(map(len, grid.batches())) == grid.answers


def test_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    real_lean()
    source, out, lines = tmp_path / "target.json", tmp_path / "cert.lean", tmp_path / "t.jsonl"
    save_target(target(2, seed=2), source)
    assert main(["certify", str(source), "-o", str(out), "--transcript", str(lines)]) == 0
    first = out.read_bytes()
    assert main(["certify", str(lines), "-o", str(out)]) == 0
    assert out.read_bytes() == first
    capsys.readouterr()
    assert main(["check", str(out), "--toolchain", "bundled"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("accepted by Lean's kernel\nThere is exactly one attention head of dimension 2")
    assert "∀ (W' : Mat Int 2) (v' : Vec Rational 2), Answers 2 v B A (base2.oracle W' v')" in text
    assert main(["check", str(out), "--toolchain", "bundled", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["kind"] == "single-head"
    assert report["sha256"] == read_certificate(out).transcript_digest()[0]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["certify", "missing.json", "-o", "x.lean"], 2, "No such file"),
        (["check", "missing.lean"], 2, "No such file"),
        (["certify", "target.json", "-o", "x.lean", "--transcript", "x.lean"], 2, "the same file"),
        (["certify", "target.json", "-o", "nowhere/x.lean"], 2, "cannot write"),
        (["check", "target.json"], 2, "not a certificate"),
        (["certify", "target.json", "-o", "x.lean", "--kind", "inconsistency"], 1, "nothing to refute"),
    ],
)
def test_errors_are_one_line(
    arguments: list[str],
    code: int,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    save_target(target(2), "target.json")
    assert main(arguments) == code
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_a_certificate_that_cannot_be_written_leaves_no_transcript(tmp_path: Path) -> None:
    save_target(target(2), tmp_path / "t.json")
    with pytest.raises(InputError, match="cannot write"):
        certify_command(tmp_path / "t.json", tmp_path / "missing" / "c.lean", transcript=tmp_path / "transcript")
    assert [path.name for path in tmp_path.iterdir()] == ["t.json"]
