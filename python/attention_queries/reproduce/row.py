"""One row of the table that `attnq reproduce` prints: a result, its proof, and the algorithm run on cases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class DataTable:
    """A table of figures that a row adds to the report."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[int | float | str, ...], ...]

    def cells(self) -> list[tuple[str, ...]]:
        """The rows as text, large integers in groups of three digits."""
        return [tuple(f"{x:,}" if isinstance(x, int) else str(x) for x in row) for row in self.rows]


@dataclass(frozen=True)
class Outcome:
    """What running an algorithm on its cases gave.

    `queries` and `bound` are sums over all cases: oracle queries asked, and as many as the theorem allows.
    `exact` says whether every case came out as it must. `details` goes into `results.json` as it is; `tables` are
    printed and written below the table of all rows.
    """

    cases: int
    queries: int
    bound: int
    exact: bool
    details: dict[str, Any] = field(default_factory=dict)
    tables: tuple[DataTable, ...] = ()


@dataclass(frozen=True)
class Context:
    """How rows are run: `quick` asks for fewer cases; figures go to `out`; `toolchain` is the way to run Lean."""

    quick: bool
    seed: int
    out: Path
    toolchain: str = "auto"
    advance: Callable[[float], None] = lambda fraction: None

    def track(self, items: Iterable[T], total: int) -> Iterator[T]:
        """The items, moving the progress bar along."""
        for done, item in enumerate(items):
            yield item
            self.advance((done + 1) / max(total, 1))


@dataclass(frozen=True)
class Row:
    """A result in words, the Lean theorems behind it, the Python function, and the run that shows them at work."""

    name: str
    result: str
    lean: tuple[str, ...]
    algorithm: str
    run: Callable[[Context], Outcome]


@dataclass(frozen=True)
class Finished:
    """A row with its outcome and its axioms."""

    row: Row
    axioms: tuple[str, ...]
    outcome: Outcome
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether every case was exact and within its bound."""
        return self.outcome.exact and self.outcome.queries <= self.outcome.bound

    def as_json(self) -> dict[str, Any]:
        """The row as it is written to `results.json`."""
        return {
            "name": self.row.name,
            "result": self.row.result,
            "lean": list(self.row.lean),
            "axioms": list(self.axioms),
            "algorithm": self.row.algorithm,
            "cases": self.outcome.cases,
            "queries": self.outcome.queries,
            "bound": self.outcome.bound,
            "exact": self.outcome.exact,
            "seconds": round(self.seconds, 3),
            **({"details": self.outcome.details} if self.outcome.details else {}),
            **({"tables": list(map(asdict, self.outcome.tables))} if self.outcome.tables else {}),
        }
