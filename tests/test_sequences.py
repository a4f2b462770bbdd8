"""Queries and batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from attention_queries import Base2, ExpField, InputError, Query, QueryBatch
from strategies import SEMANTICS, queries

names = pytest.mark.parametrize("name", list(SEMANTICS))


@given(queries("exp", 2))
def test_parts_of_a_query(query: Query) -> None:
    tokens = [token for token, copies in query.runs for _ in range(copies)]
    assert query.length == len(tokens)
    assert query.token == tokens[-1]
    assert [token for token, copies in query.context for _ in range(copies)] == tokens[:-1]
    assert query.dim == 2


@given(queries("base2", 1))
def test_merging_keeps_the_multiset_and_the_query_token(query: Query) -> None:
    merged = query.merged()
    tokens = [token for token, _ in merged.runs]
    assert len(set(tokens)) == len(tokens)
    assert merged.token == query.token
    assert merged.length == query.length
    assert all(copies == sum(k for t, k in query.runs if t == token) for token, copies in merged.runs)


@names
@given(st.data())
def test_a_batch_gives_back_its_queries(name: str, data: Any) -> None:
    given_queries = data.draw(st.lists(queries(name, 3), max_size=5))
    batch = QueryBatch.of(given_queries)
    assert len(batch) == len(given_queries)
    assert list(batch) == given_queries
    assert batch.lengths == [query.length for query in given_queries]


@given(st.lists(st.tuples(*[st.integers(-(10**25), 10**25)] * 2), min_size=1, max_size=3), st.integers(1, 3))
def test_pairs_with_large_integers(rows: list[tuple[int, int]], k: int) -> None:
    batch = QueryBatch.pairs(rows, (1, -1), k, 2)
    assert list(batch) == [Query(((row, k), ((1, -1), 2))) for row in rows]
    assert batch.lengths == [k + 2] * len(rows)


def test_pairs_with_different_denominators() -> None:
    batch = QueryBatch.pairs([[fmpq(1, 2), 0], [1, fmpq(1, 3)]], [fmpq(1, 5), 1])
    q = (fmpq(1, 5), fmpq(1))
    assert list(batch) == [Query((((fmpq(1, 2), fmpq(0)), 1), (q, 1))), Query((((fmpq(1), fmpq(1, 3)), 1), (q, 1)))]


def test_singles_and_unsigned_or_short_integers() -> None:
    for dtype in (np.int8, np.uint8, np.uint64, np.int64):
        batch = QueryBatch.singles(np.eye(2, dtype=dtype))
        assert list(batch) == [Query((((1, 0), 1),)), Query((((0, 1), 1),))]
    big = np.array([[2**63]], dtype=np.uint64)
    assert QueryBatch.singles(big).token(0) == (2**63,)


def test_tokens_are_python_numbers() -> None:
    assert {type(x) for x in QueryBatch.singles(np.eye(2, dtype=np.int64)).token(0)} == {int}
    assert {type(x) for x in QueryBatch.singles(np.eye(2)).token(0)} == {float}


@pytest.mark.parametrize(
    "runs",
    [
        (),
        (((1,), 0),),
        (((1,), -1),),
        (((1,), True),),
        (((1,), 1.0),),
        (((1,), None),),
        (((1,), 1), ((1, 2), 1)),
        (((), 1),),
    ],
)
def test_bad_queries(runs: Any) -> None:
    with pytest.raises(InputError):
        Query(runs)


def test_of_reads_scalars() -> None:
    assert Query.of([(["1/2", 3], 2)], ExpField()) == Query((((fmpq(1, 2), fmpq(3)), 2),))
    for entry in (0.5, "1/2", True, None):
        with pytest.raises(InputError):
            Query.of([([entry], 1)], Base2())


@pytest.mark.parametrize("sequences", [[[]], [[(2, 1)]], [[(-1, 1)]], [[(0, 0)]], [[(0, 1.5)]], [[(0, True)]]])
def test_bad_batches(sequences: Any) -> None:
    with pytest.raises(InputError):
        QueryBatch([[1], [2]], sequences)


def test_bad_tables() -> None:
    for table in (np.zeros(3, dtype=np.int64), np.array([["a"]]), [[1], [1, 2]], [["a"]], [[None]], [[True]]):
        with pytest.raises(InputError):
            QueryBatch.singles(table)
    with pytest.raises(InputError):
        QueryBatch.pairs([[1, 2]], [1])
    with pytest.raises(InputError):
        QueryBatch.pairs([[1, 2]], [1, 2], 0)


def test_long_queries_print_shortly() -> None:
    token = tuple(range(500))
    assert len(str(Query(((token, 10**9), (token, 1))))) < 400
    assert str(Query((((1, 0), 3), ((0, 1), 1)))) == "[(1, 0) x3, (0, 1)]"


def test_tokens_too_large_for_floats() -> None:
    assert QueryBatch.singles([[10**300, fmpq(1, 2)]]).float_tokens.tolist() == [[1e300, 0.5]]
    with pytest.raises(InputError, match="too large"):
        _ = QueryBatch.singles([[10**400, 1]]).float_tokens


def test_lists_and_arrays_are_copied() -> None:
    token, runs = [1, 2], [[np.array([3, 4]), 1]]
    runs.append([token, 2])
    query: Query[int] = Query(runs)  # type: ignore[arg-type]
    token[0] = 9
    runs.clear()
    assert query == Query((((3, 4), 1), ((1, 2), 2)))
    assert hash(query) == hash(Query((((3, 4), 1), ((1, 2), 2))))


def test_pairs_of_different_kinds_of_numbers() -> None:
    floats = QueryBatch.pairs([[0.5, 1.0]], ["1/2", 1])
    assert floats.tokens.dtype == np.float64
    assert list(floats) == [Query((((0.5, 1.0), 1), ((0.5, 1.0), 1)))]
    exact = QueryBatch.pairs(np.array([[1, 2]]), ["1/2", 10**30])
    assert list(exact) == [Query((((1, 2), 1), ((fmpq(1, 2), 10**30), 1)))]


@pytest.mark.parametrize("table", [[1, 2], [[0.5, 10**400]], [[0.5, "x"]], [[0.5, float("nan")]], [["1/0"]]])
def test_tables_that_are_not_lists_of_vectors(table: object) -> None:
    with pytest.raises(InputError):
        QueryBatch.singles(table)
