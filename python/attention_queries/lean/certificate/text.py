"""The text of Lean data: one row of numbers a definition, in the notation of `Certificate/Notation.lean`.

Only the leaves, rows of numbers, are read back. What is read is written again and compared byte by byte with the file,
so that reading need not be strict.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field

from flint import fmpq, fmpz

from attention_queries.errors import InputError

NAMESPACE = "AttentionQueries.Certificate.Given"

_WIDTH = 110
_INTEGERS, _FRACTIONS, _FRACTION = "integers! ", "fractions! ", "fraction! "
_DEFINITION = re.compile(r"^def (\w+) : [^=]*:= *([^\n]*(?:\n {2}[^\n]*)*)", re.MULTILINE)
_NUMBER = re.compile(r"-?[0-9]+")

Fractions = Sequence[fmpq | None]
"""A row of answers; None stands for an answer that is not part of the certificate."""


def definition(name: str, kind: str, body: str) -> str:
    """A definition, broken into lines after commas."""
    return _broken(f"def {name} : {kind} := {body}".rstrip()) + "\n"


def _broken(text: str) -> str:
    lines = [""]
    for piece in re.split(r"(?<=,) ", text):
        longer = f"{lines[-1]} {piece}" if lines[-1] else piece
        if len(longer) <= _WIDTH or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(f"  {piece}")
    return "\n".join(lines)


def integers(name: str, row: Sequence[int]) -> str:
    """A row of integers."""
    return definition(name, "List Int", _INTEGERS + ", ".join(str(fmpz(x)) for x in row))


def naturals(name: str, row: Sequence[int]) -> str:
    """A row of natural numbers."""
    return definition(name, "List Nat", f"[{', '.join(map(str, row))}]")


def fractions(name: str, row: Fractions) -> str:
    """A row of fractions in lowest terms."""
    return definition(name, "List (Int × Nat)", _FRACTIONS + ", ".join(map(fraction, row)))


def single_fraction(name: str, x: fmpq) -> str:
    """One fraction in lowest terms."""
    return definition(name, "Int × Nat", _FRACTION + fraction(x))


def fraction(x: fmpq | None) -> str:
    """A fraction in lowest terms."""
    return "_" if x is None else f"{x.p}/{x.q}"


def listing(name: str, kind: str, names: Sequence[str]) -> str:
    """A list of things defined before."""
    return definition(name, f"List ({kind})", f"[{', '.join(names)}]")


def integer_table(name: str, rows: Sequence[Sequence[int]]) -> Iterator[str]:
    """A list of rows of integers, named `name0`, `name1`, …"""
    for i, row in enumerate(rows):
        yield integers(f"{name}{i}", row)
    yield listing(name, "List Int", [f"{name}{i}" for i in range(len(rows))])


def fraction_table(name: str, rows: Sequence[Fractions]) -> Iterator[str]:
    """A list of rows of fractions, named `name0`, `name1`, …"""
    for i, row in enumerate(rows):
        yield fractions(f"{name}{i}", row)
    yield listing(name, "List (Int × Nat)", [f"{name}{i}" for i in range(len(rows))])


@dataclass
class Rows:
    """The rows of numbers found in a file, by name."""

    integers: dict[str, list[int]] = field(default_factory=dict)
    naturals: dict[str, list[int]] = field(default_factory=dict)
    fractions: dict[str, list[fmpq | None]] = field(default_factory=dict)

    def integer_table(self, name: str) -> list[list[int]]:
        """The rows `name0`, `name1`, … of integers."""
        return [self.integers[n] for n in _numbered(name, self.integers)]

    def fraction_table(self, name: str) -> list[list[fmpq | None]]:
        """The rows `name0`, `name1`, … of fractions."""
        return [self.fractions[n] for n in _numbered(name, self.fractions)]

    def answers(self, name: str) -> list[fmpq]:
        """A row of fractions, all of them given."""
        return given(self.fractions[name])


def given(row: Fractions) -> list[fmpq]:
    """The row, when no place is left out; raises `InputError` otherwise."""
    values = [x for x in row if x is not None]
    if len(values) < len(row):
        raise InputError("an answer is left out that belongs to the certificate")
    return values


def _numbered(name: str, rows: Container[str]) -> Iterator[str]:
    i = 0
    while f"{name}{i}" in rows:
        yield f"{name}{i}"
        i += 1


def read_rows(text: str) -> Rows:
    """All rows of numbers in the text of a certificate; raises `InputError` for fractions that are none."""
    rows = Rows()
    for match in _DEFINITION.finditer(text):
        name, body = match[1], match[2]
        if body.startswith(_INTEGERS.strip()):
            rows.integers[name] = [int(fmpz(x)) for x in _NUMBER.findall(body)]
        elif body.startswith(_FRACTION):
            rows.fractions[name] = [_read_fraction(body[len(_FRACTION) :])]
        elif body.startswith(_FRACTIONS.strip()):
            items = body[len(_FRACTIONS) :].split(",")
            rows.fractions[name] = [_read_fraction(item.strip()) for item in items if item.strip()]
        elif re.fullmatch(r"\[[0-9,\s]*\]", body):
            rows.naturals[name] = [int(x) for x in _NUMBER.findall(body)]
    return rows


def _read_fraction(text: str) -> fmpq | None:
    if text == "_":
        return None
    parts = text.split("/")
    if len(parts) != 2 or not all(_NUMBER.fullmatch(part) for part in parts) or fmpz(parts[1]) <= 0:
        raise InputError(f"{text[:60]!r} is not a fraction")
    return fmpq(fmpz(parts[0]), fmpz(parts[1]))
