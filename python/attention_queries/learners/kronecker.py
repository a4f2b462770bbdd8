"""What exactness buys: bounded integer weights from `2H` queries, two for one head.

With a base `M` larger than twice every entry, the token `u = (1, M, M², …)` carries all entries of a vector as the
digits of one number, and the score of `q + u` at the query token `q = (1, M^d, M^2d, …)` all entries of `W`. The price
is the size of the numbers: that score has about `d²·log₂ M` bits, which base-2 answers write out in unary.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from attention_queries.errors import InputError, NotAPower, NotMultiHead, VerificationFailed, shown
from attention_queries.fibre import canonical
from attention_queries.learners.multi_head.anchor import check_max_heads
from attention_queries.learners.multi_head.directions import (
    Samples,
    Total,
    ask_directions,
    decode,
    response,
    visible_heads,
)
from attention_queries.learners.multi_head.reduction import Reductions, Retry
from attention_queries.learners.result import Learned, Progress
from attention_queries.learners.verification import verify_on_fresh_queries
from attention_queries.models import AttentionModel, Head
from attention_queries.oracle import Oracle, QueryCount
from attention_queries.semantics.base import S, V
from attention_queries.semantics.rational import parse_rational
from attention_queries.sequences import QueryBatch

METHOD = "kronecker"
DEFAULT_BOUND = 3
MAX_PRIME_BITS = 1500
"""Several heads are told apart modulo a prime larger than every score, of at most this many bits."""
_PRIMES = 5
_REFUSAL = (
    "the answers are not those of heads within the promise: integer entries up to the bound (default "
    f"{DEFAULT_BOUND}), at most max-heads of them (default 1)"
)


def learn_kronecker(
    oracle: Oracle[S, V],
    *,
    bound: int = DEFAULT_BOUND,
    max_heads: int = 1,
    seed: int = 0,
    checks: int = 8,
    progress: Progress | None = None,
) -> Learned[S, V]:
    """Recover at most `max_heads` heads whose entries are integers from `-bound` to `bound`, by `2·max_heads` queries.

    The canonical form is returned, re-checked on `checks` fresh queries. Raises `NotMultiHead` when the answers are not
    those of such heads, `ScoreTooLarge` when base-2 answers would not fit (use the exp semantics), and `InputError` for
    floating semantics, an empty range, or too many heads for the dimension.
    """
    if type(bound) is not int or bound < 1:
        raise InputError(f"the bound is a positive integer, not {shown(bound)}")
    check_max_heads(max_heads)
    rng = random.Random(seed)
    reductions = Reductions(oracle.semantics, rng, integers=True)
    d, base = oracle.dim, 2 * bound * max_heads + 1
    bits = (base ** (d * d)).bit_length() + 2
    if max_heads > 1 and bits > MAX_PRIME_BITS:
        raise InputError(f"{max_heads} heads of dimension {d} with entries up to {bound} have scores of {bits} bits")
    u, q = [base**i for i in range(d)], [base ** (d * j) for j in range(d)]
    with oracle.counting(QueryCount()) as learning:
        answer = oracle.many(QueryBatch.singles([u]))[0]
        samples = ask_directions(oracle, [u], q, 2 * max_heads - 1)[0]
    V = _entries(_integer(oracle, answer, samples), base, d, bound * max_heads, samples)
    if max_heads == 1:
        found = _one_head(oracle, V, samples)
    else:
        found = _several_heads(reductions, bits, [oracle.semantics.value(x) for x in V], samples, max_heads)
    heads = []
    for s, b in found:
        W = _entries(_integer(oracle, s, samples), base, d * d, bound, samples)
        heads.append(Head([W[i::d] for i in range(d)], _entries(b, base, d, bound, samples)))
    model = canonical(AttentionModel(oracle.semantics, d, heads))
    try:
        verification = verify_on_fresh_queries(oracle, model, rng, checks=checks)
    except VerificationFailed as error:
        raise NotMultiHead(f"{_REFUSAL}: {error}", error.query, error.answer) from None
    if progress is not None:
        progress(1, 1)
    size = max(map(oracle.semantics.bits, samples.answers))
    note = f"{learning.queries} queries instead of {len(heads) * (d * d + d):,}: the longest answer has {size:,} bits."
    return Learned(model, METHOD, learning, verification, (note,))


def _one_head(oracle: Oracle[S, V], V: Sequence[int], samples: Samples) -> list[tuple[Any, int]]:
    """The score of the one head, as the exact logarithm of the odds."""
    slope = _dot(V, samples.u)
    above = samples.answers[0] - _dot(V, samples.q)
    if slope == 0 and above == 0:
        return []
    try:
        return [(oracle.semantics.log(above / (slope - above)), slope)]
    except (NotAPower, ZeroDivisionError):
        raise _refused(samples) from None


def _several_heads(
    reductions: Reductions, bits: int, V: Sequence[Any], samples: Samples, max_heads: int
) -> list[tuple[Any, int]]:
    """The scores and the integers `⟨v_h, u⟩`, modulo a prime larger than all of them."""
    for _ in range(_PRIMES):
        reduction = reductions.draw(bits)
        total = Total(V, reduction)
        try:
            heads = visible_heads(reduction, response(reduction, total, samples, reduction.p))
            few = Samples(samples.u, samples.q, samples.answers[: max(1, 2 * heads - 1)])
            found = decode(reduction, total, few, heads)
        except Retry:
            continue
        return [(s, b if b <= reduction.p // 2 else b - reduction.p) for s, b in found.items()]
    raise _refused(samples)


def _integer(oracle: Oracle[Any, Any], x: Any, samples: Samples) -> int:
    number = x.as_rational() if hasattr(x, "as_rational") else parse_rational(x)
    if number is None or number.q != 1:
        raise _refused(samples)
    return int(number.p)


def _entries(number: int, base: int, count: int, bound: int, samples: Samples) -> list[int]:
    """The balanced digits of a number, lowest first."""
    digits = []
    for _ in range(count):
        digit = (number + base // 2) % base - base // 2
        digits.append(digit)
        number = (number - digit) // base
    if number or max(map(abs, digits)) > bound:
        raise _refused(samples)
    return digits


def _dot(x: Sequence[int], y: Sequence[int]) -> int:
    return sum(a * b for a, b in zip(x, y, strict=True))


def _refused(samples: Samples) -> NotMultiHead:
    return NotMultiHead(_REFUSAL, samples.query(), samples.answers[-1])
