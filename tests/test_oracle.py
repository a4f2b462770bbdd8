"""Oracles: counting, checking answers, recording."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_queries import Base2, CallableOracle, InputError, ModelOracle, Query, QueryBatch, QueryCount
from attention_queries.transcript import Transcript
from strategies import SEMANTICS, models, queries

names = pytest.mark.parametrize("name", list(SEMANTICS))


@names
@given(st.data())
def test_all_ways_of_asking_agree_and_count_alike(name: str, data: Any) -> None:
    model = data.draw(models(name))
    asked = data.draw(st.lists(queries(name, model.dim), min_size=1, max_size=4))
    batched, single = ModelOracle(model), ModelOracle(model)
    called = CallableOracle(lambda runs: model.value(Query(tuple(runs))), model.semantics, model.dim)
    answers = batched.many(QueryBatch.of(asked))
    assert all(map(model.semantics.equal, answers, map(single.ask, asked)))
    assert all(map(model.semantics.equal, answers, called.many(QueryBatch.of(asked))))
    assert (batched.count.queries, batched.count.tokens, batched.count.longest) == (
        len(asked),
        sum(q.length for q in asked),
        max(q.length for q in asked),
    )
    if model.semantics.exact:
        assert batched.count == single.count == called.count
    assert batched.count.bits >= len(asked)


def test_callables_get_scalars_of_the_semantics() -> None:
    seen = []

    def answer(runs: Any) -> int:
        seen.append(runs)
        return 5

    oracle = CallableOracle(answer, SEMANTICS["float"], 2)
    assert oracle.many(QueryBatch.pairs([[1, 2]], [0, 1], 3)) == [5.0]
    assert seen == [[((1.0, 2.0), 3), ((0.0, 1.0), 1)]]
    assert {type(x) for token, _ in seen[0] for x in token} == {float}


@pytest.mark.parametrize("answer", [None, float("nan"), 0.5, True, "x", [1], object])
def test_bad_answers_name_the_query(answer: object) -> None:
    oracle = CallableOracle(lambda runs: answer, Base2(), 1)
    with pytest.raises(InputError, match=r"\[\(3\) x2\]"):
        oracle.ask(Query((((3,), 2),)))
    with pytest.raises(InputError, match=r"\[\(3\)\]"):
        oracle.many(QueryBatch.singles([[3]]))
    assert oracle.count == QueryCount()


def test_wrong_dimension() -> None:
    oracle = CallableOracle(lambda runs: 0, Base2(), 2)
    with pytest.raises(InputError, match="dimension 2"):
        oracle.ask(Query((((3,), 2),)))
    with pytest.raises(InputError, match="dimension 2"):
        oracle.many(QueryBatch.singles([[3]]))
    with pytest.raises(InputError):
        CallableOracle(lambda runs: 0, Base2(), 0)
    assert oracle.many(QueryBatch.singles([])) == []


def test_counting_apart() -> None:
    oracle = CallableOracle(lambda runs: 1, Base2(), 1)
    oracle.sink = transcript = Transcript(Base2(), 1)
    query = Query((((1,), 4),))
    oracle.ask(query)
    with oracle.fresh_count() as apart:
        oracle.ask(query)
        with oracle.counting(QueryCount()) as inner:
            oracle.ask(query)
    oracle.ask(query)
    assert (oracle.count.queries, apart.queries, inner.queries) == (2, 1, 1)
    assert [entry.check for entry in transcript.entries] == [False, True, True, False]
    with pytest.raises(RuntimeError), oracle.fresh_count():
        raise RuntimeError
    oracle.ask(query)
    assert oracle.count.queries == 3
    assert oracle.count.as_dict() == {"queries": 3, "tokens": 12, "longest": 4, "bits": 6}
    assert not transcript.entries[-1].check
