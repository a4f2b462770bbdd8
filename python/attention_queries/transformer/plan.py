"""Choosing tokens for which a known network says much about the attention weights; no query is asked for that."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from flint import fmpq

from attention_queries.transformer.chord import Chord, Quality
from attention_queries.transformer.network import ReluNetwork, inner

LARGEST = 1 << 12
"""Tokens are tried with entries up to about this size, beside those close to a hyperplane."""

PROBE_SIZE = 1 << 8
"""Largest entry of the random directions that test for a low rank."""

_TRIES = 6
FLOAT_UNIT = 4
"""In floating point, tokens are integers divided by this, to keep scores moderate."""

Vector = tuple[Any, ...]


class Independent:
    """Vectors that are linearly independent, collected one by one."""

    def __init__(self) -> None:
        self.vectors: list[Vector] = []
        self._reduced: list[tuple[int, list[fmpq]]] = []

    def extends(self, vector: Sequence[Any]) -> bool:
        """Whether the vector is independent of those collected."""
        return self._rest(vector) is not None

    def add(self, vector: Vector) -> bool:
        """Collect the vector if it is independent of those collected."""
        rest = self._rest(vector)
        if rest is None:
            return False
        pivot = next(i for i, x in enumerate(rest) if x != 0)
        self._reduced.append((pivot, [x / rest[pivot] for x in rest]))
        self.vectors.append(vector)
        return True

    def _rest(self, vector: Sequence[Any]) -> list[fmpq] | None:
        rest = [fmpq(x) for x in vector]
        for pivot, row in self._reduced:
            if (factor := rest[pivot]) != 0:
                rest = [x - factor * y for x, y in zip(rest, row, strict=True)]
        return rest if any(x != 0 for x in rest) else None


@dataclass(frozen=True)
class Fan:
    """A query token with d independent directions, and the network along the segment in each direction.

    Tokens are `q / unit` and `(q + u) / unit` for integer vectors `q` and `u`.
    """

    q: Vector
    directions: list[Vector]
    chords: list[Chord]
    unit: int


def fans(network: ReluNetwork, rng: random.Random, chosen: Independent) -> Iterator[Fan]:
    """Fans with `q` independent of those in `chosen`, the most informative and shortest kinds first.

    Ends when neither small nor large tokens are informative any more; for a constant network at once.
    """
    if network.is_constant:
        return
    for worst, size in _schedule():
        for _ in range(_TRIES * network.dim):
            q = _token(network, rng, size)
            if chosen.extends(q):
                fan = _fan(network, rng, q, size, worst)
                if fan is not None:
                    yield fan


def _schedule() -> Iterator[tuple[Quality, int]]:
    """The worst quality to accept, and the size of entries."""
    for worst in (Quality.MONOTONE, Quality.NOWHERE_FLAT, Quality.PARTLY_FLAT):
        for size in (1, 2, 4):
            yield worst, size
    size = 8
    while size <= LARGEST:
        yield Quality.NOWHERE_FLAT, size
        yield Quality.PARTLY_FLAT, size
        size *= 2


def _token(network: ReluNetwork, rng: random.Random, size: int) -> tuple[int, ...]:
    """A random integer vector, every other time moved beside a hyperplane."""
    q = _random(network.dim, rng, size)
    if network.hidden and rng.random() < 0.5:
        neuron = rng.choice(network.hidden)
        along = neuron.input(q) / inner(neuron.w, neuron.w)
        q = tuple(x - _nearest(along * y) for x, y in zip(q, neuron.w, strict=True))
    return q


def _nearest(x: Any) -> int:
    return int((x + fmpq(1, 2)).floor()) if isinstance(x, fmpq) else round(x)


def _random(dim: int, rng: random.Random, size: int) -> tuple[int, ...]:
    return tuple(rng.randint(-size, size) for _ in range(dim))


def _fan(network: ReluNetwork, rng: random.Random, q: tuple[int, ...], size: int, worst: Quality) -> Fan | None:
    """The fan at `q` with directions of quality `worst` or better, if there are d independent ones."""
    unit = 1 if network.exact else FLOAT_UNIT
    basis = Independent()
    chords = []
    for u in _directions(network.dim, rng, size):
        if not basis.extends(u):
            continue
        chord = Chord(network, [x / unit for x in q] if unit > 1 else q, [x / unit for x in u] if unit > 1 else u)
        if chord.quality <= worst:
            basis.add(u)
            chords.append(chord)
            if len(chords) == network.dim:
                return Fan(q, basis.vectors, chords, unit)
    return None


def with_probes(network: ReluNetwork, rng: random.Random, fan: Fan, count: int) -> Fan | None:
    """The fan with `count` more directions, random with large entries; None when the network is flat along most.

    A score in such a direction is 0 with probability at most `1 / (2 PROBE_SIZE + 1)`, unless `W q` is 0.
    """
    directions, chords = list(fan.directions), list(fan.chords)
    for _ in range(_TRIES * count):
        u = _random(network.dim, rng, PROBE_SIZE)
        chord = Chord(network, fan.q, u)
        if chord.quality <= Quality.NOWHERE_FLAT:
            directions.append(u)
            chords.append(chord)
            if len(chords) == network.dim + count:
                return Fan(fan.q, directions, chords, fan.unit)
    return None


def _directions(dim: int, rng: random.Random, size: int) -> Iterator[tuple[int, ...]]:
    """Basis vectors with signs, sums of two of them, and random vectors."""
    order = list(range(dim))
    rng.shuffle(order)
    for reach in {1, size}:
        for i in order:
            sign = rng.choice((-1, 1))
            for s in (sign, -sign):
                yield tuple(s * reach if k == i else 0 for k in range(dim))
        for i in order:
            for j in rng.sample(order, min(dim, 3)):
                if i != j:
                    s, t = rng.choice((-reach, reach)), rng.choice((-reach, reach))
                    yield tuple(s if k == i else t if k == j else 0 for k in range(dim))
    for _ in range(4 * dim):
        yield _random(dim, rng, max(size, 2))
