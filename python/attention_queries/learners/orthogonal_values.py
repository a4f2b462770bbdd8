"""Several heads whose value vectors lie in known, pairwise orthogonal subspaces: every head is learned by itself.

The `d` single tokens give `V = Σ_h v_h`, and its projection on the subspace of head `h` is `v_h`. A direction `u` is
seen by head `h` alone when it is orthogonal to all other `v_g`: then a query of two tokens gives the score `uᵀ W_h q`
as for a single head. These directions leave out the `v_g` themselves; `v_g + c·v_h` is seen by the two heads together,
with known residues, and three queries tell their scores apart. That makes `Kd² + d·K(K - 1)/2 + d` queries of at most
three tokens for `K` heads with `v ≠ 0`: compared with the general learner, the assumption saves the search for the
heads, long sequences and large scores, and for fewer than four heads also queries.

Source: the structural assumption of arXiv 2601.16873 on several heads, restated for scalar outputs.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations
from math import gcd, lcm
from typing import Any

from flint import fmpq, fmpq_mat

from attention_queries.errors import InputError, NotAPower, NotMultiHead, VerificationFailed
from attention_queries.fibre import canonical
from attention_queries.learners.multi_head.directions import (
    Samples,
    Total,
    ask_directions,
    combined,
    decode,
    response,
    unit_vector,
    visible_heads,
)
from attention_queries.learners.multi_head.reduction import NewDenominator, Reductions, Retry, divided
from attention_queries.learners.result import Learned, Progress
from attention_queries.learners.verification import verify_on_fresh_queries
from attention_queries.models import AttentionModel, Head
from attention_queries.oracle import Oracle, QueryCount
from attention_queries.semantics import ExpFraction
from attention_queries.semantics.base import S, V
from attention_queries.semantics.rational import parse_rational
from attention_queries.sequences import QueryBatch

METHOD = "orthogonal-values"
_PRIMES = 4
_SEVERAL = "the oracle is no sum of heads with values in the given subspaces"


def learn_orthogonal_values(
    oracle: Oracle[S, V],
    bases: Sequence[Sequence[Sequence[Any]]],
    *,
    seed: int = 0,
    checks: int = 8,
    progress: Progress | None = None,
) -> Learned[S, V]:
    """Recover heads of which the `h`-th has its value vector in the span of `bases[h]`, re-checked on fresh queries.

    `bases[h]` is a list of rational vectors of length `d`; spans of different heads must be orthogonal. The canonical
    form is returned: heads with value 0 do not show. `formula` gives the number of queries.

    Raises `InputError` for bases that are not orthogonal or irrational values, and `NotMultiHead` with a query when the
    answers are not those of such heads.
    """
    d, rng = oracle.dim, random.Random(seed)
    spaces = _read_all(bases, d)
    reductions = Reductions(oracle.semantics, rng)
    with oracle.counting(QueryCount()) as learning:
        values = [v for v in _values(oracle, spaces) if any(v)]
        heads = _Heads(oracle, reductions, values)
        columns = []
        for j in range(d):
            columns.append(heads.scores([int(i == j) for i in range(d)]))
            if progress is not None:
                progress(j + 1, d)
    model = canonical(AttentionModel(oracle.semantics, d, heads.assembled(columns)))
    try:
        verification = verify_on_fresh_queries(oracle, model, rng, checks=checks)
    except VerificationFailed as error:
        raise NotMultiHead(f"{_SEVERAL}: {error}", error.query, error.answer) from None
    return Learned(model, METHOD, learning, verification)


def formula(heads: int, dim: int) -> int:
    """The number of queries for so many heads with `v ≠ 0`, `Kd² + d·K(K - 1)/2 + d`."""
    return heads * dim**2 + dim * heads * (heads - 1) // 2 + dim


def _read_all(bases: Sequence[Sequence[Sequence[Any]]], d: int) -> list[list[list[fmpq]]]:
    spaces = [[list(map(parse_rational, x)) for x in basis] for basis in bases]
    for h, basis in enumerate(spaces):
        if any(len(x) != d for x in basis):
            raise InputError(f"basis {h} has a vector whose length is not {d}")
        if basis and fmpq_mat(basis).rank() < len(basis):
            raise InputError(f"the vectors of basis {h} are linearly dependent")
    for (g, first), (h, second) in combinations(enumerate(spaces), 2):
        if any(_dot(x, y) != 0 for x in first for y in second):
            raise InputError(f"bases {g} and {h} are not orthogonal")
    return spaces


def _values(oracle: Oracle[Any, Any], spaces: list[list[list[fmpq]]]) -> list[list[fmpq]]:
    """The value vector of every head: the projections of their sum, which single tokens give."""
    batch = QueryBatch.singles([[int(i == j) for j in range(oracle.dim)] for i in range(oracle.dim)])
    answers = oracle.many(batch)
    numbers = [x.as_rational() if isinstance(x, ExpFraction) else x for x in answers]
    if None in numbers:
        raise InputError("the values are not rational, so directions cannot be chosen along them")
    total = [parse_rational(x) for x in numbers]
    values = [_projection(total, basis) for basis in spaces]
    for j, x in enumerate(total):
        if sum((v[j] for v in values), fmpq(0)) != x:
            query = batch.query(j)
            raise NotMultiHead(f"{_SEVERAL}: see its answer to the query {query}", query, answers[j])
    return values


def _projection(x: Sequence[fmpq], basis: list[list[fmpq]]) -> list[fmpq]:
    """The orthogonal projection of `x` on the span of independent vectors."""
    if not basis:
        return [fmpq(0)] * len(x)
    gram = fmpq_mat([[_dot(a, b) for b in basis] for a in basis])
    coefficients = gram.solve(fmpq_mat([[_dot(a, x)] for a in basis]))
    return [sum((coefficients[i, 0] * a[j] for i, a in enumerate(basis)), fmpq(0)) for j in range(len(x))]


def _dot(x: Sequence[Any], y: Sequence[Any]) -> fmpq:
    return sum((a * b for a, b in zip(x, y, strict=True)), fmpq(0))


def _integral(x: Sequence[fmpq]) -> list[int]:
    """The shortest integer vector in the same direction."""
    scale = lcm(*(int(a.q) for a in x))
    entries = [int(a.p) * (scale // int(a.q)) for a in x]
    return [a // gcd(*entries) for a in entries]


def _complement(vectors: list[list[int]], d: int) -> list[list[int]]:
    """Independent integer vectors that span the orthogonal complement of independent ones."""
    if not vectors:
        return [unit_vector(d, i) for i in range(d)]
    reduced, rank = fmpq_mat(vectors).rref()
    pivots = [next(j for j in range(d) if reduced[i, j] != 0) for i in range(rank)]
    result = []
    for free in (j for j in range(d) if j not in pivots):
        x = [fmpq(0)] * d
        x[free] = fmpq(1)
        for i, j in enumerate(pivots):
            x[j] = -reduced[i, free]
        result.append(_integral(x))
    return result


class _Heads:
    """Reads the scores of all heads with the known values at one query token after the other."""

    def __init__(self, oracle: Oracle[Any, Any], reductions: Reductions, values: list[list[fmpq]]) -> None:
        self._oracle = oracle
        self._reductions = reductions
        self._values = values
        self._V = [sum(column, fmpq(0)) for column in zip(*values, strict=True)] or [fmpq(0)] * oracle.dim
        self._axes = [_integral(v) for v in values]
        self._hidden = _complement(self._axes, oracle.dim)
        self._slopes = [_dot(v, a) for v, a in zip(values, self._axes, strict=True)]
        self._last: Samples | None = None

    def scores(self, q: list[int]) -> list[list[Any]]:
        """For each head its scores at `q`: of all axes, then of the offsets orthogonal to them."""
        found = []
        for a, slope in zip(self._axes, self._slopes, strict=True):
            offsets = [a, *(combined((1, a), (1, c)) for c in self._hidden)]
            alone = [self._alone(samples, slope) for samples in ask_directions(self._oracle, offsets, q, 1)]
            found.append([alone[0], *(s - alone[0] for s in alone[1:])])
        on_axes = [[row[0]] * len(found) for row in found]
        for g, h in combinations(range(len(found)), 2):
            # Different residues tell the two apart, and a sum that is not 0 shows that they are there.
            m = next(m for m in (1, 2, 3) if self._slopes[g] not in (m * self._slopes[h], -m * self._slopes[h]))
            offset = combined((1, self._axes[g]), (m, self._axes[h]))
            samples = ask_directions(self._oracle, [offset], q, 3)[0]
            s, t = self._together(samples, self._slopes[g], m * self._slopes[h])
            on_axes[g][h] = divided(s - on_axes[g][g], m)
            on_axes[h][g] = t - m * on_axes[h][h]
        return [[*axes, *row[1:]] for axes, row in zip(on_axes, found, strict=True)]

    def _alone(self, samples: Samples, slope: fmpq) -> Any:
        """The score of the one head that shows in a direction."""
        self._last = samples
        above = samples.answers[0] - _dot(self._V, samples.q)
        try:
            return self._oracle.semantics.log(self._oracle.semantics.value(above / (slope - above)))
        except (NotAPower, ZeroDivisionError):
            raise self._refused(samples) from None

    def _together(self, samples: Samples, first: fmpq, second: fmpq) -> tuple[Any, Any]:
        """The scores of the two heads that show in a direction with these residues."""
        self._last = samples
        value = self._oracle.semantics.value
        for _ in range(_PRIMES):
            reduction = self._reductions.draw()
            total = Total(list(map(value, self._V)), reduction)
            try:
                heads = visible_heads(reduction, response(reduction, total, samples, reduction.p))
                few = Samples(samples.u, samples.q, samples.answers[: max(1, 2 * heads - 1)])
                by_residue = {b: s for s, b in decode(reduction, total, few, heads).items()}
                one, two, both = reduction.residues(map(value, (first, second, first + second)), reduction.p)
            except NewDenominator as error:
                self._reductions.allow(error.denominator)
                continue
            except Retry:
                continue
            if set(by_residue) == {one, two}:
                return by_residue[one], by_residue[two]
            if set(by_residue) == {both}:
                return by_residue[both], by_residue[both]
        raise self._refused(samples)

    def _refused(self, samples: Samples) -> NotMultiHead:
        query = samples.query()
        return NotMultiHead(f"{_SEVERAL}: see its answer to the query {query}", query, samples.answers[-1])

    def assembled(self, columns: list[list[list[Any]]]) -> list[Head[Any, Any]]:
        """The heads from the scores at the unit vectors; raises `NotMultiHead` where these make no integer matrix."""
        semantics = self._oracle.semantics
        heads: list[Head[Any, Any]] = []
        if not self._values:
            return heads
        inverse = fmpq_mat([*self._axes, *self._hidden]).inv()
        for h, v in enumerate(self._values):
            W = inverse * fmpq_mat(
                [list(map(parse_rational, row)) for row in zip(*(c[h] for c in columns), strict=True)]
            )
            try:
                heads.append(Head([list(map(semantics.scalar, row)) for row in W.table()], map(semantics.value, v)))
            except InputError:
                assert self._last is not None
                raise self._refused(self._last) from None
        return heads
