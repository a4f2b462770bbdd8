"""Random targets."""

from __future__ import annotations

import pytest

from attention_queries import Base2, InputError
from attention_queries.generate import random_target
from strategies import SEMANTICS


@pytest.mark.parametrize("name", list(SEMANTICS))
def test_seeds_determine_targets(name: str) -> None:
    s = SEMANTICS[name]
    assert random_target(s, 3, heads=2, seed=5) == random_target(s, 3, heads=2, seed=5)
    assert random_target(s, 3, heads=2, seed=5) != random_target(s, 3, heads=2, seed=6)
    assert len(random_target(s, 3, heads=2).heads) == 2


def test_range_is_respected_and_reached() -> None:
    (head,) = random_target(Base2(), 20, low=-1, high=2, seed=1).heads
    assert {x for row in head.W for x in row} == {-1, 0, 1, 2}
    assert set(head.v) <= {-1, 0, 1, 2}


def test_v_is_never_zero() -> None:
    for seed in range(50):
        (head,) = random_target(Base2(), 1, low=0, high=1, seed=seed).heads
        assert head.v == (1,)


@pytest.mark.parametrize(
    "options",
    [
        {"dim": 0},
        {"dim": -1},
        {"dim": 10**9},
        {"dim": 2, "heads": 0},
        {"dim": 2, "heads": 10**9},
        {"dim": 4000, "heads": 4000},
        {"dim": 2, "low": 3, "high": 2},
        {"dim": 2, "low": 0, "high": 0},
    ],
)
def test_bad_options(options: dict[str, int]) -> None:
    with pytest.raises(InputError):
        random_target(Base2(), **options)
