"""Only untouched certificates are accepted: the reader refuses changed texts, Lean's kernel changed data."""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flint import fmpq

from attention_queries.errors import AttentionQueriesError, InputError, LeanError
from attention_queries.generate import random_target
from attention_queries.lean.certificate import certify
from attention_queries.lean.certificate.check import check_certificate
from attention_queries.lean.certificate.document import Certificate
from attention_queries.lean.certificate.head import HeadCertificate
from attention_queries.lean.certificate.low_rank import LowRankCertificate
from attention_queries.lean.certificate.multi_head import ModelCertificate
from attention_queries.lean.certificate.reading import parse_certificate
from attention_queries.lean.certificate.refutation import Impossible
from attention_queries.lean.certificate.run import RecordedRun
from attention_queries.lean.certificate.text import NAMESPACE
from attention_queries.learners.verification import verify_on_fresh_queries
from attention_queries.oracle import ModelOracle
from attention_queries.semantics import Base2
from lean_support import minicore, real_lean


def head() -> HeadCertificate:
    certificate = certify(random_target(Base2(), 3, seed=3), kind="single-head")
    assert isinstance(certificate, HeadCertificate)
    return certificate


def cross() -> LowRankCertificate:
    certificate = certify(random_target(Base2(), 4, rank=2, seed=1), kind="low-rank")
    assert isinstance(certificate, LowRankCertificate)
    return certificate


def model() -> ModelCertificate:
    certificate = certify(random_target(Base2(), 2, heads=2, seed=1))
    assert isinstance(certificate, ModelCertificate)
    return certificate


def impossible() -> Impossible:
    certificate = certify(random_target(Base2(), 3, heads=2, seed=2), kind="inconsistency")
    assert isinstance(certificate, Impossible)
    return certificate


MAKERS: list[Callable[[], Certificate]] = [head, cross, model, impossible]


# The text: whatever is changed in the file without changing everything that depends on it.


def text_changes(text: str, rng: random.Random) -> Iterator[str]:
    """Changed texts: a digit, a line dropped, doubled or swapped, and commands that have no place in a certificate."""
    lines = text.split("\n")
    # The version in the header says who wrote the file; it is no claim and may be any.
    start, end = re.search(r"^versions .*,", text, re.MULTILINE).span()  # type: ignore[union-attr]
    digits = [m.start() for m in re.finditer(r"[0-9]", text) if not start <= m.start() < end]
    for position in rng.sample(digits, 16):
        yield text[:position] + rng.choice([c for c in "0123456789" if c != text[position]]) + text[position + 1 :]
    data = [i for i, line in enumerate(lines) if line.startswith("def ")]
    for i in rng.sample(data, min(4, len(data))):
        yield "\n".join(lines[:i] + lines[i + 1 :])
        yield "\n".join([*lines[: i + 1], lines[i], *lines[i + 1 :]])
        j = rng.choice([j for j in data if j != i])
        swapped = list(lines)
        swapped[i], swapped[j] = swapped[j], swapped[i]
        yield "\n".join(swapped)
    end = f"\nend {NAMESPACE}"
    yield text.replace("by\n  decide +kernel", "by\n  sorry")
    yield text.replace("by\n  decide +kernel", "by\n  native_decide")
    yield text.replace(end, f"\naxiom anything : False\n{end}")
    yield text.replace(end, f'\n#eval "accepted"\n{end}')
    yield text.replace("set_option maxHeartbeats 0", "set_option maxHeartbeats 0\nset_option debug.skipKernelTC true")
    yield re.sub(r"^import .*$", "import AttentionQueries", text, flags=re.MULTILINE)
    yield re.sub(r"^import (.*)$", r"import \1\nimport AttentionQueries.Model", text, flags=re.MULTILINE)
    yield text.replace("\ntheorem accepted", "\n/- nothing -/\ntheorem accepted")
    yield text + "\n"
    yield text.replace("\n", "\r\n")
    yield text.replace("SHA-256 ", "SHA-256 0")
    yield re.sub(r"(unique|inconsistent|rank)", r"\1'", text, count=1)
    yield text.replace("\n\ndef ", "\n\n\ndef ", 1)


@pytest.mark.parametrize("make", MAKERS)
def test_changed_texts_are_rejected(make: Callable[[], Certificate], tmp_path: Path) -> None:
    text = make().text()
    refusals: list[str] = []
    parse_certificate(text)
    changed = [new for new in text_changes(text, random.Random(1)) if new != text]
    assert len(changed) >= 35
    readable = []
    for new in changed:
        try:
            readable.append(parse_certificate(new))
        except InputError as error:
            refusals.append(str(error))
    assert all("\n" not in refusal for refusal in refusals)
    # What the reader lets pass has another weight, which no hash covers, and is up to the kernel.
    assert len(readable) <= 4
    kernel_refuses(readable, tmp_path)


def kernel_refuses(certificates: list[Certificate], folder: Path) -> None:
    """All checks in one file: the kernel evaluates each of them to false."""
    real_lean()
    library, modules = minicore(), sorted({certificate.module for certificate in certificates})
    library.compile_or_fail(only=set(modules))
    parts = [f"import {module}" for module in modules]
    parts += ["set_option maxRecDepth 100000", "set_option maxHeartbeats 0"]
    for i, certificate in enumerate(certificates):
        name = f"AttentionQueries.Certificate.Changed{i}"
        refusal = f"theorem refused : {certificate.check()} = false := by decide +kernel"
        parts += [f"namespace {name}", *certificate.data(), refusal, f"end {name}"]
    file = folder / "Changed.lean"
    file.write_text("\n".join(parts) + "\n", encoding="utf-8")
    output = library.run(file)
    assert output.ok, output.text[:2000]


def test_weaker_statements_are_rejected() -> None:
    text = head().text()
    for right, wrong in [
        ("↔ W' = matrix 3 W ∧ v' = values 3 v 1", "→ True"),
        ("∧ v' = values 3 v 1", ""),
        ("checkHead 3 W", "checkHead 2 W"),
        ("head_certified accepted W' v'", "⟨fun _ => trivial, fun _ => trivial⟩"),
        ("one head of dimension 3", "one head of dimension 4"),
        ("attnq certify --kind single-head", "attnq certify --kind multi-head"),
        ("format 1", "format 2"),
    ]:
        assert right in text
        with pytest.raises(InputError):
            parse_certificate(text.replace(right, wrong))


# The data: changed with everything that depends on them, digest included. Here the kernel must say no.


def _other(x: fmpq, rng: random.Random) -> fmpq:
    return x + rng.choice([fmpq(1), fmpq(-1), fmpq(1, 10), fmpq(-1, 3)])


def changed_heads(certificate: HeadCertificate, rng: random.Random) -> Iterator[Certificate]:
    """One answer or one weight is another."""
    for _ in range(20):
        new = copy.deepcopy(certificate)
        i, j = rng.randrange(new.dim), rng.randrange(new.dim)
        what = rng.randrange(4)
        if what == 0:
            new.table[i][j] = _other(new.table[i][j], rng)
        elif what == 1:
            new.singles[i] = _other(new.singles[i], rng)
        elif what == 2:
            new.W[i][j] += rng.choice([-1, 1, 10])
        else:
            new.v[i] = _other(new.v[i], rng)
        yield new
    yield HeadCertificate(certificate.W, certificate.v, certificate.singles, certificate.table[::-1])
    yield HeadCertificate(certificate.W[::-1], certificate.v, certificate.singles, certificate.table)


def changed_crosses(certificate: LowRankCertificate, rng: random.Random) -> Iterator[Certificate]:
    """One answer is another; or one weight, while the rank stays the same."""
    for _ in range(16):
        new = copy.deepcopy(certificate)
        i, j = rng.randrange(new.dim), rng.randrange(new.dim)
        answer = new.table[i][j]
        if answer is None:
            new.singles[i] = _other(new.singles[i], rng)
        else:
            new.table[i][j] = _other(answer, rng)
        yield new
    for factor in (2, -1):
        new = copy.deepcopy(certificate)
        new.W = [[factor * x for x in row] for row in new.W]
        yield new


def changed_models(certificate: ModelCertificate, rng: random.Random) -> Iterator[Certificate]:
    """One answer or one weight is another, or a head is missing or there twice."""
    grid = certificate.grid
    for _ in range(20):
        new = copy.deepcopy(certificate)
        h, i, j = rng.randrange(len(new.heads)), rng.randrange(new.dim), rng.randrange(new.dim)
        what = rng.randrange(4)
        if what == 0:
            s, t, n = rng.randrange(grid.tokens), rng.randrange(grid.directions), rng.randrange(grid.rungs)
            new.table[s][t][n] = _other(new.table[s][t][n], rng)
        elif what == 1:
            new.singles[i] = _other(new.singles[i], rng)
        elif what == 2:
            new.heads[h][0][i][j] += rng.choice([-1, 1])
        else:
            new.heads[h][1][i] = _other(new.heads[h][1][i], rng)
        yield new
    yield ModelCertificate(certificate.dim, [certificate.heads[0]] * 2, 2, certificate.singles, certificate.table)


def tampered() -> list[Certificate]:
    rng = random.Random(7)
    return [*changed_heads(head(), rng), *changed_crosses(cross(), rng), *changed_models(model(), rng)]


def test_the_kernel_refuses_changed_data(tmp_path: Path) -> None:
    certificates = tampered()
    assert len(certificates) >= 60
    kernel_refuses(certificates, tmp_path)


def test_changed_data_are_consistent_files() -> None:
    """The reader has no objection to them: only the kernel can tell."""
    for certificate in tampered():
        assert parse_certificate(certificate.text()).text() == certificate.text()


def test_message_of_a_refusal(tmp_path: Path) -> None:
    real_lean()
    certificate = head()
    certificate.table[0][1] += 1
    (tmp_path / "cert.lean").write_text(certificate.text(), encoding="utf-8")
    with pytest.raises(LeanError, match="evaluates the check to false: the answers are not those of the model"):
        check_certificate(tmp_path / "cert.lean", toolchain="bundled")


def test_refutations_of_true_answers_are_refused() -> None:
    certificate = impossible()
    honest = certificate.singles[0]
    with pytest.raises(InputError, match="explains the answer"):
        Impossible(certificate.singles, type(certificate.query)((((1, 0, 0), 1),)), honest)


# Transcripts.


def transcript_changes(lines: list[dict[str, Any]], rng: random.Random) -> Iterator[list[dict[str, Any]]]:
    """A digit of an answer or a token, a query dropped, doubled, moved, or one too many."""
    body = list(range(1, len(lines)))
    for i in rng.sample(body, min(12, len(body))):
        new = copy.deepcopy(lines)
        new[i]["answer"] = (
            str(fmpq(new[i]["answer"]) + 1) if isinstance(new[i]["answer"], int) else f"1{new[i]['answer']}"
        )
        yield new
        yield lines[:i] + lines[i + 1 :]
        yield [*lines[: i + 1], lines[i], *lines[i + 1 :]]
        new = copy.deepcopy(lines)
        new[i]["runs"][-1][0][0] += 1
        yield new
        new = copy.deepcopy(lines)
        new[i]["runs"][0][1] += 1
        yield new
    for _ in range(8):
        i, j = sorted(rng.sample(body, 2))
        new = list(lines)
        new[i], new[j] = new[j], new[i]
        yield new


@pytest.mark.parametrize("make", [head, cross, model])
def test_changed_transcripts_are_rejected(make: Callable[[], Certificate], tmp_path: Path) -> None:
    """A transcript as learners write it, with the queries that check the result at its end."""
    certificate = make()
    assert isinstance(certificate, HeadCertificate | LowRankCertificate | ModelCertificate)
    transcript, path = certificate.transcript(), tmp_path / "t.jsonl"
    steps = len(transcript.entries)
    oracle = ModelOracle(certificate.model)
    oracle.sink = transcript
    verify_on_fresh_queries(oracle, certificate.model, random.Random(0))
    transcript.save(path)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    candidate = certificate.model if isinstance(certificate, ModelCertificate) else None
    assert certify(RecordedRun(path), kind=certificate.kind, model=candidate).text() == certificate.text()
    changes = list(transcript_changes(lines[: steps + 1], random.Random(2)))
    assert len(changes) >= 60
    for new in changes:
        path.write_text("".join(json.dumps(line) + "\n" for line in [*new, *lines[steps + 1 :]]))
        with pytest.raises(AttentionQueriesError) as refusal:
            certify(RecordedRun(path), kind=certificate.kind, model=candidate)
        assert "\n" not in str(refusal.value)
