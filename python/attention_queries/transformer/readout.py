"""Queries whose attention output is a given vector, whatever the scores are."""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm
from typing import Any

from attention_queries.semantics import Base2
from attention_queries.semantics.base import Semantics
from attention_queries.semantics.rational import parse_rational
from attention_queries.sequences import Query


def query_at(z: Sequence[Any], semantics: Semantics[Any, Any]) -> Query[Any]:
    """A query with attention output `z`, for every `W`.

    A sequence of length one has its token for output. In base 2, where tokens are integers, the point `x / n` is the
    output of one copy of `x` and `n - 1` copies of the query token 0: all scores are 0, and the output is the mean.
    """
    if not isinstance(semantics, Base2):
        return Query(((semantics.token(z), 1),))
    entries = [parse_rational(x) for x in z]
    n = lcm(*(int(x.q) for x in entries))
    token = tuple(int(x.p) * (n // int(x.q)) for x in entries)
    return Query(((token, 1),)) if n == 1 else Query(((token, 1), ((0,) * len(token), n - 1)))
