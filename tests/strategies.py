"""Random scalars, models and queries of every semantics, and slow definitions to compare with."""

from __future__ import annotations

from typing import Any

from flint import fmpq
from hypothesis import strategies as st

from attention_queries import AttentionModel, Base2, ExpField, ExpFraction, Float, Head, Query

SEMANTICS = {"base2": Base2(), "exp": ExpField(), "float": Float()}
EXACT = {name: s for name, s in SEMANTICS.items() if s.exact}

integers = st.integers(-6, 6)
rationals = st.builds(lambda p, q: fmpq(p, q), integers, st.sampled_from([1, 1, 2, 3, 7]))


def scalars(name: str) -> Any:
    return {"base2": integers, "exp": rationals, "float": st.floats(-2, 2)}[name]


def values(name: str) -> Any:
    return {"base2": rationals, "exp": rationals.map(ExpFraction.rational), "float": st.floats(-3, 3)}[name]


def vectors(entries: Any, d: int) -> Any:
    return st.tuples(*[entries] * d)


@st.composite
def models(draw: Any, name: str, max_heads: int = 3, max_dim: int = 4) -> AttentionModel:
    d = draw(st.integers(1, max_dim))
    W, v = vectors(vectors(scalars(name), d), d), vectors(values(name), d)
    return AttentionModel(SEMANTICS[name], d, [Head(draw(W), draw(v)) for _ in range(draw(st.integers(1, max_heads)))])


def queries(name: str, d: int) -> Any:
    runs = st.lists(st.tuples(vectors(scalars(name), d), st.integers(1, 5)), min_size=1, max_size=5)
    return runs.map(lambda r: Query(tuple(r)))


def value_by_definition(model: AttentionModel, query: Query) -> Any:
    """The model's value, straight from the definition: every copy a term of its own."""
    s = model.semantics
    tokens = [token for token, copies in query.runs for _ in range(copies)]
    total = s.value(0)
    for head in model.heads:
        Wq = [sum((a * b for a, b in zip(row, query.token, strict=True)), s.scalar(0)) for row in head.W]
        weights = [s.exp(sum((a * b for a, b in zip(x, Wq, strict=True)), s.scalar(0))) for x in tokens]
        outputs = [sum((s.cast(a) * b for a, b in zip(x, head.v, strict=True)), s.value(0)) for x in tokens]
        top = sum((w * y for w, y in zip(weights, outputs, strict=True)), s.value(0))
        total = total + top / sum(weights, s.value(0))
    return total
