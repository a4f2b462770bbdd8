"""The long variant: `H` labelled scores from `H` queries with as many copies of one token as the prime `p`.

With `k` copies of `q + y` and `m` of the query token `q`, where the heads show the weights `w_h = exp(yᵀ W_h q)` and
residues `a_h`, adding `p` copies of `q + u` changes the answer by `p·x`, and modulo `p`

`x ≡ Σ_h E_h (b_h (m + k w_h) - a_h k w_h) / (m + k w_h)²`, `E_h = exp(uᵀ W_h q)`, `b_h = ⟨v_h, u⟩`:

a linear system for the `E_h`, already labelled (`AttentionQueries.Results.divided_answer`, `labelled_scores`). The
answer without `q + u` is known, so it is not asked. Copies are counts: no sequence is ever written out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any

from attention_queries.exactarray import integer_array
from attention_queries.learners.multi_head.column import Column
from attention_queries.learners.multi_head.directions import Total, ask, combined, ratios, unit_vector
from attention_queries.learners.multi_head.modular import rank, solve
from attention_queries.learners.multi_head.reduction import Reduction, Retry
from attention_queries.learners.multi_head.rows import Guide, with_pivot
from attention_queries.oracle import Oracle
from attention_queries.sequences import QueryBatch


def scores_at(
    oracle: Oracle[Any, Any],
    reduction: Reduction,
    total: Total,
    column: Column,
    guide: Guide,
    q: Sequence[int],
    at_guide: list[Any],
) -> list[list[Any]]:
    """For each head the scores of the standard basis at the query token `q`, from `(d - 1)H` queries.

    Raises `Retry`.
    """
    p, square, heads = reduction.p, reduction.p**2, len(at_guide)
    weights = [reduction.power(s, square) for s in at_guide]
    others = [i for i in range(oracle.dim) if i != guide.pivot]
    systems = [_system(weights, guide.residues, [v[i] for v in column.residues], p) for i in others]
    tokens = [*(combined((1, q), (1, unit_vector(oracle.dim, i))) for i in others), combined((1, q), (1, guide.u)), q]
    y, last = len(others), len(others) + 1
    sequences = [((x, p), (y, k), (last, m)) for x, (chosen, _) in enumerate(systems) for k, m in chosen]
    batch = QueryBatch(integer_array(tokens, (last + 1, oracle.dim)), sequences)
    answers = ask(oracle, batch)
    at_q = total.at(q, square)
    differences = [(x - at_q) % square for x in reduction.residues(answers, square)]
    known: dict[tuple[int, int], int] = {}
    found = {}
    for x, (i, (chosen, rows)) in enumerate(zip(others, systems, strict=True)):
        right = []
        for n, (k, m) in enumerate(chosen, x * heads):
            if (k, m) not in known:
                known[k, m] = _without(weights, guide.residues, k, m, p)
            quotient, rest = divmod((differences[n] - known[k, m]) % square, p)
            if rest:
                raise Retry(
                    f"the answer to the query {batch.query(n)} does not agree with the heads seen before",
                    batch.query(n),
                    answers[n],
                )
            right.append(quotient)
        powers = solve(rows, right, p)
        if powers is None or 0 in powers:
            raise Retry("a linear system for the scores has no solution in units")
        found[i] = list(map(reduction.score, powers))
        if not reduction.plausible(found[i], answers[x * heads : (x + 1) * heads]):
            n = (x + 1) * heads - 1
            raise Retry(
                f"the answers up to the query {batch.query(n)} are not those of the heads seen before",
                batch.query(n),
                answers[n],
            )
    return with_pivot(guide, at_guide, found)


def _system(
    weights: Sequence[int], a: Sequence[int], b: Sequence[int], p: int
) -> tuple[list[tuple[int, int]], list[list[int]]]:
    """Copies (k, m) and the rows of an invertible system for them; some `H` of any `2H` ratios give one."""
    heads = len(weights)
    candidates = _rows(weights, a, b, p)
    first = list(islice(candidates, heads))
    if rank([row for _, row in first], p) == heads:
        return [pair for pair, _ in first], [row for _, row in first]
    kept: list[tuple[tuple[int, int], list[int]]] = []
    for candidate in chain(first, candidates):
        if rank([row for _, row in [*kept, candidate]], p) > len(kept):
            kept.append(candidate)
        if len(kept) == heads:
            return [pair for pair, _ in kept], [row for _, row in kept]
    raise Retry("no choice of copies gives an invertible linear system")


def _rows(
    weights: Sequence[int], a: Sequence[int], b: Sequence[int], p: int
) -> Iterator[tuple[tuple[int, int], list[int]]]:
    for k, m in ratios(4 * len(weights)):
        sums = [(m + k * w) % p for w in weights]
        if 0 not in sums:
            terms = zip(weights, a, b, sums, strict=True)
            yield (k, m), [(y * s - x * k * w) * pow(s, -2, p) % p for w, x, y, s in terms]


def _without(weights: Sequence[int], a: Sequence[int], k: int, m: int, p: int) -> int:
    """`F` on `k` copies of the guide's token and `m` of the query token, modulo `p²`."""
    square = p * p
    return sum(x * k * w * pow(m + k * w, -1, square) for w, x in zip(weights, a, strict=True)) % square
