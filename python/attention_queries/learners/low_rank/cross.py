"""Reading a matrix of low rank from few scores: independent columns by random probes, then the pivot rows.

A matrix `G` whose columns are spanned by `k` of them is determined by these and by `k` of its rows. A random probe
`aᵀ G w` that contradicts this finds another column, `G w`, at no cost: it is one of the entries of what has to be read
anyway. So a matrix of rank `r` takes `r (2d - r)` scores, and one more for each probe that contradicts nothing.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from attention_queries.exactarray import ExactArray, exact_matrix, exact_vector
from attention_queries.learners.low_rank.columns import Columns, ExactColumns, FloatColumns
from attention_queries.learners.result import Progress
from attention_queries.learners.scores import ScoreReader
from attention_queries.semantics.base import S, Semantics, V

Vector = NDArray[Any]

PROBE_ENTRIES = {"base2": 64, "exp": 1 << 20}
"""The number of values that an entry of a probe may take; in base 2 scores are lengths of answers, so there are few."""


@dataclass(frozen=True)
class _Equation(Generic[S]):
    """The known entries of `G w`, by row; `w` is 1 at `pivot`, and 0 at the pivots of all earlier equations."""

    w: Vector
    pivot: int
    values: dict[int, S]


class CrossReader(Generic[S, V]):
    """What is known of the matrix `G` of a head's scores, and how to get to know the rest."""

    def __init__(
        self,
        reader: ScoreReader[S, V],
        semantics: Semantics[S, V],
        dim: int,
        rng: random.Random,
        tolerance: float,
        progress: Progress | None = None,
    ) -> None:
        self._reader = reader
        self._dim = dim
        self._rng = rng
        self._exact = semantics.exact
        self._entries = PROBE_ENTRIES.get(semantics.name, 0)
        self._unit = np.eye(dim, dtype=np.int64)
        self._columns: Columns = ExactColumns(dim, rng) if semantics.exact else FloatColumns(dim, tolerance)
        self._equations: list[_Equation[S]] = []
        self._rows: dict[int, list[S]] = {}
        self._eager = False
        self._progress = progress
        self.checks = 0

    @property
    def rank(self) -> int:
        """The number of independent columns found."""
        return len(self._columns.pivots)

    @property
    def complete(self) -> bool:
        """Whether every row is known."""
        return len(self._rows) == self._dim

    def read_columns(self) -> None:
        """Read the columns `G e_0, G e_1, …` until one depends on those before it."""
        for j in range(self._dim):
            column = self._reader.column(self._unit[j])
            self._equations.append(_Equation(self._unit[j], j, dict(enumerate(column))))
            self._report(j + 1)
            if self._columns.extend(column) is None:
                return

    def search(self, checks: int) -> None:
        """Find independent columns until `checks` random probes in a row contradict nothing, then the pivot rows.

        Where reading everything takes no more queries than the probes still to pass, everything is read instead.
        """
        passed = 0
        while passed < checks:
            if (self._dim - self.rank) * (self._dim - len(self._equations)) <= checks - passed:
                self.read_rest()
                return
            passed = 0 if self._probe() else passed + 1
        self.checks = passed

    def _probe(self) -> bool:
        """Whether a random probe contradicts what is known; if so, its column is added."""
        pivots = self._columns.pivots
        a, first = self._random_vector(pivots, self._steepest)
        w, pivot = self._random_vector([equation.pivot for equation in self._equations], min)
        while not self._steep(a, first):
            a, first = self._random_vector(pivots, self._steepest)
        if self._eager:
            at_pivots = [_dot(w, self._rows[i]) for i in pivots]
            (score,) = self._reader.read(w, [], a)
        else:
            *at_pivots, score = self._reader.read(w, pivots, a)
        equation = _Equation(w, pivot, dict(zip(pivots, at_pivots, strict=True)))
        if not self._columns.contradicts(a, at_pivots, score):
            if not self._eager:
                # Rows wait for the first check, whose scores are entries that need not be read again.
                self._read_rows(pivots, [*self._equations, equation])
                self._eager = True
            return False
        self._add_column(equation, a, first, score)
        return True

    def _add_column(self, equation: _Equation[S], a: Vector, first: int, score: S) -> None:
        others = [i for i in range(self._dim) if i != first and i not in equation.values]
        values = {**equation.values, **dict(zip(others, self._reader.read(equation.w, others), strict=True))}
        values[first] = score - sum((int(a[i]) if self._exact else a[i]) * values[i] for i in others)
        pivot = self._columns.extend([values[i] for i in range(self._dim)])
        if pivot is None:
            raise AssertionError("a column outside the space was found inside it")
        self._equations.append(_Equation(equation.w, equation.pivot, values))
        self._report(self.rank)
        if self._eager:
            self._read_rows([pivot], self._equations)

    def _report(self, done: int) -> None:
        if self._progress is not None:
            self._progress(done, self._dim)

    def read_rest(self) -> None:
        """Read all rows that are not known yet."""
        self._read_rows([i for i in range(self._dim) if i not in self._rows], self._equations)

    def matrix(self) -> list[list[S]]:
        """The matrix, if its columns are spanned by those that were found; entries are rational, or floats."""
        if self.complete:
            return [self._rows[i] for i in range(self._dim)]
        return self._columns.combine([self._rows[i] for i in self._columns.pivots])

    def _read_rows(self, rows: Sequence[int], equations: Sequence[_Equation[S]]) -> None:
        """Read the rows, without the entries that follow from the equations."""
        rows = sorted(rows)
        if not rows:
            return
        pivots = {equation.pivot: equation for equation in equations}
        known: list[list[S]] = []
        for j in range(self._dim):
            if j in pivots:
                known.append([pivots[j].values[i] for i in rows])
            elif len(rows) == self._dim:
                known.append(self._reader.column(self._unit[j]))
            else:
                known.append(self._reader.read(self._unit[j], rows))
        solved = (_solve_exact if self._exact else _solve_float)(known, equations)
        self._rows.update(zip(rows, solved, strict=True))

    def _random_vector(self, zero: Sequence[int], choose: Callable[[Sequence[int]], int]) -> tuple[Vector, int]:
        """A random vector that is 0 at given places and 1 at one of the others, chosen by `choose`."""
        free = sorted(set(range(self._dim)) - set(zero))
        one = choose(free)
        vector: Vector = np.zeros(self._dim, dtype=np.int64 if self._exact else np.float64)
        if self._exact:
            half = self._entries // 2
            vector[free] = [self._rng.choice((-1, 1)) * self._rng.randint(1, half) for _ in free]
        else:
            vector[free] = [self._rng.gauss() / self._dim**0.5 for _ in free]
        vector[one] = 1
        return vector, one

    def _steepest(self, places: Sequence[int]) -> int:
        if self._exact:
            return places[0]
        return max(places, key=lambda i: abs(self._reader.slope(self._unit[i])))

    def _steep(self, a: Vector, first: int) -> bool:
        """Whether the output along the direction `a` varies enough to read scores from it."""
        slope = self._reader.slope(a)
        return bool(slope != 0 if self._exact else 2 * abs(slope) >= abs(self._reader.slope(self._unit[first])))


def _dot(w: Vector, row: Sequence[Any]) -> Any:
    return sum(x * y for x, y in zip(w.tolist(), row, strict=True))


def _solve_exact(known: list[list[Any]], equations: Sequence[_Equation[Any]]) -> list[list[Any]]:
    """The rows from their entries by column, where at the pivots stand the right sides of the equations instead."""
    table = exact_matrix(known, len(known[0]))
    columns, denominator = table.numerators, table.denominator
    if table.largest >= 1 << 40:
        columns = columns.astype(object)
    for equation in reversed(equations):
        others = equation.w.tolist()
        others[equation.pivot] = 0
        if any(others):
            explained = ExactArray(columns.T).times(exact_vector(others)).numerators
            if explained.dtype == object:
                columns = columns.astype(object)
            columns[equation.pivot] -= explained
    return [row if denominator == 1 else ExactArray(np.array(row), denominator).tolist() for row in columns.T.tolist()]


def _solve_float(known: list[list[Any]], equations: Sequence[_Equation[Any]]) -> list[list[Any]]:
    columns = np.array(known, dtype=np.float64)
    for equation in reversed(equations):
        others = equation.w.astype(np.float64)
        others[equation.pivot] = 0
        columns[equation.pivot] -= others @ columns
    result: list[list[Any]] = columns.T.tolist()
    return result
