"""The floating-point methods that the low-rank learner is compared with, and the rows that compare them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention_queries import Base2, ModelOracle
from attention_queries.errors import InputError
from attention_queries.generate import random_target
from attention_queries.learners.low_rank import baselines
from attention_queries.reproduce import low_rank
from attention_queries.reproduce.low_rank_figure import Panel, draw
from attention_queries.reproduce.row import Context

solver = pytest.mark.skipif(not baselines.have_solver(), reason="the extra `baselines` is not installed")


def measured(d: int, r: int, n: int, seed: int = 0) -> tuple[baselines.Measurements, Any]:
    rng = np.random.default_rng(seed)
    head, oracle = low_rank.float_head(rng, d, r)
    data = baselines.measure(oracle, head.v, n, rng)
    assert (oracle.count.queries, oracle.count.longest) == (n, 2)
    return data, np.array(head.W)


def test_measurements_are_scores() -> None:
    data, W = measured(6, 2, 40)
    assert data.y == pytest.approx(np.einsum("ni,ij,nj->n", data.a, W, data.b), abs=1e-9)
    assert len(data.first(7).y) == 7
    with pytest.raises(InputError, match="float semantics"):
        baselines.measure(ModelOracle(random_target(Base2(), 2)), [1, 1], 3, np.random.default_rng(0))


@pytest.mark.parametrize(("d", "r", "n"), [(4, 1, 16), (8, 1, 40), (8, 2, 60)])
def test_alternating_minimisation(d: int, r: int, n: int) -> None:
    data, W = measured(d, r, n)
    assert baselines.recovered(baselines.alternating_minimisation(data, r, np.random.default_rng(0)), W)
    few = baselines.alternating_minimisation(data.first(d), r, np.random.default_rng(0), rounds=30)
    assert not baselines.recovered(few, W)


@solver
@pytest.mark.parametrize(("d", "r", "n"), [(4, 1, 16), (8, 1, 48), (8, 2, 62)])
def test_nuclear_norm(d: int, r: int, n: int) -> None:
    data, W = measured(d, r, n)
    assert baselines.recovered(baselines.nuclear_norm(data), W)
    few = baselines.nuclear_norm(data.first(2 * d))
    assert not baselines.recovered(few, W)
    # What it finds instead fits, and has a smaller norm.
    assert np.einsum("ni,ij,nj->n", data.a[: 2 * d], few, data.b[: 2 * d]) == pytest.approx(data.y[: 2 * d], abs=1e-4)
    assert np.linalg.norm(few, "nuc") < np.linalg.norm(W, "nuc")


@solver
def test_nuclear_norm_of_zero() -> None:
    data, _ = measured(3, 1, 9)
    zero = baselines.Measurements(data.a, data.b, np.zeros(9))
    assert baselines.nuclear_norm(zero) == pytest.approx(np.zeros((3, 3)), abs=1e-6)


def test_without_the_solver(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(baselines, "have_solver", lambda: False)
    with pytest.raises(InputError, match=r"attention-queries\[baselines\]"):
        baselines.nuclear_norm(measured(3, 1, 9)[0])


@pytest.mark.parametrize("row", low_rank.ROWS[1:3], ids=lambda row: row.name)
def test_rows(row: Any, tmp_path: Path) -> None:
    outcome = row.run(Context(True, 0, tmp_path))
    assert outcome.exact
    assert outcome.queries <= outcome.bound
    assert outcome.cases > 0


def test_the_figure_is_the_same_every_time(tmp_path: Path) -> None:
    panel = Panel(4, 1, [7, 9])
    panel.add("exact", {7: False, 9: True})
    panel.add("nuclear", {7: False, 9: False})
    panel.add("nuclear", {7: False, 9: True})
    assert panel.as_json()["rates"] == {"exact": [0.0, 1.0], "nuclear": [0.0, 0.5]}
    draw([panel, panel], tmp_path / "a.svg")
    draw([panel, panel], tmp_path / "b.svg")
    text = (tmp_path / "a.svg").read_text()
    assert text == (tmp_path / "b.svg").read_text()
    assert "nuclear norm" in text
    assert "r(2d - r)" in text
    assert "alternating" not in text


def test_the_measured_table() -> None:
    results = json.loads(low_rank.DATA.read_text())
    assert {(case["d"], case["r"]) for case in results["cases"]} >= {(8, 1), (32, 2)}
    for case in results["cases"]:
        assert case["freedom"] == case["r"] * (2 * case["d"] - case["r"])
        assert case["exact"] == case["freedom"] + 2
        assert case["exact"] < case["alternating"] < case["nuclear"] < case["d"] ** 2
    assert len(low_rank.baseline_table(results).cells()) == len(results["cases"])
