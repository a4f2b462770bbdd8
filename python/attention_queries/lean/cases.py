"""Cases that Lean and Python both compute: values of models, and runs of the learner, most in the base-2 semantics."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from flint import fmpq

from attention_queries.errors import LeanError, NotASingleHead, NotIdentifiable
from attention_queries.learners.single_head import learn_single_head
from attention_queries.models import AttentionModel, Head
from attention_queries.oracle import ModelOracle
from attention_queries.semantics.base2 import Base2
from attention_queries.semantics.expfield import ExpField
from attention_queries.semantics.expfraction import ExpFraction
from attention_queries.sequences import Query
from attention_queries.transcript import Entry, Transcript

IntHead = Head[int, fmpq]
IntModel = AttentionModel[int, fmpq]
SymbolicModel = AttentionModel[fmpq, ExpFraction]
_BASE2 = Base2()
_EXP = ExpField()


@dataclass(frozen=True)
class ValueCase:
    """A sum of heads and a sequence."""

    model: IntModel
    query: Query[int]

    @property
    def value(self) -> fmpq:
        """The value that Python computes."""
        return self.model.value(self.query)


def _entry(rng: random.Random, size: int) -> int:
    return rng.randint(-size, size)


def _vector(rng: random.Random, dim: int, size: int) -> tuple[int, ...]:
    return tuple(_entry(rng, size) for _ in range(dim))


def _values(rng: random.Random, dim: int) -> tuple[fmpq, ...]:
    return tuple(fmpq(_entry(rng, 5), rng.choice((1, 1, 2, 3, 5))) for _ in range(dim))


def _nonzero(rng: random.Random) -> fmpq:
    return fmpq(rng.choice((-3, -2, -1, 1, 2, 3)), rng.randint(1, 3))


def _head(rng: random.Random, dim: int, size: int) -> IntHead:
    return Head([_vector(rng, dim, size) for _ in range(dim)], _values(rng, dim))


def _model(dim: int, heads: Iterable[IntHead]) -> IntModel:
    return AttentionModel(_BASE2, dim, heads)


def _query(rng: random.Random, dim: int, runs: int, copies: int, size: int = 2) -> Query[int]:
    return Query(tuple((_vector(rng, dim, size), rng.randint(1, copies)) for _ in range(runs)))


def _one_dimension(rng: random.Random) -> ValueCase:
    return ValueCase(_model(1, [_head(rng, 1, 4)]), _query(rng, 1, rng.choice((1, 2, 2, 3)), 1))


def _single_token(rng: random.Random) -> ValueCase:
    dim = rng.choice((1, 1, 2, 3, 4))
    return ValueCase(_model(dim, [_head(rng, dim, 9)]), _query(rng, dim, 1, 1, 9))


def _several_dimensions(rng: random.Random) -> ValueCase:
    dim = rng.choice((2, 2, 2, 2, 2, 2, 3, 4))
    return ValueCase(_model(dim, [_head(rng, dim, 2)]), _query(rng, dim, 2, 1))


def _repeated_tokens(rng: random.Random) -> ValueCase:
    """Runs of several copies, and tokens that come back later, the query token among them."""
    dim = rng.choice((1, 1, 1, 1, 2, 3))
    tokens = [_vector(rng, dim, 2) for _ in range(2)]
    runs = tuple((rng.choice(tokens), rng.randint(1, 2)) for _ in range(rng.choice((1, 1, 1, 2))))
    return ValueCase(_model(dim, [_head(rng, dim, 2)]), Query((*runs, (rng.choice(tokens), rng.randint(1, 3)))))


def _large_scores(rng: random.Random) -> ValueCase:
    dim = rng.choice((1, 1, 2))
    return ValueCase(_model(dim, [_head(rng, dim, 40)]), _query(rng, dim, 2, 1))


def _negative_scores(rng: random.Random) -> ValueCase:
    """All scores are negative: entries of `W` are, and entries of tokens are positive."""
    dim = rng.choice((1, 1, 2))
    W = [[rng.randint(-9, -1) for _ in range(dim)] for _ in range(dim)]
    runs = tuple((tuple(rng.randint(1, 3) for _ in range(dim)), 1) for _ in range(2))
    return ValueCase(_model(dim, [Head(W, _values(rng, dim))]), Query(runs))


def _huge_scores(rng: random.Random) -> ValueCase:
    sign = rng.choice((-1, 1))
    head = Head([[sign * rng.randint(300, 500)]], [fmpq(rng.randint(1, 5), 3)])
    return ValueCase(_model(1, [head]), Query((((rng.choice((-1, 2)),), 1), ((1,), rng.randint(1, 2)))))


def _several_heads(rng: random.Random) -> ValueCase:
    dim = rng.choice((1, 1, 2))
    heads = [_head(rng, dim, 2) for _ in range(rng.choice((2, 2, 2, 3)))]
    return ValueCase(_model(dim, heads), _query(rng, dim, rng.randint(1, 2), 1))


def _merging_heads(rng: random.Random) -> ValueCase:
    """Heads with one matrix, some with opposite or zero value vectors, and no head at all."""
    dim = rng.randint(1, 2)
    head = _head(rng, dim, 3)
    opposite = Head(head.W, [-x for x in head.v])
    zero = Head(_head(rng, dim, 3).W, [fmpq(0)] * dim)
    heads = rng.choice(((), (head, opposite), (head, zero), (head, head), (opposite, head, zero)))
    return ValueCase(_model(dim, heads), _query(rng, dim, 2, 2))


_SECTIONS: tuple[tuple[str, int, Callable[[random.Random], ValueCase]], ...] = (
    ("One dimension", 36, _one_dimension),
    ("Sequences of one token", 24, _single_token),
    ("Two to four dimensions", 26, _several_dimensions),
    ("Repeated tokens", 32, _repeated_tokens),
    ("Large scores of both signs", 22, _large_scores),
    ("Negative scores", 12, _negative_scores),
    ("Scores of several hundred", 4, _huge_scores),
    ("Several heads", 24, _several_heads),
    ("Heads that merge or cancel, and no heads", 22, _merging_heads),
)


def random_case(rng: random.Random) -> ValueCase:
    """A case of a random kind."""
    make: Callable[[random.Random], ValueCase] = rng.choice([make for _, _, make in _SECTIONS])
    return make(rng)


def value_sections() -> Iterator[tuple[str, list[ValueCase]]]:
    """The fixed cases of `Values.lean`, by section."""
    for title, count, make in _SECTIONS:
        rng = random.Random(title)
        yield title, [make(rng) for _ in range(count)]


@dataclass(frozen=True)
class SymbolicCase:
    """A sum of heads with rational weights in the exp semantics, and a sequence."""

    model: SymbolicModel
    query: Query[fmpq]

    @property
    def value(self) -> ExpFraction:
        """The value that Python computes."""
        return self.model.value(self.query)


def _fraction(rng: random.Random) -> fmpq:
    return fmpq(rng.choice((-3, -2, -1, 1, 2, 3)), rng.choice((1, 1, 2, 3)))


def _symbolic_model(rng: random.Random, dim: int, heads: int) -> SymbolicModel:
    return AttentionModel(
        _EXP,
        dim,
        [
            Head([[_fraction(rng) for _ in range(dim)] for _ in range(dim)], [_fraction(rng) for _ in range(dim)])
            for _ in range(heads)
        ],
    )


def symbolic_cases() -> Iterator[SymbolicCase]:
    """The fixed cases of `Symbolic.lean`: small, because Lean never shortens a fraction of exponential sums."""
    rng = random.Random("symbolic")
    for dim, heads, runs, copies in (*((1, 1, 1, 1), (1, 1, 2, 1), (1, 1, 2, 2), (2, 1, 2, 1)) * 2, (1, 2, 1, 2)):
        tokens = tuple((tuple(_fraction(rng) for _ in range(dim)), rng.randint(1, copies)) for _ in range(runs))
        yield SymbolicCase(_symbolic_model(rng, dim, heads), Query(tokens))


def symbolic_learner_models() -> Iterator[tuple[SymbolicModel, SymbolicModel]]:
    """Single heads with rational weights, each with what Python's learner found."""
    rng = random.Random("symbolic learner")
    model = _symbolic_model(rng, 1, 1)
    yield model, learn_single_head(ModelOracle(model)).model


@dataclass(frozen=True)
class LearnerRun:
    """What the learner found when it asked the model: a head, or None for a zero `v`; and all it asked."""

    model: IntModel
    found: IntHead | None
    entries: tuple[Entry[int, fmpq], ...]


def _learner_heads() -> Iterator[IntHead]:
    """Heads of each dimension up to 4, with zeros nowhere, first or last in `v`, and one with `v = 0`."""
    for dim in range(1, 5):
        rng = random.Random(f"learner {dim}")
        supports = (range(dim), range(dim - 1, dim), range((dim + 1) // 2))
        for kept in supports if dim < 4 else (range(1, 3),):
            v = [_nonzero(rng) if i in kept else fmpq(0) for i in range(dim)]
            yield Head(_head(rng, dim, 5).W, v)
        yield Head(_head(rng, dim, 5).W, [fmpq(0)] * dim)


def learner_run(model: IntModel) -> LearnerRun:
    """Let the Python learner ask `model`, and put its queries into the order of the Lean program.

    Both ask for `v` first; then the Lean program goes through the entries of `W` row by row, Python column by column.
    """
    transcript = Transcript(_BASE2, model.dim)
    oracle = ModelOracle(model)
    oracle.sink = transcript
    try:
        learned = learn_single_head(oracle)
    except NotIdentifiable:
        found = None
    else:
        (found,) = learned.model.heads
        if found != model.heads[0] or learned.learning.queries != model.parameters:
            raise LeanError(f"the learner found {found} after {learned.learning} queries, but asked {model.heads[0]}")
    d, entries = model.dim, [entry for entry in transcript.entries if not entry.check]
    singles, pairs = entries[:d], entries[d:]
    by_row = [pairs[j * d + i] for i in range(d) for j in range(d)] if pairs else []
    return LearnerRun(model, found, (*singles, *by_row))


def learner_runs() -> Iterator[LearnerRun]:
    """The fixed runs of `Learner.lean` against one head each."""
    for head in _learner_heads():
        yield learner_run(_model(head.dim, [head]))


def rejected_models() -> Iterator[IntModel]:
    """Sums of two heads on which Python's learner notices, before any re-check, that they are not one head."""
    for dim in (1, 2, 3):
        rng = random.Random(f"rejected {dim}")
        model = _model(dim, [_head(rng, dim, 4), _head(rng, dim, 4)])
        while not _is_rejected(model):
            model = _model(dim, [_head(rng, dim, 4), _head(rng, dim, 4)])
        yield model


def _is_rejected(model: IntModel) -> bool:
    transcript = Transcript(_BASE2, model.dim)
    oracle = ModelOracle(model)
    oracle.sink = transcript
    try:
        learn_single_head(oracle)
    except NotASingleHead:
        return not any(entry.check for entry in transcript.entries)
    except NotIdentifiable:
        return False
    return False
