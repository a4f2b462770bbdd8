"""Heads with biases: what of a layer is identifiable, exact counts, and the gauge that no query sees."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from flint import fmpq, fmpq_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_queries import (
    Base2,
    CallableOracle,
    ExpField,
    Float,
    InputError,
    ModelOracle,
    NotASingleHead,
    NotIdentifiable,
    Query,
    QueryBatch,
)
from attention_queries.generate import random_target
from attention_queries.learners.affine import learn_affine
from attention_queries.models.affine import AffineHead
from attention_queries.models.projected import ProjectedHead, gauge, gauge_between
from attention_queries.transcript import Transcript
from strategies import EXACT, SEMANTICS, integers, queries, scalars, values, vectors

exact_names = pytest.mark.parametrize("name", list(EXACT))


@st.composite
def affine_heads(draw: Any, name: str, max_dim: int = 4) -> AffineHead:
    d = draw(st.integers(1, max_dim))
    s, y = scalars(name), values(name)
    parts = (vectors(vectors(s, d), d), vectors(s, d), vectors(y, d), y)
    return AffineHead(SEMANTICS[name], *map(draw, parts))


@st.composite
def projected_heads(draw: Any, name: str, max_dim: int = 4, d: int | None = None) -> ProjectedHead:
    d = d or draw(st.integers(1, max_dim))
    r, m = draw(st.integers(1, max_dim)), draw(st.integers(0, max_dim))
    s, y = scalars(name), values(name)
    parts = (*(vectors(vectors(s, d), r), vectors(s, r)) * 2, vectors(vectors(y, d), m), vectors(y, m), vectors(y, m))
    return ProjectedHead(SEMANTICS[name], *map(draw, parts))


@st.composite
def unimodular(draw: Any, r: int) -> list[list[int]]:
    """An integer matrix with an integer inverse: a product of two triangular ones."""
    entries = [[draw(integers) for _ in range(r)] for _ in range(r)]
    lower = fmpq_mat([[entries[i][j] if j < i else int(i == j) for j in range(r)] for i in range(r)])
    upper = fmpq_mat([[entries[i][j] if j > i else int(i == j) for j in range(r)] for i in range(r)])
    return (lower * upper).tolist()


def nonzero(head: AffineHead) -> bool:
    return any(x != 0 for x in head.v)


def value_by_definition(head: AffineHead, query: Query) -> Any:
    s = head.semantics
    tokens = [token for token, k in query.runs for _ in range(k)]
    key = [sum(a * b for a, b in zip(row, query.token, strict=True)) + c for row, c in zip(head.W, head.c, strict=True)]
    weights = [s.exp(s.scalar(sum(a * b for a, b in zip(x, key, strict=True)))) for x in tokens]
    outputs = [sum(a * b for a, b in zip(x, head.v, strict=True)) + head.b for x in tokens]
    return sum(w * y for w, y in zip(weights, outputs, strict=True)) / sum(weights)


@exact_names
@settings(max_examples=120)
@given(st.data())
def test_recovers_every_head_exactly(name: str, data: Any) -> None:
    head = data.draw(affine_heads(name).filter(nonzero))
    d = head.dim
    learned = learn_affine(ModelOracle(head), seed=data.draw(st.integers(0, 9)))
    assert learned.model == head
    assert learned.learning.queries == (d + 1) ** 2 == head.parameters
    assert learned.learning.tokens == (d + 1) * (2 * d + 1)
    assert learned.learning.longest == 2
    assert learned.verification.queries == 8


def test_asks_the_queries_of_the_theorem() -> None:
    head = AffineHead(Base2(), [[1, 2], [3, 4]], [5, 6], [0, 7], 8)
    oracle, seen = ModelOracle(head), Transcript(Base2(), 2)
    oracle.sink = seen
    learn_affine(oracle)
    zero, e0, e1, u0, u1 = (0, 0), (1, 0), (0, 1), (1, 1), (0, 1)
    singles = [[zero], [e0], [e1]]
    pairs = [[u0, zero], [u1, zero], [(2, 1), e0], [(1, 1), e0], [(1, 2), e1], [(0, 2), e1]]
    asked = [[token for token, _ in entry.query.runs] for entry in seen.entries if not entry.check]
    assert asked == singles + pairs


@exact_names
@given(st.data())
def test_values_by_definition(name: str, data: Any) -> None:
    head = data.draw(affine_heads(name))
    some = data.draw(st.lists(queries(name, head.dim), min_size=1, max_size=3))
    expected = [value_by_definition(head, query) for query in some]
    assert head.values(QueryBatch.of(some)) == expected == [head.value(query) for query in some]


def test_no_queries() -> None:
    assert AffineHead(Base2(), [[1]], [0], [1], 0).values(QueryBatch.of([])) == []


def test_without_biases_it_is_a_head() -> None:
    model = random_target(Base2(), 3, seed=5)
    (head,) = model.heads
    learned = learn_affine(ModelOracle(model)).model
    assert learned == AffineHead(Base2(), head.W, [0] * 3, head.v, 0)


def test_float_is_close() -> None:
    (head,) = random_target(Float(), 4, seed=2).heads
    affine = AffineHead(Float(), head.W, [0.5, -1, 0, 2], head.v, 0.25)
    learned = learn_affine(ModelOracle(affine)).model
    assert [x for row in learned.W for x in row] == pytest.approx([x for row in head.W for x in row], abs=1e-6)
    assert learned.c == pytest.approx(affine.c, abs=1e-6)
    assert (*learned.v, learned.b) == pytest.approx((*affine.v, affine.b))


@exact_names
@given(st.data())
def test_zero_v_is_not_identifiable(name: str, data: Any) -> None:
    head = data.draw(affine_heads(name))
    constant = AffineHead(head.semantics, head.W, head.c, [0] * head.dim, head.b)
    with pytest.raises(NotIdentifiable, match="v = 0, so W and c are not identifiable"):
        learn_affine(ModelOracle(constant))
    assert constant.value(data.draw(queries(name, head.dim))) == head.b
    other = AffineHead(head.semantics, [[1] * head.dim] * head.dim, [2] * head.dim, [0] * head.dim, head.b)
    assert constant.canonical() == other.canonical()


def test_other_functions_are_noticed() -> None:
    first = AffineHead(Base2(), [[1]], [2], [1], 3)
    second = AffineHead(Base2(), [[0]], [1], [2], -3)
    oracle = CallableOracle(lambda runs: first.value(Query(tuple(runs))) + second.value(Query(tuple(runs))), Base2(), 1)
    with pytest.raises(NotASingleHead, match="the odds"):
        learn_affine(oracle)
    longer = CallableOracle(lambda runs: first.value(Query(tuple(runs))) + (len(runs) > 2), Base2(), 1)
    with pytest.raises(NotASingleHead, match="where the recovered model gives"):
        learn_affine(longer)
    constant = CallableOracle(lambda runs: 5 + (len(runs) > 1), Base2(), 1)
    with pytest.raises(NotASingleHead, match="the same to every single token"):
        learn_affine(constant)


@exact_names
@given(st.data())
def test_a_layer_is_an_affine_head(name: str, data: Any) -> None:
    """The layer is evaluated from its definition, key bias included; the affine head does not know that bias."""
    layer = data.draw(projected_heads(name))
    query = data.draw(queries(name, layer.dim))
    assert layer.value(query) == layer.affine().value(query)
    assert layer.score_spans(QueryBatch.of([query])) == layer.affine().score_spans(QueryBatch.of([query]))
    bias = data.draw(vectors(scalars(name), len(layer.key)))
    assert replace(layer, key_bias=bias).value(query) == layer.value(query)


@exact_names
@given(st.data())
def test_learning_a_layer(name: str, data: Any) -> None:
    layer = data.draw(projected_heads(name).filter(lambda layer: nonzero(layer.affine())))
    assert learn_affine(ModelOracle(layer)).model == layer.affine()


@exact_names
@given(st.data())
def test_layers_in_one_gauge_orbit(name: str, data: Any) -> None:
    layer = data.draw(projected_heads(name))
    A = data.draw(unimodular(len(layer.key)))
    other = replace(gauge(layer, A), key_bias=data.draw(vectors(scalars(name), len(layer.key))))
    query = data.draw(queries(name, layer.dim))
    assert other.value(query) == layer.value(query)
    assert other.affine() == layer.affine()
    if nonzero(layer.affine()):
        assert learn_affine(ModelOracle(other)).model == learn_affine(ModelOracle(layer)).model


@exact_names
@given(st.data())
def test_the_gauge_is_found_again(name: str, data: Any) -> None:
    layer = data.draw(projected_heads(name))
    r = len(layer.key)
    A = data.draw(unimodular(r))
    if fmpq_mat([list(map(fmpq, row)) for row in layer.affine().W]).rank() < r:
        with pytest.raises(InputError, match="not unique"):
            gauge_between(layer, gauge(layer, A))
        return
    assert gauge_between(layer, gauge(layer, A)) == fmpq_mat(A)
    other = data.draw(projected_heads(name, d=layer.dim))
    found, first, second = gauge_between(layer, other), layer.affine(), other.affine()
    same_scores = (first.W, first.c) == (second.W, second.c) and len(other.key) == r
    assert (found is not None) == same_scores


def test_rational_gauge_in_the_exp_semantics() -> None:
    layer = ProjectedHead(ExpField(), [[1, 2], [0, 3]], [1, 1], [[2, 0], [1, 1]], [5, -1], [[1, 0]], [4], [2])
    A = [[fmpq(1, 2), 3], [1, fmpq(-2, 7)]]
    other = gauge(layer, A)
    assert other.affine() == layer.affine() == AffineHead(ExpField(), [[2, 0], [7, 3]], [5, 7], [2, 0], 8)
    assert gauge_between(layer, other) == fmpq_mat(A)
    assert gauge_between(layer, replace(other, query_bias=layer.query_bias)) is None


def test_conditions_of_the_gauge_are_needed() -> None:
    """Without full rank, or with a value vector 0, equal functions need not be related by any `A`."""

    def small(k: int, q: int, v: int) -> ProjectedHead:
        return ProjectedHead(Base2(), [[k]], [0], [[q]], [0], [[v]], [0], [1])

    assert small(1, 0, 1).affine() == small(0, 0, 1).affine()
    with pytest.raises(InputError, match="not unique"):
        gauge_between(small(1, 0, 1), small(0, 0, 1))
    assert small(1, 1, 0).affine().canonical() == small(1, 0, 0).affine().canonical()
    assert gauge_between(small(1, 1, 0), small(1, 0, 0)) is None


@pytest.mark.parametrize(
    ("A", "message"),
    [
        ([[1, 0]], "2x2 matrix, not 1x2"),
        ([[1, 2], [2, 4]], "not invertible"),
        ([[2, 0], [0, 1]], "not an integer"),
        ([[1, 0], [0]], "rows of equal length"),
        ([[1.5, 0], [0, 1]], "floating-point"),
    ],
)
def test_bad_gauges(A: Any, message: str) -> None:
    layer = ProjectedHead(Base2(), [[1, 0], [0, 1]], [0, 0], [[1, 0], [0, 1]], [0, 0], [[1, 1]], [0], [1])
    with pytest.raises(InputError, match=message):
        gauge(layer, A)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"key": []}, "key is empty"),
        ({"key": [[]]}, "key is empty"),
        ({"query": [[1]]}, "the same length, which is 2"),
        ({"query_bias": [1, 2]}, "key, query and their biases"),
        ({"readout": []}, "value_matrix, value_bias and readout"),
        ({"key_bias": [fmpq(1, 2)]}, "key_bias: .*not an integer"),
    ],
)
def test_bad_layers(changed: dict[str, Any], message: str) -> None:
    layer = ProjectedHead(Base2(), [[1, 2]], [0], [[3, 4]], [0], [[1, 0]], [0], [1])
    with pytest.raises(InputError, match=message):
        replace(layer, **changed)


def test_bad_affine_heads_and_queries() -> None:
    with pytest.raises(InputError, match="c has length 2 and v has length 1"):
        AffineHead(Base2(), [[1]], [0, 0], [1], 0)
    with pytest.raises(InputError, match="W has size 2"):
        AffineHead(Base2(), [[1, 1], [1, 1]], [0], [1], 0)
    head = AffineHead(Base2(), [[1]], [0], [1], 0)
    layer = ProjectedHead(Base2(), [[1]], [0], [[1]], [0], [[1]], [0], [1])
    for model in (head, layer):
        with pytest.raises(InputError, match="tokens of length 2, the model has dimension 1"):
            model.value(Query((((0, 0), 1),)))
