"""Pairs of models, half of them equal as functions, the others nearly so, with Python's decision and witness."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from flint import fmpq

from attention_queries.fibre import Comparison, canonical, equal, fibre
from attention_queries.lean.cases import IntHead, IntModel
from attention_queries.models import AttentionModel, Head
from attention_queries.semantics.base2 import Base2


@dataclass(frozen=True)
class FibreCase:
    """Two sums of heads and what Python says of them."""

    a: IntModel
    b: IntModel
    comparison: Comparison[int, fmpq]

    @property
    def form(self) -> IntModel:
        """The canonical form of the first model."""
        return canonical(self.a)


def _head(rng: random.Random, dim: int) -> IntHead:
    W = [[rng.randint(-2, 2) for _ in range(dim)] for _ in range(dim)]
    return Head(W, [fmpq(rng.randint(-3, 3), rng.choice((1, 1, 2))) for _ in range(dim)])


def random_pair(rng: random.Random, dim: int, heads: int, *, same: bool) -> FibreCase:
    """A model with a repeated and a zero head, and another with its function or one small change.

    The change is 1 in one entry of one `W`, or 1 in one entry of one `v`, of a head that matters.
    """
    base = [_head(rng, dim) for _ in range(heads)]
    spare = Head(_head(rng, dim).W, [fmpq(0)] * dim)
    a = AttentionModel(Base2(), dim, [*base, Head(base[0].W, _head(rng, dim).v), spare])
    b = fibre(a).sample(rng.randrange(1 << 30)) if same else _changed(rng, a)
    return FibreCase(a, b, equal(a, b))


def _changed(rng: random.Random, model: IntModel) -> IntModel:
    heads = [([list(row) for row in head.W], list(head.v)) for head in model.heads]
    i, j = rng.randrange(model.dim), rng.randrange(model.dim)
    W, v = rng.choice(heads[:-1])
    if rng.random() < 0.7:
        W[i][j] += 1
    else:
        v[i] += 1
    return AttentionModel(model.semantics, model.dim, [Head(W, v) for W, v in heads])


def fibre_cases() -> Iterator[FibreCase]:
    """The fixed cases of `Fibre.lean`, with mirror pairs, which differ on no sequence of length two."""
    rng = random.Random("fibre")
    for n in range(102):
        # Mostly small: the time that Lean takes grows fast with both.
        dim, heads = rng.choice(((1, 1), (1, 1), (1, 1), (1, 1), (1, 2), (1, 3), (2, 1), (2, 1), (2, 2)))
        yield random_pair(rng, dim, heads, same=n % 2 == 0)
    for dim in (1, 2, 3):
        first, second = _head(rng, dim), _head(rng, dim)
        v = [fmpq(1)] * dim
        a, b = ([Head(h.W, v), Head([[-x for x in row] for row in h.W], v)] for h in (first, second))
        pair = AttentionModel(Base2(), dim, a), AttentionModel(Base2(), dim, b)
        yield FibreCase(*pair, equal(*pair))
