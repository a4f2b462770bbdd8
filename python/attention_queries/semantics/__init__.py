"""Number systems with an exponential: `Base2`, `ExpField` and `Float`."""

from __future__ import annotations

from typing import Any

from attention_queries.errors import InputError, shown
from attention_queries.semantics.base import Semantics
from attention_queries.semantics.base2 import Base2
from attention_queries.semantics.expfield import ExpField
from attention_queries.semantics.expfraction import ExpFraction
from attention_queries.semantics.floating import Float

NAMES = ("base2", "exp", "float")

_ALL: dict[str, Semantics[Any, Any]] = {s.name: s for s in (Base2(), ExpField(), Float())}


def get(name: object) -> Semantics[Any, Any]:
    """The semantics called `"base2"`, `"exp"` or `"float"`; raises `InputError` for another name."""
    if isinstance(name, str) and name in _ALL:
        return _ALL[name]
    raise InputError(f"unknown semantics {shown(name)}; known: {', '.join(NAMES)}")


__all__ = ["NAMES", "Base2", "ExpField", "ExpFraction", "Float", "Semantics", "get"]
