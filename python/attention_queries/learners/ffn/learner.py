"""Learning a one-hidden-layer ReLU network from its values, exactly over the rational numbers.

On a line, the network is piecewise linear. Each kink is a point of a hyperplane, and the gradients on both sides differ
by a multiple of its normal: this gives the neuron. What is left, the network minus what was found, is a network again;
as long as it is seen to be different from 0 somewhere, a line through such a point is searched for kinks.

Neurons with parallel hyperplanes may cancel outside a slab ("tents"). A line shows them only if one of the points
tried lies in the slab, so that a grid of points on the line is compared in the end. The grid is geometric: it meets
every slab that the line crosses between `2^LOWEST` and `2^HIGHEST` from its origin in an interval whose ends differ by
a factor above `1 + 1/cells`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from flint import fmpq

from attention_queries.errors import InputError, SearchExhausted
from attention_queries.learners.ffn.line import (
    MAX_SPLITS,
    ExactLine,
    FloatLine,
    Line,
    Segment,
    TooManyPieces,
    Unresolved,
    find_kinks,
    power_of_two,
)
from attention_queries.learners.ffn.oracle import NetworkOracle
from attention_queries.learners.ffn.polish import polish
from attention_queries.transformer.network import Neuron, ReluNetwork, inner

HEIGHT = 1 << 10
"""Hyperplanes are first assumed to have primitive integer normals with entries up to this, then up to its powers."""
LOWEST, HIGHEST = -6, 8
CELLS = 8
"""Points of the grid in every octave."""
RANDOM_POINTS = 16

_ROUNDS = 8
_ATTEMPTS = 4
_UNIT = 1 << 10
"""Directions and origins of lines have entries with this denominator."""


@dataclass(frozen=True)
class _Doubt:
    """A line to search, with points on it where the network found so far is wrong."""

    origin: tuple[Any, ...]
    direction: tuple[Any, ...]
    cuts: tuple[Any, ...]


def learn_ffn(oracle: NetworkOracle, *, seed: int = 0, height: int = HEIGHT, cells: int = CELLS) -> ReluNetwork:
    """Recover the network behind `oracle`, in canonical form.

    `height` is the first assumption on the primitive integer normals of the hyperplanes (see `ExactLine`); when no
    network is found under it, it is squared, three times at most. `cells` is the number of grid points in an octave,
    against tents; 0 asks none.

    Raises `SearchExhausted`, with the bounds that were reached, when no network agrees with all answers. In floating
    point the result is approximate, and kinks closer than about 1e-4 are not told apart.
    """
    if type(height) is not int or height < 1:
        raise InputError(f"the height is a positive integer, not {height}")
    if type(cells) is not int or cells < 0:
        raise InputError(f"the number of cells is a natural number, not {cells}")
    search = _Search(oracle, random.Random(seed), cells)
    for _ in range(_ATTEMPTS):
        try:
            network = search.run(height)
        except TooManyPieces:
            raise SearchExhausted(
                f"the function is not piecewise linear, or has so many pieces on a line that {MAX_SPLITS} points did "
                "not separate them"
            ) from None
        if network is not None:
            return network
        reached, height = height, height * height
    bound = f"and height {reached}" if oracle.exact else f"with kinks at least {FloatLine.WIDTH * 4:g} apart"
    raise SearchExhausted(
        "no ReLU network with one hidden layer was found that agrees with all answers, "
        f"within {_ROUNDS} lines {bound}: the function is not such a network, or cancelling neurons are too close"
    )


class _Search:
    def __init__(self, oracle: NetworkOracle, rng: random.Random, cells: int) -> None:
        self._oracle = oracle
        self._rng = rng
        self._asked: tuple[list[Any], list[Any]] = ([], [])
        self._grid = [self._number(t) for t in _grid(cells)]

    def run(self, height: int) -> ReluNetwork | None:
        """The network, if one is found that agrees with the grid and some random points."""
        network = ReluNetwork.zero(self._oracle.dim, exact=self._oracle.exact)
        doubt: _Doubt | None = self._fresh_line(self._near_origin())
        for _ in range(_ROUNDS):
            assert doubt is not None
            try:
                network = (network + self._on_line(network, doubt, height)).canonical()
            except Unresolved:
                return None
            if not self._oracle.exact:
                network = polish(network, *self._asked).canonical()
            doubt = self._doubt(network)
            if doubt is None:
                return network if self._oracle.exact else polish(network, *self._asked).canonical()
        return None

    def _number(self, x: fmpq) -> Any:
        return x if self._oracle.exact else int(x.p) / int(x.q)

    def _vector(self, low: int, high: int) -> tuple[Any, ...]:
        """Random entries of absolute value from `low` to `high`, in units of 1 / `_UNIT`."""
        entries = [self._rng.choice((-1, 1)) * self._rng.randint(low, high) for _ in range(self._oracle.dim)]
        return tuple(self._number(fmpq(x, _UNIT)) for x in entries)

    def _near_origin(self) -> tuple[Any, ...]:
        """A random point; in floating point not too near, because kinks near the origin may be hard to separate."""
        return self._vector(0, _UNIT // 16 if self._oracle.exact else _UNIT)

    def _fresh_line(self, origin: tuple[Any, ...], *cuts: Any) -> _Doubt:
        return _Doubt(origin, self._vector(_UNIT // 2, _UNIT), cuts)

    def _residuals(self, network: ReluNetwork, points: Sequence[Sequence[Any]]) -> list[Any]:
        answers = self._oracle.values(points)
        if not self._oracle.exact:
            self._asked[0].extend(points)
            self._asked[1].extend(answers)
        return [y - network.value(z) for y, z in zip(answers, points, strict=True)]

    def _on_line(self, network: ReluNetwork, doubt: _Doubt, height: int) -> ReluNetwork:
        """What one line shows of the difference between the function and the network."""

        def values(points: Sequence[Sequence[Any]]) -> list[Any]:
            return self._residuals(network, points)

        line: Line
        if self._oracle.exact:
            line = ExactLine(values, doubt.origin, doubt.direction, height)
        else:
            line = FloatLine(values, doubt.origin, doubt.direction)
        kinks, segments = find_kinks(line, doubt.cuts)
        gradients = [_gradient(line, values, segment) for segment in segments]
        neurons = [
            neuron
            for t, left, right in zip(kinks, gradients[:-1], gradients[1:], strict=True)
            if (neuron := _neuron(line, t, left, right)) is not None
        ]
        return _with_affine_part(neurons, line, segments[0], gradients[0], exact=self._oracle.exact)

    def _doubt(self, network: ReluNetwork) -> _Doubt | None:
        """Where the network is wrong, as far as the grid on a fresh line and random points show it."""
        line = self._fresh_line(self._near_origin())
        grid = [tuple(x + t * y for x, y in zip(line.origin, line.direction, strict=True)) for t in self._grid]
        sizes = [_UNIT << (k % 8) for k in range(RANDOM_POINTS)]
        points = grid + [self._vector(0, size) for size in sizes]
        wrong = [not self._agree(r, network, z) for r, z in zip(self._residuals(network, points), points, strict=True)]
        ranges = [list(group) for bad, group in groupby(range(len(grid)), lambda k: wrong[k]) if bad]
        if ranges:
            cuts = tuple(self._grid[group[len(group) // 2]] for group in ranges)
            return _Doubt(line.origin, line.direction, cuts)
        for z, bad in zip(points[len(grid) :], wrong[len(grid) :], strict=True):
            if bad:
                return self._fresh_line(z, self._number(fmpq(0)))
        return None

    def _agree(self, residual: Any, network: ReluNetwork, z: Sequence[Any]) -> bool:
        if self._oracle.exact:
            return bool(residual == 0)
        return bool(abs(residual) <= FloatLine.TOLERANCE * (1 + abs(network.value(z))))


def _grid(cells: int) -> list[fmpq]:
    positive = [
        power_of_two(octave) * fmpq(cells + i, cells) for octave in range(LOWEST, HIGHEST) for i in range(cells)
    ]
    return [-t for t in reversed(positive)] + positive


def grid_points(cells: int = CELLS) -> int:
    """How many points of the grid are asked."""
    return len(_grid(cells))


def _gradient(line: Line, values: Any, segment: Segment) -> list[Any]:
    """The gradient inside a segment: the slope along the line is known, the other coordinates take a query each."""
    z, step = line.point(segment.t), line.step(segment.distance)
    pivot = max(range(len(z)), key=lambda i: abs(line.direction[i]))
    others = [i for i in range(len(z)) if i != pivot]
    moved = values([(*z[:i], z[i] + step, *z[i + 1 :]) for i in others])
    gradient = [0 * step] * len(z)
    for i, y in zip(others, moved, strict=True):
        gradient[i] = (y - line.value(segment.t)) / step
    gradient[pivot] = (segment.piece.slope - inner(line.direction, gradient)) / line.direction[pivot]
    return gradient


def _neuron(line: Line, t: Any, left: Sequence[Any], right: Sequence[Any]) -> Neuron | None:
    """The neuron whose hyperplane meets the line at `t`, from the gradients on both sides."""
    jump = [y - x for x, y in zip(left, right, strict=True)]
    lead = max(range(len(jump)), key=lambda i: abs(jump[i]))
    if jump[lead] == 0:
        return None
    w = tuple(x / jump[lead] for x in jump)
    # The neuron is on right of the kink, or on its left, where its contribution to the gradient ends at the kink.
    a = jump[lead] if inner(w, line.direction) > 0 else -jump[lead]
    return Neuron(a, w, -inner(w, line.point(t)))


def _with_affine_part(
    neurons: Sequence[Neuron], line: Line, segment: Segment, gradient: Sequence[Any], *, exact: bool
) -> ReluNetwork:
    z = line.point(segment.t)
    hidden = ReluNetwork(neurons, [0 * x for x in z], exact=exact)
    linear = [x - y for x, y in zip(gradient, hidden.gradient(z), strict=True)]
    constant = line.value(segment.t) - hidden.value(z) - inner(linear, z)
    return ReluNetwork(hidden.hidden, linear, constant, exact=exact)
