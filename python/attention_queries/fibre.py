"""When do two multi-head models compute the same function, and what is the family of models with one function?

Source: the fibre theorem, `AttentionQueries.Semantics.fibre`: two lists of heads agree on all sequences exactly when
for every `W` the sums of their value vectors over the heads with that `W` agree.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Any, Generic

from flint import fmpz

from attention_queries.errors import InputError, ScoreTooLarge
from attention_queries.models import AttentionModel, Head
from attention_queries.semantics.base import S, V
from attention_queries.separation import avoid_hyperplanes
from attention_queries.sequences import Query

Matrix = tuple[tuple[Any, ...], ...]


def canonical(model: AttentionModel[S, V]) -> AttentionModel[S, V]:
    """The model's canonical form: equal `W` merged, zero sums dropped, heads in ascending order of `W`.

    Models over one exact semantics and dimension compute the same function exactly when their canonical forms are
    equal; no model with fewer heads computes it. Raises `InputError` for floating semantics.
    """
    _need_exact(model)
    heads = [Head(W, v) for W, v in sorted(model.canonical_heads().items(), key=lambda item: item[0])]
    return AttentionModel(model.semantics, model.dim, heads)


@dataclass(frozen=True)
class Comparison(Generic[S, V]):
    """Whether two models are equal as functions; if not, a `witness` query and their two `values` on it.

    Different models have no witness here when the base-2 powers of every candidate exceed the memory bound.
    """

    equal: bool
    witness: Query[S] | None = None
    values: tuple[V, V] | None = None

    def __bool__(self) -> bool:
        return self.equal


def equal(a: AttentionModel[S, V], b: AttentionModel[S, V]) -> Comparison[S, V]:
    """Decide exactly whether two models compute the same function on all sequences.

    A witness has at most two distinct tokens and length at most `H_a + H_b + 2`; it is found deterministically and both
    models are evaluated on it. Raises `InputError` when semantics or dimensions differ or the semantics is not exact.
    """
    _need_exact(a)
    _need_exact(b)
    if a.semantics != b.semantics:
        raise InputError(f"the models have different semantics: {a.semantics.name} and {b.semantics.name}")
    if a.dim != b.dim:
        raise InputError(f"the models have different dimensions: {a.dim} and {b.dim}")
    difference = _difference(a, b)
    if not difference:
        return Comparison(True)
    for query in _candidates(difference, a):
        try:
            values = a.value(query), b.value(query)
        except ScoreTooLarge:
            return Comparison(False)
        if values[0] != values[1]:
            return Comparison(False, query, values)
    raise AssertionError("the candidates always contain a witness")


def _need_exact(model: AttentionModel[Any, Any]) -> None:
    if not model.semantics.exact:
        raise InputError(f"equality of functions is decided for exact semantics only, not for {model.semantics.name}")


def _difference(a: AttentionModel[S, V], b: AttentionModel[S, V]) -> dict[Matrix, tuple[V, ...]]:
    """The canonical form of `a − b`."""
    heads = [*a.heads, *(Head(head.W, [-x for x in head.v]) for head in b.heads)]
    return AttentionModel(a.semantics, a.dim, heads).canonical_heads()


def _candidates(difference: dict[Matrix, tuple[V, ...]], model: AttentionModel[S, V]) -> list[Query[S]]:
    """Queries, short ones first, of which one tells the models apart (Cauchy lemma, one isolated pole).

    The sum of all values is seen by a token alone. If it vanishes, take a head whose pole is isolated in the direction
    `u` at the query token `q`: among `n` counts of `q` beside one `q + u` one shows it, `n` the number of heads.
    """
    scalar = model.semantics.scalar
    d = model.dim
    unit = [tuple(scalar(int(i == j)) for j in range(d)) for i in range(d)]
    total = [sum(column[1:], column[0]) for column in zip(*difference.values(), strict=True)]
    for i in range(d):
        if total[i] != 0:
            return [Query(((unit[i], 1),))]
    (W, v), *others = sorted(difference.items(), key=lambda item: item[0])
    gaps = [[[x - y for x, y in zip(r, s, strict=True)] for r, s in zip(W, other, strict=True)] for other, _ in others]
    # A nonzero row of each gap must not vanish on q; then the functional gap·q must not vanish on u.
    rows = [next(row for row in gap if any(x != 0 for x in row)) for gap in gaps]
    q = avoid_hyperplanes(rows, d) if rows else [0] * d
    functionals = [[_dot(row, q) for row in gap] for gap in gaps]
    u = avoid_hyperplanes([v, *functionals], d)
    last = tuple(scalar(x) for x in q)
    token = tuple(scalar(x + y) for x, y in zip(q, u, strict=True))
    return [Query(((token, 1), (last, m))) for m in range(1, len(difference) + 2)]


def _dot(row: Sequence[Any], x: Sequence[int]) -> Any:
    return sum((a * b for a, b in zip(row, x, strict=True)), 0)


@dataclass(frozen=True)
class Component:
    """One family of models in the fibre, up to the order of heads.

    `shared[i]` heads have the i-th `W` of the canonical form, their values summing to its value. Each entry of `free`
    is a number of heads that share one arbitrary further `W` and whose values sum to zero.
    """

    shared: tuple[int, ...]
    free: tuple[int, ...]
    dimension: int


@dataclass(frozen=True)
class Fibre(Generic[S, V]):
    """All models with the function of `model` and the same number of heads.

    The fibre is a finite union of families, one for each way to share out the heads (`components`) and each order.
    """

    model: AttentionModel[S, V]

    @cached_property
    def canonical(self) -> AttentionModel[S, V]:
        """The canonical form, the unique smallest model with this function."""
        return canonical(self.model)

    @property
    def spare(self) -> int:
        """Heads beyond the smallest number that computes the function."""
        return len(self.model.heads) - len(self.canonical.heads)

    @property
    def dimension(self) -> int:
        """The dimension of the fibre: d² for each spare head (its `W` is free when its value is zero)."""
        return self.spare * self.model.dim**2

    @property
    def identifiable(self) -> bool:
        """Whether the function determines the model up to the order of heads."""
        return self.spare == 0

    def components(self) -> Iterator[Component]:
        """Every family, largest dimension first; there may be very many, see `component_count`."""
        c, d, spare = len(self.canonical.heads), self.model.dim, self.spare
        for groups in range(spare, -1, -1):
            for joined in range(spare - groups + 1):
                for extra in _compositions(joined, c):
                    for free in _partitions(spare - joined, groups, spare):
                        yield Component(tuple(1 + e for e in extra), free, spare * d + groups * (d * d - d))

    @property
    def component_count(self) -> int:
        """The number of families: spare heads join needed `W` in any way, the others form an unordered partition."""
        c, spare = len(self.canonical.heads), self.spare
        if c == 0:
            return int(fmpz(spare).partitions_p())
        return sum(comb(j + c - 1, j) * int(fmpz(spare - j).partitions_p()) for j in range(spare + 1))

    @cached_property
    def redistributions(self) -> tuple[tuple[int, int, int], ...]:
        """A basis of the changes of value vectors, all `W` kept, that leave the function unchanged.

        `(h, g, i)` stands for adding to `v_h[i]` what is taken from `v_g[i]`; `h` and `g` share their `W`.
        """
        first: dict[Matrix, int] = {}
        pairs = [(h, first[head.W]) for h, head in enumerate(self.model.heads) if first.setdefault(head.W, h) != h]
        return tuple((h, g, i) for h, g in pairs for i in range(self.model.dim))

    @cached_property
    def movable(self) -> tuple[tuple[int, ...], ...]:
        """Groups of heads that share a `W` and whose values sum to zero: their common `W` is arbitrary."""
        groups: dict[Matrix, list[int]] = {}
        for h, head in enumerate(self.model.heads):
            groups.setdefault(head.W, []).append(h)
        kept = {head.W for head in self.canonical.heads}
        return tuple(tuple(group) for W, group in groups.items() if W not in kept)

    def sample(self, seed: int) -> AttentionModel[S, V]:
        """A random member: a random family, small random entries where they are free, heads in random order."""
        rng = random.Random(seed)
        semantics, d = self.model.semantics, self.model.dim
        shared, free = self._random_sizes(rng)
        heads: list[Head[Any, Any]] = []
        for head, size in zip(self.canonical.heads, shared, strict=True):
            heads += _share(head.W, head.v, size, lambda: semantics.value(rng.randint(-9, 9)))
        for size in free:
            W = tuple(tuple(rng.randint(-9, 9) for _ in range(d)) for _ in range(d))
            heads += _share(W, [semantics.value(0)] * d, size, lambda: semantics.value(rng.randint(-9, 9)))
        rng.shuffle(heads)
        return AttentionModel(semantics, d, heads)

    def _random_sizes(self, rng: random.Random) -> tuple[list[int], list[int]]:
        """Each spare head joins a random needed `W`, or a random free group, or opens a free group."""
        shared = [1] * len(self.canonical.heads)
        free: list[int] = []
        for _ in range(self.spare):
            place = rng.randrange(len(shared) + len(free) + 1)
            if place < len(shared):
                shared[place] += 1
            elif place < len(shared) + len(free):
                free[place - len(shared)] += 1
            else:
                free.append(1)
        return shared, free


def fibre(model: AttentionModel[S, V]) -> Fibre[S, V]:
    """The models with the function of `model` and as many heads; raises `InputError` for floating semantics."""
    _need_exact(model)
    return Fibre(model)


def _share(W: Matrix, v: Sequence[V], size: int, draw: Callable[[], V]) -> list[Head[Any, V]]:
    """`size` heads with this `W` whose values sum to `v`, all but the first drawn."""
    drawn = [[draw() for _ in v] for _ in range(size - 1)]
    first = [sum((-row[i] for row in drawn), x) for i, x in enumerate(v)]
    return [Head(W, first), *(Head(W, row) for row in drawn)]


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to write `total` as an ordered sum of `parts` numbers ≥ 0."""
    if parts == 0:
        if total == 0:
            yield ()
    elif parts == 1:
        yield (total,)
    else:
        for k in range(total + 1):
            for rest in _compositions(total - k, parts - 1):
                yield (k, *rest)


def _partitions(total: int, parts: int, largest: int) -> Iterator[tuple[int, ...]]:
    """All ways to write `total` as a descending sum of `parts` positive numbers, none above `largest`."""
    if parts == 0:
        if total == 0:
            yield ()
        return
    for k in range(min(total - parts + 1, largest), 0, -1):
        if k * parts >= total:
            for rest in _partitions(total - k, parts - 1, k):
                yield (k, *rest)
