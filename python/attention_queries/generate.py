"""Random targets that a seed determines."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from flint import fmpz_mat

from attention_queries.errors import InputError
from attention_queries.models import AttentionModel, Head
from attention_queries.semantics.base import Semantics
from attention_queries.transformer import Neuron, ReluNetwork, Transformer

DEFAULT_LOW, DEFAULT_HIGH = -3, 3
MAX_DIM = 4096


def random_target(
    semantics: Semantics[Any, Any],
    dim: int,
    *,
    heads: int = 1,
    rank: int | None = None,
    low: int = DEFAULT_LOW,
    high: int = DEFAULT_HIGH,
    seed: int = 0,
) -> AttentionModel[Any, Any]:
    """A model whose entries of `W` and `v` are independent uniform integers from `low` to `high`.

    With a `rank`, `W = KᵀQ` has that rank at most, and it is the entries of `K` and `Q`, with `rank` rows, that are
    drawn. A head's `v` is drawn again while it is zero, so that its `W` matters. Raises `InputError` when the
    dimension, the number of heads or the range is empty, or too large for memory, or leaves nothing but zero.
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
    if rank is not None and not 0 <= rank <= dim:
        raise InputError(f"the rank must be from 0 to the dimension {dim}, not {rank}")
    rng = random.Random(seed)
    return AttentionModel(semantics, dim, [_random_head(rng, dim, rank, low, high) for _ in range(heads)])


def _random_head(rng: random.Random, dim: int, rank: int | None, low: int, high: int) -> Head[int, int]:
    if rank is None:
        W = [[rng.randint(low, high) for _ in range(dim)] for _ in range(dim)]
    else:
        K, Q = (fmpz_mat(rank, dim, [rng.randint(low, high) for _ in range(rank * dim)]) for _ in range(2))
        W = [list(map(int, row)) for row in (K.transpose() * Q).tolist()]
    v = [0] * dim
    while not any(v):
        v = [rng.randint(low, high) for _ in range(dim)]
    return Head(W, v)


def random_transformer(
    semantics: Semantics[Any, Any],
    dim: int,
    *,
    hidden: int,
    biases: bool = True,
    low: int = DEFAULT_LOW,
    high: int = DEFAULT_HIGH,
    seed: int = 0,
) -> Transformer[Any, Any]:
    """A transformer with `hidden` neurons, all parameters independent uniform integers from `low` to `high`.

    Input and output weights of a neuron are drawn again while they are zero; without `biases`, those of the neurons
    and the constant are zero. Raises `InputError` as `random_target` does, and for a negative number of neurons.
    """
    if hidden < 0:
        raise InputError(f"the number of neurons is a natural number, not {hidden}")
    if hidden * dim > MAX_DIM**2:
        raise InputError(f"{hidden} neurons of dimension {dim} have more than {MAX_DIM**2} weights")
    (head,) = random_target(semantics, dim, low=low, high=high, seed=seed).heads
    rng = random.Random(f"network {seed}")
    zero = [0] * dim

    def vector() -> list[int]:
        return [rng.randint(low, high) for _ in range(dim)]

    def not_zero(draw: Callable[[], Any], unwanted: Any) -> Any:
        return next(x for x in iter(draw, None) if x != unwanted)

    def bias() -> int:
        return rng.randint(low, high) if biases else 0

    neurons = [
        Neuron(not_zero(lambda: rng.randint(low, high), 0), tuple(not_zero(vector, zero)), bias())
        for _ in range(hidden)
    ]
    network = ReluNetwork(neurons, vector(), bias(), exact=semantics.exact)
    return Transformer(semantics, head.W, network)
