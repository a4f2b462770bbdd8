"""Telling a transformer with a ReLU network from a sum of heads, by answers to single tokens."""

from __future__ import annotations

import random
from typing import Any

from attention_queries.oracle import Oracle
from attention_queries.sequences import QueryBatch

SIZES = (1, 3, 10, 32, 100, 1000)


def nonlinear_on_single_tokens(oracle: Oracle[Any, Any], *, seed: int = 0) -> bool:
    """Whether some answers to single tokens are not linear in the token, as those of every sum of heads are.

    Tests `f(x) + f(y) = f(x + y)` for random tokens of several sizes with `y = -x` and `y = 0` among them, by at most
    25 queries of length one. True is a proof; False is not: a network may have its kinks elsewhere.
    """
    rng = random.Random(seed)
    zero = [0] * oracle.dim
    sums = [(zero, zero)]
    for size in SIZES:
        x, y = ([rng.randint(-size, size) for _ in range(oracle.dim)] for _ in range(2))
        sums += [(x, y), (x, [-a for a in x])]
    tokens = [token for x, y in sums for token in (x, y, [a + b for a, b in zip(x, y, strict=True)])]
    distinct = {tuple(token): None for token in tokens}
    read = oracle.semantics.token
    answers = oracle.many(QueryBatch.singles([read(token) for token in distinct]))
    f = dict(zip(distinct, answers, strict=True))
    return any(
        not oracle.semantics.equal(f[tuple(x)] + f[tuple(y)], f[tuple(a + b for a, b in zip(x, y, strict=True))])
        for x, y in sums
    )
