"""Integer scalars, rational values, and powers of two in the role of the exponential."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from flint import fmpq

from attention_queries.errors import InputError, NotAPower, ScoreTooLarge, shown
from attention_queries.semantics.base import Runs, Semantics
from attention_queries.semantics.rational import bits_of_rational, format_integer, format_rational, parse_rational

MAX_POWER_BITS = 1 << 24
"""Largest difference of two scores in one query: a power of two of this size takes 2 MiB."""
MAX_BATCH_BITS = 1 << 30
"""Largest sum of score differences over the queries evaluated together: about 128 MiB of answers."""


class Base2(Semantics[int, fmpq]):
    """Scalars are Python integers, values are `flint.fmpq`, and `exp(s) = 2^s`."""

    name = "base2"
    exact = True
    max_span = MAX_POWER_BITS

    def scalar(self, x: object) -> int:
        """Read an integer."""
        if type(x) is int:
            return x
        number = parse_rational(x)
        if number.q != 1:
            raise InputError(f"{shown(x)} is not an integer; tokens and W are integers in the base2 semantics")
        return int(number.p)

    def token(self, entries: Iterable[object]) -> tuple[int, ...]:
        """Read a vector of integers, at once when it holds nothing but Python integers already."""
        vector = tuple(entries)
        return cast(tuple[int, ...], vector) if set(map(type, vector)) == {int} else super().token(vector)

    def value(self, x: object) -> fmpq:
        """Read a rational number."""
        return parse_rational(x)

    def cast(self, s: int) -> fmpq:
        """The integer `s` as a rational number."""
        return fmpq(s)

    def exp(self, s: int) -> fmpq:
        """`2^s`; raises `ScoreTooLarge` beyond `MAX_POWER_BITS`."""
        self.check_spans([abs(s)])
        return fmpq(1 << s) if s >= 0 else fmpq(1, 1 << -s)

    def log(self, x: fmpq) -> int:
        """The exponent of a power of two, read off numerator and denominator."""
        p, q = x.p, x.q
        up, down = int(p.bit_length()) - 1, int(q.bit_length()) - 1
        # A reduced fraction is a power of two exactly when one side is 1 and the other a single bit.
        if p > 0 and (up == 0 or down == 0) and p == 1 << up and q == 1 << down:
            return up - down
        raise NotAPower(f"{_short(x)} is not a power of two")

    def softmax_mean(self, scores: Sequence[int], copies: Sequence[int], values: Sequence[fmpq]) -> fmpq:
        """The mean with weights `k_i 2^{s_i}`."""
        low = min(scores)
        self.check_spans([max(scores) - low])
        weights = [k << (s - low) for s, k in zip(scores, copies, strict=True)]
        total = fmpq(0)
        for weight, y in zip(weights, values, strict=True):
            total += weight * y
        return total / sum(weights)

    def softmax_means(self, scores: Mapping[int, int], values: Sequence[fmpq], sequences: Sequence[Runs]) -> list[fmpq]:
        """As `softmax_mean`; pairs of tokens, the bulk of every learner's queries, take a short cut."""
        result = []
        for runs in sequences:
            if len(runs) != 2:
                result += super().softmax_means(scores, values, [runs])
                continue
            (i, k), (j, m) = runs
            shift = scores[i] - scores[j]
            if shift >= 0:
                k <<= shift
            else:
                m <<= -shift
            y = values[j]
            result.append(y + (values[i] - y) * fmpq(k, k + m))
        return result

    def check_spans(self, spans: Sequence[int]) -> None:
        """Refuse powers of two that would not fit the memory bounds."""
        if not spans:
            return
        largest = max(spans)
        if largest > MAX_POWER_BITS:
            raise ScoreTooLarge(
                f"scores of one query differ by {shown(largest)}, so its base2 answer would need that many bits "
                f"(bound: {MAX_POWER_BITS}); the exp semantics has no such bound"
            )
        if sum(spans) > MAX_BATCH_BITS:
            raise ScoreTooLarge(
                f"the base2 answers of this batch would need {shown(sum(spans))} bits (bound: {MAX_BATCH_BITS}); "
                "ask fewer queries at a time or use the exp semantics"
            )

    def format_scalar(self, s: int) -> int | str:
        """An integer."""
        return format_integer(s)

    def format_value(self, x: fmpq) -> int | str:
        """An integer or `"p/q"`."""
        return format_rational(x)

    def bits(self, x: fmpq) -> int:
        """Bits of numerator and denominator together."""
        return bits_of_rational(x)


def _short(x: fmpq) -> str:
    return str(x) if x.height_bits() <= 200 else f"a fraction of {bits_of_rational(x)} bits"
