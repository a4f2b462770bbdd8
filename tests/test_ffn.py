"""ReLU networks: canonical form, values, and the learner that comes with the package."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from attention_queries import ExpFraction, InputError
from attention_queries.errors import SearchExhausted
from attention_queries.learners.ffn import KnownNetwork, learn_ffn
from attention_queries.semantics.sign import sign
from attention_queries.transformer import Neuron, ReluNetwork

small = st.builds(fmpq, st.integers(-4, 4), st.sampled_from([1, 1, 2, 3]))


@st.composite
def networks(draw: Any, max_dim: int = 3, max_hidden: int = 4) -> ReluNetwork:
    d = draw(st.integers(1, max_dim))
    vector = st.tuples(*[small] * d)
    hidden = draw(st.lists(st.tuples(small, vector, small), max_size=max_hidden))
    return ReluNetwork(hidden, draw(vector), draw(small))


def by_definition(network: ReluNetwork, z: Any) -> Any:
    def dot(w: Any) -> Any:
        return sum((a * b for a, b in zip(w, z, strict=True)), fmpq(0))

    relus = [n.a * max(dot(n.w) + n.c, fmpq(0)) for n in network.hidden]
    return sum(relus, fmpq(0)) + dot(network.linear) + network.constant


@given(networks(), st.data())
def test_values_and_canonical_form(network: ReluNetwork, data: Any) -> None:
    z = data.draw(st.tuples(*[small] * network.dim))
    form = network.canonical()
    assert network.value(z) == form.value(z) == by_definition(network, z)
    planes = [(n.w, n.c) for n in form.hidden]
    assert planes == sorted(set(planes))
    assert all(next(x for x in n.w if x != 0) == 1 and n.a != 0 for n in form.hidden)
    assert form.canonical() == form


@given(networks(), networks())
def test_canonical_forms_differ_only_for_different_functions(a: ReluNetwork, b: ReluNetwork) -> None:
    if a.dim == b.dim and a.canonical() != b.canonical():
        rng = random.Random(0)
        points = [[fmpq(rng.randint(-99, 99), 8) for _ in range(a.dim)] for _ in range(400)]
        assert any(a.value(z) != b.value(z) for z in points)


def test_different_ways_to_write_one_network() -> None:
    flipped = ReluNetwork([(1, [-2, 1], 3)], [0, 0])
    written = ReluNetwork([(1, [2, -1], -3)], [-2, 1], 3)
    assert flipped.canonical() == written.canonical() == ReluNetwork([(2, [1, "-1/2"], "-3/2")], [-2, 1], 3)
    assert ReluNetwork([(1, [1], 0), (-2, [2], 0), (3, [1], 0)], [5]).canonical() == ReluNetwork([], [5])
    assert ReluNetwork([(3, [0], 2), (3, [0], -2)], [1]).canonical() == ReluNetwork([], [1], 6)
    assert ReluNetwork([(1, [1], 0), (1, [-1], 0)], [0]).canonical() == ReluNetwork([(2, [1], 0)], [-1])


def test_bad_networks() -> None:
    for hidden, linear in (([], []), ([(1, [1, 2], 0)], [1]), ([(0.5, [1], 0)], [1]), ([], ["x"])):
        with pytest.raises(InputError):
            ReluNetwork(hidden, linear)
    with pytest.raises(AttributeError):
        ReluNetwork([], [1]).dim = 2


def test_sign_of_exponential_sums() -> None:
    e = ExpFraction.power(1)
    assert [sign(x) for x in (fmpq(-1, 2), 0.0, e - 3, 3 - e, e - e, 1 / (2 - e))] == [-1, 0, -1, 1, 0, -1]
    # e is close to a convergent of its continued fraction: 64 bits of precision do not tell them apart.
    close = Fraction(0)
    for n in reversed([2, 1, *(x for k in range(1, 30) for x in (2 * k, 1, 1))]):
        close = n + (1 / close if close else Fraction(0))
    assert sign(e - close) == -sign(close - e) != 0


@given(networks(max_dim=4, max_hidden=5), st.integers(0, 99))
def test_the_learner_recovers_random_networks(network: ReluNetwork, seed: int) -> None:
    oracle = KnownNetwork(network)
    assert learn_ffn(oracle, seed=seed) == network.canonical()


def tent(w: list[int], c: int, width: Any = 1) -> list[Any]:
    return [(1, w, c + width), (-2, w, c), (1, w, c - width)]


@pytest.mark.parametrize("dim", [1, 2, 5])
@pytest.mark.parametrize("position", range(-4, 5))
def test_tents(dim: int, position: int) -> None:
    rng = random.Random(100 * dim + position)
    w = [rng.choice([-3, -1, 1, 2]) for _ in range(dim)]
    for others in ([], tent(list(reversed(w)), 2 - position), [(1, [1] * dim, 1)]):
        network = ReluNetwork([*tent(w, position), *others], [1] * dim, 2)
        assert learn_ffn(KnownNetwork(network), seed=position + 4) == network.canonical()


def test_a_narrow_tent_needs_a_finer_grid() -> None:
    network = ReluNetwork(tent([1, 1], -3, fmpq(1, 50)), [0, 1], 0)
    assert learn_ffn(KnownNetwork(network), cells=256) == network.canonical()


@pytest.mark.parametrize(
    "network",
    [
        ReluNetwork([(1, [1000, 1], 3), (1, [1, -999], 3)], [0, 0]),
        ReluNetwork([(1, [fmpq(1, 7), fmpq(2, 9)], 10**9), (-1, [10**6, 10**6 + 1], 1)], [0, 0]),
        ReluNetwork([(1, [1, 1], c) for c in range(8)], [0, 0]),
        ReluNetwork([(fmpq(1, 10**20), [1, 10**20], 0)], [10**30, 0], fmpq(1, 3)),
        ReluNetwork([], [1, 2], 3),
        ReluNetwork([], [0, 0], 0),
    ],
)
def test_unusual_sizes(network: ReluNetwork) -> None:
    assert learn_ffn(KnownNetwork(network), seed=1) == network.canonical()


def test_few_queries_beside_the_grid() -> None:
    rng = random.Random(5)
    hidden = [(1, [rng.randint(-3, 3) or 1 for _ in range(6)], rng.randint(-5, 5)) for _ in range(6)]
    oracle = KnownNetwork(ReluNetwork(hidden, [1] * 6, 1))
    network = learn_ffn(oracle, cells=0)
    assert network == oracle.network.canonical()
    assert oracle.queries < 3 * network.parameters


class _Function:
    """Any function as an oracle."""

    dim, exact = 1, True

    def __init__(self, f: Any) -> None:
        self._f = f

    def values(self, points: Any) -> list[Any]:
        return [self._f(fmpq(z[0])) for z in points]


@pytest.mark.parametrize("f", [lambda x: x * x, lambda x: fmpq(int(x > 0)), lambda x: fmpq(x.floor())])
def test_functions_that_are_no_networks(f: Any) -> None:
    with pytest.raises(SearchExhausted):
        learn_ffn(_Function(f))


@pytest.mark.parametrize("options", [{"height": 0}, {"height": 1.5}, {"cells": -1}])
def test_bad_options(options: Any) -> None:
    with pytest.raises(InputError):
        learn_ffn(KnownNetwork(ReluNetwork([], [1])), **options)


@pytest.mark.parametrize("dim", [1, 3, 6])
@pytest.mark.parametrize("hidden", [0, 2, 5])
def test_floating_point(dim: int, hidden: int) -> None:
    rng = random.Random(10 * dim + hidden)

    def vector() -> list[float]:
        return [rng.gauss(0, 1) for _ in range(dim)]

    neurons = [Neuron(rng.gauss(0, 1), tuple(vector()), rng.gauss(0, 1)) for _ in range(hidden)]
    network = ReluNetwork(neurons, vector(), 0.5, exact=False)
    learned, form = learn_ffn(KnownNetwork(network)), network.canonical()
    assert len(learned.hidden) == hidden
    for mine, theirs in zip(learned.hidden, form.hidden, strict=True):
        assert (mine.a, *mine.w, mine.c) == pytest.approx((theirs.a, *theirs.w, theirs.c), abs=1e-5)
    assert learned.linear == pytest.approx(form.linear, abs=1e-5)
