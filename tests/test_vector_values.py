"""Heads with vector outputs: many scores from one query, exact counts, and honest refusals."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from flint import fmpq, fmpq_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_queries import (
    AttentionModel,
    Base2,
    CallableOracle,
    ExpField,
    ExpFraction,
    Float,
    Head,
    InputError,
    ModelOracle,
    NotASingleHead,
    NotIdentifiable,
    Query,
    QueryBatch,
    learn_single_head,
)
from attention_queries.errors import NotAPower
from attention_queries.learners.span import Span
from attention_queries.learners.vector_values import formula, learn_vector_values
from attention_queries.models.vector import VectorHead
from attention_queries.semantics.vectors import VectorValues
from attention_queries.transcript import Transcript
from strategies import EXACT, queries, rationals, scalars, values, vectors

exact_names = pytest.mark.parametrize("name", list(EXACT))
E = ExpFraction.power(1)


@st.composite
def heads(draw: Any, name: str, max_dim: int = 4) -> VectorHead:
    """Value matrices of all ranks: products of two random matrices."""
    d, m, r = draw(st.integers(1, max_dim)), draw(st.integers(1, max_dim)), draw(st.integers(1, max_dim))
    left, right = draw(vectors(vectors(values(name), r), m)), draw(vectors(vectors(values(name), d), r))
    V = [[sum(a * b for a, b in zip(row, c, strict=True)) for c in zip(*right, strict=True)] for row in left]
    return VectorHead(EXACT[name], draw(vectors(vectors(scalars(name), d), d)), V)


def nonzero(head: VectorHead) -> bool:
    return any(x != 0 for row in head.value_matrix for x in row)


def rank(head: VectorHead) -> int:
    rows = [[x.as_rational() if isinstance(x, ExpFraction) else x for x in row] for row in head.value_matrix]
    return int(fmpq_mat(rows).rank())


def random_rows(rng: random.Random, rows: int, columns: int) -> list[list[int]]:
    return [[rng.randint(-3, 3) for _ in range(columns)] for _ in range(rows)]


@exact_names
@settings(max_examples=120)
@given(st.data())
def test_recovers_every_head_exactly(name: str, data: Any) -> None:
    head = data.draw(heads(name).filter(nonzero))
    oracle = ModelOracle(head)
    learned = learn_vector_values(oracle, seed=data.draw(st.integers(0, 9)))
    assert learned.model == head
    d, r = head.dim, rank(head)
    assert learned.learning.queries == formula(d, r)
    assert learned.learning.longest == r + 1
    assert learned.learning.tokens == formula(d, r) + d * d
    assert learned.verification.queries == 8
    assert oracle.count.queries == 0


@exact_names
@given(st.data())
def test_coordinates_are_heads(name: str, data: Any) -> None:
    head = data.draw(heads(name))
    some = data.draw(st.lists(queries(name, head.dim), max_size=3))
    models = [AttentionModel(EXACT[name], head.dim, [Head(head.W, row)]) for row in head.value_matrix]
    expected = [tuple(model.value(query) for model in models) for query in some]
    assert head.values(QueryBatch.of(some)) == expected == [head.value(query) for query in some]


@pytest.mark.parametrize("shape", [(6, 6), (9, 6), (3, 7), (2, 7), (1, 5)])
def test_counts(shape: tuple[int, int]) -> None:
    """Two queries for each coordinate when `V` has full column rank; one score a query when it has one row."""
    m, d = shape
    rng = random.Random(m)
    head = VectorHead(Base2(), random_rows(rng, d, d), random_rows(rng, m, d))
    assert rank(head) == min(m, d)
    learned = learn_vector_values(ModelOracle(head))
    assert learned.model == head
    assert learned.learning.queries == {6: 2 * 6, 7: 7 + 7 * (3 if m == 3 else 4), 5: 5 + 25}[d]


def test_one_row_is_the_learner_for_scalars() -> None:
    W, v = [[1, -2, 0], [3, 0, 4], [-5, 1, 2]], [0, 2, 0]
    head, model = VectorHead(Base2(), W, [v]), AttentionModel(Base2(), 3, [Head(W, v)])
    seen, expected = Transcript(Base2(), 3), Transcript(Base2(), 3)
    oracle, scalar = ModelOracle(head), ModelOracle(model)
    oracle.sink, scalar.sink = seen, expected
    learn_vector_values(oracle)
    learn_single_head(scalar)
    asked, wanted = ({entry.query for entry in t.entries if not entry.check} for t in (seen, expected))
    assert asked == wanted


@pytest.mark.parametrize("V", [[[0, 0, 5], [0, 0, 0]], [[1, 1, 1], [2, 2, 2]], [[1, -1, 0], [0, 1, -1]]])
def test_dependent_columns(V: list[list[int]]) -> None:
    head = VectorHead(Base2(), [[1, 2, 3], [-4, 50, -6], [7, 8, -900]], V)
    assert learn_vector_values(ModelOracle(head)).model == head


def test_irrational_values() -> None:
    head = VectorHead(ExpField(), [[1, fmpq(-1, 2)], [0, 3]], [[E, 1], [1, E + 1], [2 / (1 + E), 0]])
    assert learn_vector_values(ModelOracle(head)).model == head


def test_any_callable_is_an_oracle() -> None:
    head = VectorHead(Base2(), [[1, 2], [3, 4]], [[1, 2], [0, 1]])
    oracle = CallableOracle(lambda runs: list(head.value(Query(tuple(runs)))), VectorValues(Base2(), 2), 2)
    learned = learn_vector_values(oracle)
    assert learned == learn_vector_values(ModelOracle(head))
    assert learned.learning.bits > 0


@exact_names
@given(st.data())
def test_zero_matrix_is_not_identifiable(name: str, data: Any) -> None:
    head = data.draw(heads(name))
    zero = VectorHead(EXACT[name], head.W, [[0] * head.dim] * len(head.value_matrix))
    with pytest.raises(NotIdentifiable, match="V = 0, so W is not identifiable"):
        learn_vector_values(ModelOracle(zero))
    assert not any(x for row in zero.canonical().W for x in row)
    assert head.canonical() == head or not nonzero(head)


def test_two_heads_are_not_one() -> None:
    rng = random.Random(1)
    pair = [VectorHead(Base2(), random_rows(rng, 3, 3), random_rows(rng, 2, 3)) for _ in range(2)]

    def both(runs: Sequence[Any]) -> list[Any]:
        answers = [head.value(Query(tuple(runs))) for head in pair]
        return [x + y for x, y in zip(*answers, strict=True)]

    with pytest.raises(NotASingleHead) as caught:
        learn_vector_values(CallableOracle(both, VectorValues(Base2(), 2), 3))
    assert caught.value.answer == tuple(both(caught.value.query.runs))


def test_coordinates_with_different_scores_are_noticed() -> None:
    """Each coordinate is a head, but not with the same scores: the answer is no mean of values."""
    heads = [AttentionModel(Base2(), 1, [Head([[w]], [1])]) for w in (1, 2)]
    oracle = CallableOracle(lambda runs: [h.value(Query(tuple(runs))) for h in heads], VectorValues(Base2(), 2), 1)
    with pytest.raises(NotASingleHead, match="no mean of the values"):
        learn_vector_values(oracle)


@pytest.mark.parametrize(
    ("answer", "why"), [((1, 1), "weight 0"), ((4, 3), "the odds"), ((fmpq(1, 3), fmpq(1, 2)), "the odds")]
)
def test_impossible_weights(answer: Any, why: str) -> None:
    """With `V` the identity, answers at `q = e_1` beside it are weights, which these are not."""
    singles = {((1, 0),): (1, 0), ((0, 1),): (0, 1)}
    oracle = CallableOracle(
        lambda runs: singles.get(tuple(token for token, _ in runs), answer), VectorValues(Base2(), 2), 2
    )
    with pytest.raises(NotASingleHead, match=why):
        learn_vector_values(oracle)


def test_zero_on_single_tokens_only() -> None:
    oracle = CallableOracle(lambda runs: [int(len(runs) > 1), 0], VectorValues(Base2(), 2), 2)
    with pytest.raises(NotASingleHead, match="0 to every single token"):
        learn_vector_values(oracle)


def test_a_wrong_answer_on_a_fresh_query_is_shown() -> None:
    head = VectorHead(Base2(), [[1, 0], [0, 1]], [[1, 0], [0, 1]])

    def long_ones_are_off(runs: Sequence[Any]) -> Any:
        return head.value(Query(tuple(runs))) if len(runs) <= 3 else (fmpq(1, 2), 7)

    with pytest.raises(NotASingleHead, match=r'answers \["1/2", 7\]'):
        learn_vector_values(CallableOracle(long_ones_are_off, VectorValues(Base2(), 2), 2))


@pytest.mark.parametrize("semantics", [Base2(), VectorValues(Float(), 2)])
def test_other_semantics_are_refused(semantics: Any) -> None:
    with pytest.raises(InputError, match="vectors of exact values"):
        learn_vector_values(CallableOracle(lambda runs: 0, semantics, 2))


@pytest.mark.parametrize(
    ("W", "V", "message"),
    [
        ([[1]], [], "positive integer"),
        ([[1]], [[1, 2]], "with row 0 of V as v"),
        ([[1]], [[1], [0.5]], "with row 1 of V as v"),
        ([[fmpq(1, 2)]], [[1]], "not an integer"),
    ],
)
def test_bad_heads(W: Any, V: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        VectorHead(Base2(), W, V)


def test_vector_values() -> None:
    s = VectorValues(Base2(), 2)
    assert s.value('[1, "1/3"]') == s.value([1, fmpq(1, 3)]) == (1, fmpq(1, 3))
    assert s.value(s.format_value((fmpq(1, 3), fmpq(2)))) == (fmpq(1, 3), 2)
    assert s.log(s.exp(5)) == 5
    assert s.cast(3) == (3, 3)
    assert s.softmax_mean([0, 1], [1, 1], [(0, 3), (3, 0)]) == (2, 1)
    assert (s, hash(s)) == (VectorValues(Base2(), 2), hash(VectorValues(Base2(), 2)))
    assert s != VectorValues(Base2(), 3)
    assert s.max_span == Base2.max_span
    with pytest.raises(NotAPower, match="differ"):
        s.log((fmpq(1), fmpq(2)))


@pytest.mark.parametrize("bad", [1, "1", "[1", None, [1], [1, 2, 3], [1, 0.5], {1: 2}])
def test_answers_that_are_no_vectors(bad: Any) -> None:
    oracle = CallableOracle(lambda runs: bad, VectorValues(Base2(), 2), 1)
    with pytest.raises(InputError, match=r"the oracle's answer to \[\(1\)\] cannot be used"):
        learn_vector_values(oracle)


@given(st.data())
def test_span(data: Any) -> None:
    n = data.draw(st.integers(1, 4))
    given_vectors = data.draw(st.lists(vectors(rationals, n), max_size=5))
    span, taken = Span(), []
    for x in given_vectors:
        independent = fmpq_mat([*taken, x]).rank() > len(taken)
        assert span.add(x) == independent
        taken += [x] if independent else []
    assert len(span) == len(taken)
    coefficients = data.draw(vectors(rationals, len(taken)))
    combination = [sum((c * x[a] for c, x in zip(coefficients, taken, strict=True)), fmpq(0)) for a in range(n)]
    assert span.coordinates(combination) == list(coefficients)
    other = data.draw(vectors(rationals, n))
    assert (span.coordinates(other) is None) == (fmpq_mat([*taken, other]).rank() > len(taken))
