import random
from typing import Any

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_queries import AttentionModel, Base2, ExpField, Float, Head, InputError
from attention_queries.fibre import Fibre, canonical, equal, fibre
from attention_queries.generate import random_target
from attention_queries.separation import avoid_hyperplanes
from attention_queries.symbolic import symmetries_hold

SEMANTICS = [Base2(), ExpField()]


def matrix(rng: random.Random, d: int) -> list[list[int]]:
    return [[rng.randint(-3, 3) for _ in range(d)] for _ in range(d)]


def model(*heads: tuple[Any, Any], semantics: Any = SEMANTICS[0]) -> AttentionModel[Any, Any]:
    return AttentionModel(semantics, len(heads[0][1]), [Head(W, v) for W, v in heads])


def test_canonical_form_merges_and_drops() -> None:
    W, U = [[1, 0], [0, 1]], [[0, 1], [0, 0]]
    a = model((W, [1, 2]), (U, [3, 4]), (W, [1, -2]), (U, [-3, -4]))
    assert canonical(a) == model((W, [2, 0]))


def test_canonical_form_of_a_zero_function_has_no_head() -> None:
    a = model(([[5]], [2]), ([[5]], [-2]))
    assert canonical(a).heads == ()
    assert equal(a, AttentionModel(Base2(), 1, []))


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 4), st.sampled_from(SEMANTICS))
def test_members_of_the_fibre_are_equal(seed: int, d: int, heads: int, semantics: Any) -> None:
    a = random_target(semantics, d, heads=heads, seed=seed)
    padded = AttentionModel(semantics, d, [*a.heads, Head(a.heads[0].W, [0] * d), Head(a.heads[-1].W, [0] * d)])
    family = fibre(padded)
    member = family.sample(seed)
    assert len(member.heads) == heads + 2
    assert equal(a, member)
    assert canonical(a) == canonical(member) == family.canonical
    assert family.dimension == max(c.dimension for c in family.components()) == family.spare * d * d


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 5), st.sampled_from(SEMANTICS))
def test_a_changed_entry_is_seen_by_a_witness(seed: int, d: int, heads: int, semantics: Any) -> None:
    rng = random.Random(seed)
    a = random_target(semantics, d, heads=heads, seed=seed)
    changed = [([list(row) for row in head.W], list(head.v)) for head in a.heads]
    W, v = rng.choice(changed)
    if rng.random() < 0.5:
        W[rng.randrange(d)][rng.randrange(d)] += 1
    else:
        v[rng.randrange(d)] += fmpq(1, 3)
    b = model(*changed, semantics=semantics)
    comparison = equal(a, b)
    assert comparison.equal == (canonical(a) == canonical(b))
    if not comparison.equal:
        assert comparison.witness is not None
        assert comparison.values is not None
        assert comparison.witness.length <= 2 * heads + 2
        assert comparison.values == (a.value(comparison.witness), b.value(comparison.witness))
        assert comparison.values[0] != comparison.values[1]


def test_opposite_heads_need_length_three() -> None:
    W, U, v = [[1, 2], [0, 1]], [[0, 1], [1, 1]], [1, 1]
    minus = lambda A: [[-x for x in row] for row in A]  # noqa: E731
    comparison = equal(model((W, v), (minus(W), v)), model((U, v), (minus(U), v)))
    assert not comparison.equal
    assert comparison.witness is not None
    assert comparison.witness.length >= 3


def test_different_models_beyond_the_memory_bound_have_no_witness() -> None:
    comparison = equal(model(([[10**9]], [1])), model(([[10**9 + 1]], [1])))
    assert not comparison.equal
    assert comparison.witness is None


def test_components_of_one_spare_head() -> None:
    family = fibre(model(([[1]], [1]), ([[2]], [1]), ([[2]], [3])))
    assert not family.identifiable
    assert [(c.shared, c.free, c.dimension) for c in family.components()] == [
        ((1, 1), (1,), 1),
        ((1, 2), (), 1),
        ((2, 1), (), 1),
    ]
    assert family.redistributions == ((2, 1, 0),)
    assert family.movable == ()


@pytest.mark.parametrize(("needed", "spare"), [(0, 3), (1, 3), (2, 2), (3, 4)])
def test_components_are_distinct_counted_and_sorted(needed: int, spare: int) -> None:
    heads = [([[w]], [1]) for w in range(needed)] + [([[99]], [0])] * spare
    family = fibre(model(*heads))
    found = [(c.shared, c.free) for c in family.components()]
    assert len(found) == len(set(found)) == family.component_count
    assert all(sum(shared) + sum(free) == needed + spare for shared, free in found)
    dimensions = [c.dimension for c in family.components()]
    assert dimensions == sorted(dimensions, reverse=True)


def test_movable_groups_are_those_whose_values_cancel() -> None:
    a = model(([[1]], [1]), ([[2]], [0]), ([[3]], [1]), ([[3]], [-1]))
    assert fibre(a).movable == ((1,), (2, 3))


def test_a_reduced_model_is_identifiable() -> None:
    family: Fibre[Any, Any] = fibre(model(([[1]], [1]), ([[2]], [1])))
    assert family.identifiable
    assert family.dimension == 0
    assert {family.sample(s).heads for s in range(20)} == {
        family.model.heads,
        tuple(reversed(family.model.heads)),
    }


def test_models_that_cannot_be_compared() -> None:
    a = model(([[1]], [1]))
    with pytest.raises(InputError, match="different semantics: base2 and exp"):
        equal(a, model(([[1]], [1]), semantics=ExpField()))
    with pytest.raises(InputError, match="different dimensions: 1 and 2"):
        equal(a, model(([[1, 0], [0, 1]], [1, 1])))
    with pytest.raises(InputError, match="exact semantics only, not for float"):
        canonical(model(([[1]], [1]), semantics=Float()))


@given(st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3).filter(any), max_size=12))
def test_hyperplanes_are_avoided(functionals: list[list[int]]) -> None:
    u = avoid_hyperplanes(functionals, 3)
    assert all(sum(a * x for a, x in zip(f, u, strict=True)) != 0 for f in functionals)


@pytest.mark.parametrize(("dim", "heads", "tokens"), [(1, 1, 1), (2, 2, 3), (4, 4, 5)])
def test_symmetries_are_identities(dim: int, heads: int, tokens: int) -> None:
    assert symmetries_hold(dim, heads, tokens)


@pytest.mark.parametrize("sizes", [(0, 1, 1), (1, 0, 1), (1, 1, 0)])
def test_symmetries_of_nothing(sizes: tuple[int, int, int]) -> None:
    with pytest.raises(InputError):
        symmetries_hold(*sizes)
