"""The generated conformance files are what Python computes now, Lean accepts them, and any change of either shows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from attention_queries.errors import AttentionQueriesError, LeanError
from attention_queries.lean.cache import Cache
from attention_queries.lean.cases import (
    ValueCase,
    learner_runs,
    rejected_models,
    symbolic_cases,
    symbolic_learner_models,
    value_sections,
)
from attention_queries.lean.check import Library
from attention_queries.lean.conformance import conformance_files, stale_files, write_files
from attention_queries.lean.crosscheck import crosscheck_command
from attention_queries.lean.fibre_cases import fibre_cases
from attention_queries.lean.noise_cases import bits_runs, column_cases, noisy_runs, weight_cases
from attention_queries.lean.sources import find_sources
from attention_queries.learners.noisy.certification import Kind, Weight
from attention_queries.models import AttentionModel
from attention_queries.semantics.base2 import Base2
from attention_queries.semantics.expfield import ExpField
from attention_queries.sequences import QueryBatch
from lean_support import real_copy, real_lean, real_sources

CASE_MODULES = {f"AttentionQueries.Conformance.{name}Case" for name in ("Symbolic", "Noise")}


@cache
def library() -> Library:
    compiled = Library(real_lean(), Cache())
    compiled.compile_or_fail(only=CASE_MODULES)
    return compiled


@cache
def value_cases() -> list[ValueCase]:
    return [case for _, cases in value_sections() for case in cases]


def scores(case: ValueCase) -> list[int]:
    """The scores of the tokens under each head, by the definition."""
    q = case.query.token
    return [
        sum(x[i] * row[j] * q[j] for i, row in enumerate(head.W) for j in range(len(q)))
        for head in case.model.heads
        for x, _ in case.query.runs
    ]


# --- The files ---


def test_files_are_what_python_computes_now() -> None:
    assert stale_files(real_sources()) == []


def test_generation_is_deterministic() -> None:
    assert conformance_files() == conformance_files()


def test_there_are_enough_cases_of_every_kind() -> None:
    cases = value_cases()
    repeated = [c for c in cases if len({token for token, _ in c.query.runs}) < c.query.length]
    assert len(cases) >= 200
    assert sum(c.model.dim == 1 for c in cases) >= 20
    assert sum(c.model.dim == 4 for c in cases) >= 5
    assert sum(len(c.model.heads) > 1 for c in cases) >= 30
    assert any(not c.model.heads for c in cases)
    assert len(repeated) >= 30
    assert sum(c.query.length == 1 for c in cases) >= 10
    assert sum(max(map(abs, scores(c)), default=0) >= 50 for c in cases) >= 20
    assert sum(bool(scores(c)) and max(scores(c)) < 0 for c in cases) >= 10


def test_learner_runs_cover_the_dimensions_and_outcomes() -> None:
    runs = list(learner_runs())
    assert {run.model.dim for run in runs if run.found is not None} == {1, 2, 3, 4}
    assert {run.model.dim for run in runs if run.found is None} == {1, 2, 3, 4}
    for run in runs:
        d = run.model.dim
        assert len(run.entries) == (d * d + d if run.found is not None else d)
    assert [model.dim for model in rejected_models()] == [1, 2, 3]


def test_symbolic_cases_have_rational_scores_and_irrational_values() -> None:
    cases = list(symbolic_cases())
    assert {case.model.dim for case in cases} == {1, 2}
    assert sum(case.value.as_rational() is None for case in cases) >= 5
    assert any(len(case.model.heads) > 1 for case in cases)
    assert all(model == found for model, found in symbolic_learner_models())


def test_pairs_of_models_are_of_both_kinds_and_all_sizes() -> None:
    cases = list(fibre_cases())
    assert sum(bool(c.comparison) for c in cases) >= 50
    assert sum(not c.comparison for c in cases) >= 50
    assert {c.a.dim for c in cases} == {1, 2, 3}
    assert max(len(c.a.heads) for c in cases) >= 5


def test_experiments_give_both_bounds_one_none_or_a_contradiction() -> None:
    cases = list(weight_cases())
    weights = [c.weight for c in cases]
    assert len(cases) >= 40
    assert sum(w.certified and not w.empty for w in weights) >= 20
    assert any(w.low > 0 and w.high is None for w in weights)
    assert any(w.low == 0 and w.high is not None for w in weights)
    assert any(w == Weight() for w in weights)
    assert sum(w.empty for w in weights) >= 3
    assert {c.kind for c in cases if c.weight.certified} == set(Kind)
    assert any(c.tolerance == 0 for c in cases)
    assert {c.experiment.n for c in cases} == {1, 2, 3}


def test_columns_have_all_directions_and_several_experiments() -> None:
    cases = list(column_cases())
    assert len(cases) >= 15
    for kind in Kind:
        assert any(w.certified for c in cases for w, k in zip(c.weights, c.directions.kinds, strict=True) if k is kind)
    assert any(len(done) > 1 for c in cases for done in c.experiments)


def test_noisy_runs_and_runs_on_bits_have_all_outcomes() -> None:
    runs = list(noisy_runs())
    assert {run.model.dim for run in runs} == {1, 2}
    assert any(len(cell) > 1 for run in runs for row in run.schedule for cell in row)
    assert all(len(run.entries) == run.result.learning.queries for run in runs)
    bits = list(bits_runs())
    assert {run.model.dim for run in bits if run.found is not None} == {1, 2}
    assert {run.model.dim for run in bits if run.found is None} == {1, 2}
    assert {run.threshold > 0 for run in bits} == {False, True}


def test_one_by_one_and_batched_evaluation_agree_on_all_cases() -> None:
    for case in value_cases():
        assert case.model.values(QueryBatch.of([case.query])) == [case.value]


# --- Lean sees every change of a case ---


def excerpt(text: str, cases: int) -> str:
    """The file's head and its first cases."""
    start, *rest = text.split("\nexample : ")
    return "\nexample : ".join([start, *rest[:cases]]) + "\nend AttentionQueries.Conformance\n"


def change_a_digit(text: str) -> str:
    """The same text with one digit changed: the last one of the numerator that ends the last case."""
    position = max(m.start() for m in re.finditer(r"\d(?=, \d+\)+\]? := by)", text))
    return f"{text[:position]}{(int(text[position]) + 1) % 10}{text[position + 1 :]}"


@pytest.mark.parametrize(("name", "cases"), [("Values.lean", 8), ("Learner.lean", 7), ("Symbolic.lean", 2)])
def test_a_changed_digit_in_a_case_is_rejected_at_its_line(name: str, cases: int, tmp_path: Path) -> None:
    text = excerpt((real_sources().lean / "AttentionQueries" / "Conformance" / name).read_text(encoding="utf-8"), cases)
    copy = tmp_path / name
    copy.write_text(text)
    assert library().run(copy).ok
    copy.write_text(change_a_digit(text))
    output = library().run(copy)
    assert not output.ok
    line = text[: text.rindex("example : ")].count("\n") + 1
    reported = [int(n) for n in re.findall(rf"{re.escape(name)}:(\d+):\d+: error", output.text)]
    assert len(reported) == 1
    assert line <= reported[0] <= text.count("\n")


def test_a_changed_digit_in_any_kind_of_noise_case_is_rejected(tmp_path: Path) -> None:
    text = (real_sources().lean / "AttentionQueries" / "Conformance" / "Noise.lean").read_text(encoding="utf-8")
    start, *cases = text.split("\nexample : ")
    kinds = {case.split()[0]: case.split(" := by")[0] for case in reversed(cases)}
    assert set(kinds) == {"Weighs", "Contradicts", "Combines", "LearnsNoisy", "LearnsBits"}
    del kinds["Contradicts"]
    copy, accepted, rejected = tmp_path / "Noise.lean", [], []
    for case in kinds.values():
        position = max(m.start() for m in re.finditer(r"\d", case))
        changed = f"{case[:position]}{int(case[position]) % 9 + 1}{case[position + 1 :]}"
        accepted.append(f"example : {case} := by decide +kernel")
        rejected.append(f"example : {changed} := by decide +kernel")
    ends = start.split("/-! ## ")[0], "end AttentionQueries.Conformance\n"
    copy.write_text("\n".join([ends[0], *accepted, ends[1]]))
    assert library().run(copy).ok
    copy.write_text("\n".join([ends[0], *rejected, ends[1]]))
    assert library().run(copy).text.count(": error") == len(kinds)


def test_a_stale_file_is_reported_by_name_and_renewed(tmp_path: Path) -> None:
    root = real_copy(tmp_path / "copy")
    file = root / "lean/AttentionQueries/Conformance/Values.lean"
    original = file.read_text(encoding="utf-8")
    file.write_text(change_a_digit(original), encoding="utf-8")
    with pytest.raises(LeanError, match=r"Conformance/Values\.lean .*crosscheck --write"):
        crosscheck_command(check=True, root=root)
    assert write_files(find_sources(root)) == ["lean/AttentionQueries/Conformance/Values.lean"]
    assert file.read_text(encoding="utf-8") == original
    crosscheck_command(check=True, root=root)


def test_a_missing_file_is_stale(tmp_path: Path) -> None:
    root = real_copy(tmp_path / "copy")
    (root / "lean/AttentionQueries/Conformance/Learner.lean").unlink()
    assert stale_files(find_sources(root)) == ["lean/AttentionQueries/Conformance/Learner.lean"]


# --- A changed evaluation in Python makes the files stale ---


def negated_scores(method: Any) -> Any:
    """The method with the sign of its first argument, the scores, changed."""

    def changed(self: Base2, scores: Any, *rest: Any) -> Any:
        signs = {i: -s for i, s in scores.items()} if isinstance(scores, dict) else [-s for s in scores]
        return method(self, signs, *rest)

    return changed


def negated_value(method: Any) -> Any:
    """The method with the sign of its result changed."""

    def changed(self: Any, *arguments: Any) -> Any:
        result = method(self, *arguments)
        return [-x for x in result] if isinstance(result, list) else -result

    return changed


def sums_become_differences(method: Any) -> Any:
    """The weighted mean with the sign of the last token's value changed."""

    def changed(self: Base2, scores: Sequence[int], copies: Sequence[int], values: Sequence[Any]) -> Any:
        return method(self, scores, copies, [*values[:-1], -values[-1]])

    return changed


def operands_swapped(method: Any) -> Any:
    """The quotient of bounds the wrong way round."""

    def changed(self: Weight, other: Weight) -> Any:
        return method(other, self)

    return changed


@pytest.mark.parametrize(
    ("owner", "name", "change"),
    [
        pytest.param(Base2, "softmax_mean", negated_scores, id="scores"),
        pytest.param(Base2, "softmax_mean", sums_become_differences, id="one value"),
        pytest.param(Base2, "softmax_means", negated_scores, id="scores of batches"),
        pytest.param(AttentionModel, "value", negated_value, id="value"),
        pytest.param(AttentionModel, "values", negated_value, id="values of batches"),
        pytest.param(Base2, "log", negated_value, id="logarithm"),
        pytest.param(Weight, "__truediv__", operands_swapped, id="quotients of bounds"),
        pytest.param(ExpField, "softmax_mean", negated_scores, id="scores of the exp semantics"),
        pytest.param(ExpField, "log", negated_value, id="logarithm of the exp semantics"),
    ],
)
def test_a_changed_sign_in_the_evaluation_shows(
    owner: type, name: str, change: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owner, name, change(getattr(owner, name)))
    with pytest.raises(AttentionQueriesError):
        crosscheck_command(check=True)
