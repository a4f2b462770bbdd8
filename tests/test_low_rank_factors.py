"""Rank factorisations and their gauge."""

from __future__ import annotations

from typing import Any

import pytest
from flint import fmpq, fmpq_mat
from hypothesis import given
from hypothesis import strategies as st

from attention_queries.errors import InputError
from attention_queries.learners.low_rank import factors, gauge, gauge_between
from strategies import rationals, vectors

Rows = Any


def product(K: Rows, Q: Rows, d: int) -> list[list[fmpq]]:
    return [[sum((k[i] * q[j] for k, q in zip(K, Q, strict=True)), fmpq(0)) for j in range(d)] for i in range(d)]


def flint(rows: Rows) -> Any:
    return fmpq_mat(len(rows), len(rows[0]), [fmpq(x) for row in rows for x in row])


@st.composite
def matrices(draw: Any) -> Rows:
    d = draw(st.integers(1, 5))
    r = draw(st.integers(0, d))
    K, Q = (draw(st.lists(vectors(rationals, d), min_size=r, max_size=r)) for _ in range(2))
    return product(K, Q, d)


@given(matrices())
def test_factors_multiply_to_the_matrix_and_have_its_rank(W: Rows) -> None:
    K, Q = factors(W)
    assert product(K, Q, len(W)) == W
    assert len(K) == len(Q) == flint(W).rank()


@given(matrices(), st.data())
def test_every_gauge_gives_the_same_matrix_and_is_recognised(W: Rows, data: Any) -> None:
    K, Q = factors(W)
    r = len(K)
    A = data.draw(
        st.lists(vectors(rationals, r), min_size=r, max_size=r).filter(lambda A: not A or flint(A).det() != 0)
    )
    other = gauge(K, Q, A)
    assert product(*other, len(W)) == W
    assert gauge_between((K, Q), other) == tuple(A)
    assert gauge(*other, gauge_between(other, (K, Q))) == (K, Q)


def test_factors_of_different_matrices_are_not_related() -> None:
    K, Q = factors([[1, 2], [3, 4]])
    assert gauge_between((K, Q), (K, [[1, 1], [0, 1]])) is None
    assert gauge_between((K, Q), (K, Q[:1])) is None
    assert gauge_between((K, Q), (K, [[0, 0], [0, 0]])) is None
    assert gauge_between(([[1, 2]], [[0, 0]]), ([[3, 4]], [[0, 0]])) is None


def test_integer_entries_and_text() -> None:
    assert factors([[2, 4], ["1/2", 1]]) == (((2, fmpq(1, 2)),), ((1, 2),))
    assert factors([[0, 0], [0, 0]]) == ((), ())


@pytest.mark.parametrize(
    ("A", "words"),
    [([[1]], "as many rows as K"), ([[1, 2]], "as many rows as K"), ([[1, 2], [2, 4]], "not invertible")],
)
def test_bad_gauges(A: Rows, words: str) -> None:
    with pytest.raises(InputError, match=words):
        gauge(*factors([[1, 2], [3, 4]]), A)


def test_bad_matrices() -> None:
    with pytest.raises(InputError, match="different lengths"):
        factors([[1, 2], [3]])
    with pytest.raises(InputError, match="floating-point"):
        factors([[0.5]])
