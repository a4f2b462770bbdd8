"""Values of models: the definition, the batch path, invariances, overflow, and memory bounds."""

from __future__ import annotations

import math
import pickle
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_queries import AttentionModel, Base2, ExpField, Float, Head, InputError, Query, QueryBatch, ScoreTooLarge
from strategies import EXACT, SEMANTICS, models, queries, rationals, value_by_definition

names = pytest.mark.parametrize("name", list(SEMANTICS))
exact_names = pytest.mark.parametrize("name", list(EXACT))


@names
@given(st.data())
def test_value_is_the_definition(name: str, data: Any) -> None:
    model = data.draw(models(name))
    query = data.draw(queries(name, model.dim))
    assert model.semantics.equal(model.value(query), value_by_definition(model, query))


@names
@settings(max_examples=80)
@given(st.data())
def test_batches_agree_with_single_queries(name: str, data: Any) -> None:
    model = data.draw(models(name))
    asked = data.draw(st.lists(queries(name, model.dim), max_size=6))
    if asked and data.draw(st.booleans()):  # many queries with one query token
        last = asked[0].runs[-1]
        asked = [Query((*query.runs, last)) for query in asked]
    answers = model.values(QueryBatch.of(asked))
    assert all(map(model.semantics.equal, answers, map(model.value, asked)))
    assert len(answers) == len(asked)


@settings(max_examples=100)
@given(
    st.lists(st.integers(-(10**5), 10**5), min_size=4, max_size=4),
    st.lists(st.integers(-(10**30), 10**30), min_size=2, max_size=2),
    st.lists(queries("base2", 2), min_size=1, max_size=3),
)
def test_large_entries_take_the_big_integer_path(W: list[int], v: list[int], asked: list[Query]) -> None:
    model = AttentionModel(Base2(), 2, [Head([W[:2], W[2:]], v)])
    small = [Query(tuple((tuple(x % 3 - 1 for x in token), k) for token, k in query.runs)) for query in asked]
    assert model.values(QueryBatch.of(small)) == [model.value(query) for query in small]


@given(st.integers(-(2**70), 2**70), st.integers(-(2**70), 2**70), st.integers(1, 2**70))
def test_int64_never_overflows(w: int, x: int, y: int) -> None:
    """The exp semantics accepts any size: batch and single values agree far beyond 64 bits."""
    model = AttentionModel(ExpField(), 1, [Head([[w]], [y])])
    asked = [Query((((fmpq(x),), 1), ((fmpq(y),), 2))), Query((((fmpq(y),), 3), ((fmpq(1),), 1)))]
    assert model.values(QueryBatch.of(asked)) == [model.value(query) for query in asked]


def test_the_most_negative_integer() -> None:
    low = -(2**63)
    batch = QueryBatch.pairs(np.array([[low, low]]), np.array([1, 0]))
    model = AttentionModel(ExpField(), 2, [Head([[1, 0], [1, 0]], [1, 1])])
    assert model.values(batch) == [model.value(batch.query(0))]
    assert model.score_spans(batch) == [2**64 + 1]


@exact_names
@given(st.data())
def test_context_order_and_grouping_are_irrelevant(name: str, data: Any) -> None:
    model = data.draw(models(name))
    query = data.draw(queries(name, model.dim))
    *context, last = query.runs
    shuffled = Query((*data.draw(st.permutations(context)), last))
    assert model.value(shuffled) == model.value(query) == model.value(query.merged())


@exact_names
@given(st.data())
def test_length_one(name: str, data: Any) -> None:
    model = data.draw(models(name))
    q = data.draw(queries(name, model.dim)).token
    s = model.semantics
    inner = sum((s.cast(x) * y for head in model.heads for x, y in zip(q, head.v, strict=True)), s.value(0))
    assert model.value(Query(((q, 7),))) == inner


@given(st.data())
def test_values_may_be_irrational_in_the_exp_semantics(data: Any) -> None:
    model = data.draw(models("exp", max_heads=1, max_dim=2))
    (head,) = model.heads
    factor = ExpField().exp(data.draw(rationals))
    scaled = AttentionModel(ExpField(), model.dim, [Head(head.W, [factor * y for y in head.v])])
    asked = data.draw(st.lists(queries("exp", model.dim), min_size=1, max_size=3))
    answers = scaled.values(QueryBatch.of(asked))
    assert answers == [factor * model.value(query) for query in asked] == [scaled.value(query) for query in asked]


@pytest.mark.parametrize("many", [False, True])
def test_scores_that_do_not_fit_are_refused(many: bool) -> None:
    model = AttentionModel(Base2(), 1, [Head([[2**24 + 1]], [1])])
    query = Query((((0,), 1), ((1,), 1)))
    with pytest.raises(ScoreTooLarge, match="exp semantics"):
        model.values(QueryBatch.of([query])) if many else model.value(query)
    assert AttentionModel(ExpField(), 1, model.heads).value(Query.of([((0,), 1), ((1,), 1)], ExpField()))


def test_batches_that_do_not_fit_are_refused() -> None:
    model = AttentionModel(Base2(), 1, [Head([[2**23]], [1])])
    batch = QueryBatch([[0], [1]], [[(0, 1), (1, 1)]] * 129)
    with pytest.raises(ScoreTooLarge, match="fewer queries"):
        model.values(batch)


def test_a_wide_table_is_no_reason_to_refuse() -> None:
    """Spans count within a query only, not across the queries of a batch."""
    model = AttentionModel(Base2(), 1, [Head([[2**24]], [1])])
    batch = QueryBatch([[0], [1], [100]], [[(0, 1), (1, 1)], [(1, 1), (1, 1)], [(2, 3), (2, 1)]])
    assert model.values(batch) == [model.value(query) for query in batch]


def test_dimension_and_kind_of_tokens_are_checked() -> None:
    model = AttentionModel(Base2(), 2, [Head([[1, 0], [0, 1]], [1, 2])])
    with pytest.raises(InputError, match="dimension 2"):
        model.value(Query((((1,), 1),)))
    with pytest.raises(InputError, match="dimension 2"):
        model.values(QueryBatch.singles([[1]]))
    with pytest.raises(InputError, match="floating"):
        model.values(QueryBatch.singles(np.eye(2)))
    with pytest.raises(InputError, match="integer"):
        model.values(QueryBatch.singles([[fmpq(1, 2), 0]]))


def test_float_overflow_is_refused_quietly() -> None:
    model = AttentionModel(Float(), 1, [Head([[1e308]], [1e308])])
    query = Query((((1e10,), 1), ((1e10,), 1)))
    with pytest.raises(InputError, match="too large"):
        model.value(query)
    with pytest.raises(InputError, match="too large"):
        model.values(QueryBatch.of([query]))


@pytest.mark.parametrize(
    ("W", "v"), [([], []), ([[1]], []), ([[1, 2]], [1]), ([[1], [2]], [1, 2]), ([[1, 2], [3]], [1, 2]), ([], [1])]
)
def test_bad_shapes(W: Any, v: Any) -> None:
    with pytest.raises(InputError):
        Head(W, v)


def test_bad_entries_are_located() -> None:
    good = Head([[1, 2], [3, 4]], [1, 2])
    with pytest.raises(InputError, match=r"heads\[1\]\.W\[1\]\[0\]"):
        AttentionModel(Base2(), 2, [good, Head([[1, 2], [1.5, 4]], [1, 2])])
    with pytest.raises(InputError, match=r"heads\[0\]\.v\[1\]"):
        AttentionModel(Base2(), 2, [Head([[1, 2], [3, 4]], [1, True])])
    with pytest.raises(InputError):
        AttentionModel(Base2(), 3, [good])
    for dim in (0, -1, True, 2.0):
        with pytest.raises(InputError):
            AttentionModel(Base2(), dim, [])  # type: ignore[arg-type]


@names
@given(st.data())
def test_equality_hash_pickle(name: str, data: Any) -> None:
    model = data.draw(models(name))
    same = AttentionModel(model.semantics, model.dim, model.heads)
    assert same == model
    assert hash(same) == hash(model)
    assert pickle.loads(pickle.dumps(model.heads)) == model.heads
    assert model.parameters == len(model.heads) * (model.dim**2 + model.dim)
    changed = Head(model.heads[0].W, [y + 1 for y in model.heads[0].v])
    assert AttentionModel(model.semantics, model.dim, [changed, *model.heads[1:]]) != model


@exact_names
@given(st.data())
def test_canonical_heads_keep_the_function(name: str, data: Any) -> None:
    model = data.draw(models(name, max_heads=2, max_dim=2))
    first = model.heads[0]
    negative = Head(first.W, [-y for y in first.v])
    padded = AttentionModel(model.semantics, model.dim, [*reversed(model.heads), first, negative])
    assert padded.canonical_heads() == model.canonical_heads()
    query = data.draw(queries(name, model.dim))
    assert padded.value(query) == model.value(query)


def test_heads_are_immutable() -> None:
    head = Head([[1]], [1])
    with pytest.raises(AttributeError):
        head.W = ()  # type: ignore[misc]
    assert "Head" in repr(head)


def test_no_heads_is_the_zero_function() -> None:
    model = AttentionModel(Base2(), 2, [])
    assert model.value(Query((((1, 2), 3),))) == 0
    assert model.values(QueryBatch.singles([[1, 2]])) == [0]


@given(st.data())
def test_float_approximates_exp(data: Any) -> None:
    model = data.draw(models("base2", max_heads=1, max_dim=2))
    query = data.draw(queries("base2", model.dim).filter(lambda q: all(abs(x) <= 1 for t, _ in q.runs for x in t)))
    exact = AttentionModel(ExpField(), model.dim, model.heads).value(Query.of(query.runs, ExpField()))
    floating = AttentionModel(Float(), model.dim, model.heads).value(Query.of(query.runs, Float()))
    top, bottom = (
        sum(float(c.p) / float(c.q) * np.exp(float(q.p) / float(q.q)) for q, c in s.sorted_terms())
        for s in (exact.numerator, exact.denominator)
    )
    assert floating == pytest.approx(top / bottom, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("semantics", "token"),
    [
        (Base2(), (fmpq(1, 2), 0)),  # the scores are integers all the same
        (Base2(), (True, 0)),
        (Base2(), (1.0, 0)),
        (Base2(), (None, 0)),
        (ExpField(), (0.5, 0)),
        (Float(), (math.nan, 0)),
        (Float(), (10**400, 0)),
        (Float(), ("x", 0)),
    ],
)
def test_one_query_and_a_batch_refuse_the_same_tokens(semantics: Any, token: tuple[Any, ...]) -> None:
    model = AttentionModel(semantics, 2, [Head([[2, 0], [0, 2]], [1, 1])])
    for last in [token, (1, 0)]:
        query = Query(((token, 1), (last, 1)))
        with pytest.raises(InputError):
            model.value(query)
        with pytest.raises(InputError):
            model.values(QueryBatch.of([query]))


def test_tokens_of_other_kinds_are_read() -> None:
    model = AttentionModel(Base2(), 1, [Head([[4]], [1])])
    huge = np.array([2**62])  # 4·2^62 does not fit 64 bits
    assert model.value(Query(((huge, 1), (np.array([0]), 1)))) == fmpq(2**61)
    real = AttentionModel(Float(), 1, [Head([[0]], [1])])
    assert real.value(Query((((fmpq(1, 2),), 1), ((Fraction(1, 4),), 1)))) == 0.375
    exact = AttentionModel(ExpField(), 1, [Head([[0]], [1])])
    assert exact.value(Query((((Fraction(1, 2),), 1), (("1/4",), 1)))) == fmpq(3, 8)


@pytest.mark.parametrize("many", [False, True])
def test_sums_of_heads_that_overflow_are_refused(many: bool) -> None:
    model = AttentionModel(Float(), 1, [Head([[0]], [1e308]), Head([[1]], [1e308])])
    query: Query[float] = Query((((1.0,), 1),))
    with pytest.raises(InputError, match="not a finite"):
        model.values(QueryBatch.of([query])) if many else model.value(query)


def test_threads_share_a_model() -> None:
    model = AttentionModel(Base2(), 1, [Head([[1]], [1])])
    asked: list[Query[int]] = [Query((((1,), 1), ((q,), 1))) for q in range(8)]
    expected = list(map(model.value, asked))
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(model.value, asked * 50)) == expected * 50
