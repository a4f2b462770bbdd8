"""One softmax attention layer with a ReLU network behind it, and its exact values on queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Generic

from attention_queries.errors import InputError
from attention_queries.models import AttentionModel, Head
from attention_queries.models.evaluation import by_query_token, evaluator
from attention_queries.semantics.base import S, Semantics, V
from attention_queries.sequences import Query, QueryBatch
from attention_queries.transformer.network import ReluNetwork


class Transformer(Generic[S, V]):
    """The function `f(X) = g(V Σ_i softmax(s)_i x_i)` with scores `s_i = x_iᵀ W q` and a network `g`; immutable.

    `W` is d×d (scalars), `V` is n×d (rational numbers) for a network with n inputs; without it, `V` is the identity.
    No query can tell `V` and the network apart: `w_jᵀ V`, `lᵀ V` and the rest of the network determine the function.
    """

    def __init__(
        self,
        semantics: Semantics[S, V],
        W: Iterable[Iterable[object]],
        network: ReluNetwork,
        values: Sequence[Sequence[object]] | None = None,
    ) -> None:
        """Read every entry; `values` is the matrix `V`. Raises `InputError` for bad numbers or sizes."""
        if network.exact != semantics.exact:
            raise InputError(f"the numbers of the network are not those of the {semantics.name} semantics")
        self.semantics = semantics
        self.network = network
        self.values_matrix = None if values is None else _matrix(values, exact=semantics.exact)
        self.absorbed = network if self.values_matrix is None else network.after(self.values_matrix)
        self.dim = self.absorbed.dim
        rows = [list(row) for row in W]
        for i, row in enumerate(rows):
            if len(row) != len(rows):
                raise InputError(f"W[{i}] has length {len(row)} instead of {len(rows)}; W must be square")
        if len(rows) != self.dim:
            raise InputError(f"W has size {len(rows)}, but the network takes attention outputs of length {self.dim}")
        # A head with v = 0 reads and checks W, and knows its scores.
        self._attention = AttentionModel(semantics, self.dim, [Head(rows, [0] * self.dim)])
        self.W: tuple[tuple[S, ...], ...] = self._attention.heads[0].W
        self._evaluator = evaluator(self.W, self._attention.heads[0].v, semantics)

    @property
    def parameters(self) -> int:
        """The number of parameters of the canonical form: d² for `W`, (m + 1)(d + 1) for m neurons."""
        return self.dim**2 + self.absorbed.parameters

    def value(self, query: Query[S]) -> V:
        """The answer to one query.

        Raises `InputError` for tokens of another dimension and `ScoreTooLarge` where base-2 powers do not fit.
        """
        return self.values(QueryBatch.of([query]))[0]

    def values(self, batch: QueryBatch) -> list[V]:
        """The answers to a batch; errors as for `value`, before any answer is computed."""
        if len(batch) == 0:
            return []
        self._check_dim(batch.dim)
        answers: list[Any] = [None] * len(batch)
        mixed = []
        for j, runs in enumerate(batch.sequences):
            if len(runs) == 1:  # the attention output is the token
                z = self.semantics.token(batch.token(runs[0][0]))
                answers[j] = self.semantics.value(self.absorbed.value(z))
            else:
                mixed.append(j)
        if mixed:
            means = self._means(QueryBatch(batch.tokens, [batch.sequences[j] for j in mixed], batch.denominator))
            for j, z in zip(mixed, means, strict=True):
                answers[j] = self.semantics.value(self.absorbed.value(z))
        return answers

    def _means(self, batch: QueryBatch) -> list[tuple[V, ...]]:
        """The attention outputs, vectors of length d."""
        if self.semantics.max_span is not None:
            self.semantics.check_spans(self.score_spans(batch))
        cast, scalar = self.semantics.cast, self.semantics.scalar
        tokens = {i: [cast(scalar(x)) for x in batch.token(i)] for i in batch.used_rows}
        zero, one = self.semantics.value(0), self.semantics.value(1)
        results: list[Any] = [None] * len(batch)
        for group in by_query_token(batch):
            scores = dict(zip(group.rows, self._evaluator.scores(batch, group.rows, group.last), strict=True))
            for j, runs in zip(group.positions, group.sequences, strict=True):
                s, copies = [scores[i] for i, _ in runs], [k for _, k in runs]
                if len(runs) == 2:  # nearly all queries of learners
                    weight = self.semantics.softmax_mean(s, copies, (one, zero))
                    x, q = (tokens[i] for i, _ in runs)
                    results[j] = tuple(b + (a - b) * weight for a, b in zip(x, q, strict=True))
                    continue
                columns = zip(*(tokens[i] for i, _ in runs), strict=True)
                results[j] = tuple(self.semantics.softmax_mean(s, copies, column) for column in columns)
        return results

    def score_spans(self, batch: QueryBatch) -> list[S]:
        """For every query of the batch, the difference of the extreme scores."""
        return self._attention.score_spans(batch)

    def _check_dim(self, dim: int) -> None:
        if dim != self.dim:
            raise InputError(f"the query has tokens of length {dim}, the model has dimension {self.dim}")

    def canonical(self) -> Transformer[S, V]:
        """The one model with this function, when `g` is not constant: `V` absorbed and the network canonical.

        When `g` is constant, `W` does not matter; then it is 0 in the canonical form.
        """
        network = self.absorbed.canonical()
        W = [[0] * self.dim] * self.dim if network.is_constant else self.W
        return Transformer(self.semantics, W, network)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Transformer):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self.semantics, self.W, self.network, self.values_matrix

    def __repr__(self) -> str:
        m = len(self.network.hidden)
        return f"<Transformer: dimension {self.dim}, {m} neuron(s), {self.semantics.name} semantics>"


def _matrix(rows: Sequence[Sequence[object]], *, exact: bool) -> tuple[tuple[Any, ...], ...]:
    try:
        return tuple(ReluNetwork([], row, exact=exact).linear for row in rows)
    except InputError as error:
        raise InputError(f"V: {error}") from None
