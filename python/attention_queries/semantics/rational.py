"""Reading and writing exact rational numbers (`flint.fmpq`)."""

from __future__ import annotations

import re
from numbers import Rational

import numpy as np
from flint import fmpq, fmpz

from attention_queries.errors import InputError, shown

MAX_DIGITS = 1 << 23
"""Longest numerator or denominator, in decimal digits, that is read from text."""

_RATIONAL = re.compile(r"(-?[0-9]+)(?:/([0-9]+))?")
_MAX_JSON_INTEGER_BITS = 14_000
"""Beyond this, integers are written as text: Python's JSON reader refuses more than 4300 digits."""


def parse_rational(x: object) -> fmpq:
    """The rational number `x`: `fmpz`, `fmpq`, any `numbers.Rational`, or text such as `"-3"` and `"5/7"`.

    Raises `InputError` for anything else, in particular for floating-point numbers and booleans.
    """
    if isinstance(x, fmpq):
        return x
    if isinstance(x, bool | np.bool_):
        raise InputError(f"{x} is a truth value; an integer or a string 'p/q' is needed")
    if isinstance(x, int | fmpz):
        return fmpq(x)
    if isinstance(x, str):
        return _parse_text(x)
    if isinstance(x, Rational):
        return fmpq(int(x.numerator), int(x.denominator))
    if isinstance(x, float | np.floating):
        raise InputError(f"{x} is a floating-point number; exact semantics need an integer or a string 'p/q'")
    raise InputError(f"{shown(x)} is not a number; an integer or a string 'p/q' is needed")


def _parse_text(text: str) -> fmpq:
    match = _RATIONAL.fullmatch(text)
    if match is None:
        raise InputError(f"{shown(text)} is not of the form 'p' or 'p/q' with integers p and q")
    if len(text) > MAX_DIGITS:
        raise InputError(f"a number with {len(text)} characters is too long; at most {MAX_DIGITS} are read")
    numerator, denominator = fmpz(match[1]), fmpz(match[2] or "1")
    if denominator == 0:
        raise InputError(f"{shown(text)} has denominator 0")
    return fmpq(numerator, denominator)


def format_rational(x: fmpq) -> int | str:
    """`x` as a JSON number when it is an integer of moderate size, else as text `"p"` or `"p/q"`."""
    if x.q == 1:
        return format_integer(int(x.p))
    return str(x)


def format_integer(x: int) -> int | str:
    """`x` as a JSON number when JSON readers accept its size, else as text."""
    return x if x.bit_length() <= _MAX_JSON_INTEGER_BITS else str(fmpz(x))


def bits_of_rational(x: fmpq) -> int:
    """Bits of numerator and denominator together."""
    bits: int = x.p.bit_length() + x.q.bit_length()
    return bits
