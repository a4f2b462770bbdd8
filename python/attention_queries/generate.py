"""Random targets that a seed determines."""

from __future__ import annotations

import random
from typing import Any

from attention_queries.errors import InputError
from attention_queries.models import AttentionModel, Head
from attention_queries.semantics.base import Semantics

DEFAULT_LOW, DEFAULT_HIGH = -3, 3
MAX_DIM = 4096


def random_target(
    semantics: Semantics[Any, Any],
    dim: int,
    *,
    heads: int = 1,
    low: int = DEFAULT_LOW,
    high: int = DEFAULT_HIGH,
    seed: int = 0,
) -> AttentionModel[Any, Any]:
    """A model whose entries of `W` and `v` are independent uniform integers from `low` to `high`.

    A head's `v` is drawn again while it is zero, so that its `W` matters. Raises `InputError` when the dimension, the
    number of heads or the range is empty, or too large for memory, or leaves nothing but zero.
    """
    if not 1 <= dim <= MAX_DIM:
        raise InputError(f"the dimension must be from 1 to {MAX_DIM}, not {dim}")
    if not 1 <= heads <= MAX_DIM:
        raise InputError(f"the number of heads must be from 1 to {MAX_DIM}, not {heads}")
    if heads * dim * dim > MAX_DIM**2:
        raise InputError(f"{heads} heads of dimension {dim} have more than {MAX_DIM**2} weights")
    if low > high:
        raise InputError(f"the range from {low} to {high} is empty")
    if low == high == 0:
        raise InputError("the range holds only 0, and heads with v = 0 compute nothing")
    rng = random.Random(seed)
    return AttentionModel(semantics, dim, [_random_head(rng, dim, low, high) for _ in range(heads)])


def _random_head(rng: random.Random, dim: int, low: int, high: int) -> Head[int, int]:
    W = [[rng.randint(low, high) for _ in range(dim)] for _ in range(dim)]
    v = [0] * dim
    while not any(v):
        v = [rng.randint(low, high) for _ in range(dim)]
    return Head(W, v)
