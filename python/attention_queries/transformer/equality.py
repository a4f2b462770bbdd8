"""Whether two models, transformers or sums of heads, compute the same function, and a query that shows if not."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from flint import fmpq

from attention_queries import fibre
from attention_queries.errors import InputError, ScoreTooLarge
from attention_queries.fibre import Comparison
from attention_queries.models import AttentionModel, Head
from attention_queries.sequences import Query
from attention_queries.transformer.model import Transformer
from attention_queries.transformer.network import ReluNetwork, inner
from attention_queries.transformer.plan import Independent, fans
from attention_queries.transformer.readout import query_at

AnyModel = AttentionModel[Any, Any] | Transformer[Any, Any]

_TRIES = 20


def same_function(a: AnyModel, b: AnyModel) -> bool:
    """Decide exactly whether two models of one semantics and dimension compute the same function."""
    a, b = simplest(a), simplest(b)
    if isinstance(a, Transformer) and isinstance(b, Transformer):
        return a.canonical() == b.canonical()
    if isinstance(a, AttentionModel) and isinstance(b, AttentionModel):
        return a.canonical_heads() == b.canonical_heads()
    # A transformer that is no head has a kink or a constant on single tokens, where sums of heads are linear.
    return False


def canonical(model: AnyModel) -> AnyModel:
    """As `fibre.canonical`, for transformers too: `V` absorbed, and the network in canonical form.

    Raises `InputError` for floating semantics.
    """
    if isinstance(model, AttentionModel):
        return fibre.canonical(model)
    if not model.semantics.exact:
        raise InputError(f"canonical forms are for exact semantics only, not for {model.semantics.name}")
    return model.canonical()


def equal(a: AnyModel, b: AnyModel) -> Comparison[Any, Any]:
    """As `fibre.equal`, for transformers too.

    Transformers that differ in the network have a witness that shows one point to both networks, and others one of two
    tokens. Raises `InputError` when semantics or dimensions differ or the semantics is not exact.
    """
    a, b = simplest(a), simplest(b)
    if isinstance(a, AttentionModel) and isinstance(b, AttentionModel):
        return fibre.equal(a, b)
    if not (a.semantics.exact and b.semantics.exact):
        raise InputError(f"equality of functions is decided for exact semantics only, not for {a.semantics.name}")
    if a.semantics != b.semantics:
        raise InputError(f"the models have different semantics: {a.semantics.name} and {b.semantics.name}")
    if a.dim != b.dim:
        raise InputError(f"the models have different dimensions: {a.dim} and {b.dim}")
    if same_function(a, b):
        return Comparison(True)
    for query in _candidates(a, b):
        try:
            values = a.value(query), b.value(query)
        except ScoreTooLarge:
            continue
        if values[0] != values[1]:
            return Comparison(False, query, values)
    return Comparison(False)


def simplest(model: AnyModel) -> AnyModel:
    """The model itself, or the head that an exact transformer with a linear network is."""
    if isinstance(model, Transformer) and model.semantics.exact:
        network = model.absorbed.canonical()
        if not network.hidden and network.constant == 0:
            return AttentionModel(model.semantics, model.dim, [Head(model.W, network.linear)])
    return model


def _candidates(a: AnyModel, b: AnyModel) -> Iterator[Query[Any]]:
    rng = random.Random(0)
    difference = (_on_single_tokens(a) + _negative(_on_single_tokens(b))).canonical()
    if difference != ReluNetwork.zero(a.dim):
        for _ in range(_TRIES):
            for z in _where_not_zero(difference, rng):
                yield query_at(z, a.semantics)
    for fan in fans(_on_single_tokens(a), rng, Independent()):
        for u in fan.directions:
            yield Query(((tuple(x + y for x, y in zip(fan.q, u, strict=True)), 1), (fan.q, 1)))


def _on_single_tokens(model: AnyModel) -> ReluNetwork:
    """The network that gives the values on sequences of length one; for heads, its linear part is read off as fmpq."""
    if isinstance(model, Transformer):
        return model.absorbed
    units = [tuple(int(i == j) for j in range(model.dim)) for i in range(model.dim)]
    values = [model.value(Query(((model.semantics.token(u), 1),))) for u in units]
    rational = [y.as_rational() if hasattr(y, "as_rational") else y for y in values]
    if None in rational:
        raise InputError("a head with irrational values and a transformer are not compared")
    return ReluNetwork([], rational)


def _negative(network: ReluNetwork) -> ReluNetwork:
    hidden = [(-n.a, n.w, n.c) for n in network.hidden]
    return ReluNetwork(hidden, [-x for x in network.linear], -network.constant)


def _where_not_zero(network: ReluNetwork, rng: random.Random) -> list[tuple[fmpq, ...]]:
    """Points at one of which a network in canonical form, not 0, is likely to be different from 0."""
    start = tuple(fmpq(rng.randint(-64, 64), 8) for _ in range(network.dim))
    if not network.hidden:
        return [start]
    # Across a hyperplane, the second difference is not 0 unless other neurons happen to cancel there.
    neuron = rng.choice(network.hidden)
    back = neuron.input(start) / inner(neuron.w, neuron.w)
    step = fmpq(1, rng.choice((1, 16, 1 << 10)))
    return [tuple(x - (back + shift * step) * y for x, y in zip(start, neuron.w, strict=True)) for shift in (-1, 0, 1)]


def largest_error(a: Transformer[Any, Any], b: Transformer[Any, Any]) -> float | None:
    """The largest difference of two parameters of the canonical forms; None when the numbers of neurons differ."""
    a, b = a.canonical(), b.canonical()
    if a.dim != b.dim or len(a.network.hidden) != len(b.network.hidden):
        return None
    left = [*(x for row in a.W for x in row), *a.network.linear, a.network.constant]
    right = [*(x for row in b.W for x in row), *b.network.linear, b.network.constant]
    errors = [_distance(left, right)]
    # Rounding errors may change the order of neurons: each is compared with the nearest one left.
    others = [(n.a, *n.w, n.c) for n in b.network.hidden]
    for neuron in a.network.hidden:
        entries = (neuron.a, *neuron.w, neuron.c)
        nearest = min(others, key=lambda other: _distance(entries, other))
        others.remove(nearest)
        errors.append(_distance(entries, nearest))
    return max(errors)


def _distance(x: Sequence[Any], y: Sequence[Any]) -> float:
    return max(abs(float(a) - float(b)) for a, b in zip(x, y, strict=True))
