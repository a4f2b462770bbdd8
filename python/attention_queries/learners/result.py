"""What a learner hands back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from attention_queries.models import AttentionModel
from attention_queries.oracle import QueryCount
from attention_queries.semantics.base import S, V

Progress = Callable[[int, int], None]
"""Called with the work done and the work in all."""


M = TypeVar("M")


@dataclass(frozen=True)
class Result(Generic[M]):
    """A recovered model and what it cost.

    `learning` counts the queries that determined the model, `verification` those that only re-checked it; `notes`
    are sentences for people.
    """

    model: M
    method: str
    learning: QueryCount
    verification: QueryCount
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Learned(Result[AttentionModel[S, V]], Generic[S, V]):
    """A recovered sum of heads and what it cost."""
