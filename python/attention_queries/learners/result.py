"""What a learner hands back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

from attention_queries.models import AttentionModel
from attention_queries.oracle import QueryCount
from attention_queries.semantics.base import S, V

Progress = Callable[[int, int], None]
"""Called with the work done and the work in all."""


@dataclass(frozen=True)
class Learned(Generic[S, V]):
    """A recovered model and what it cost.

    `learning` counts the queries that determined the model, `verification` those that only re-checked it; `notes`
    are sentences for people.
    """

    model: AttentionModel[S, V]
    method: str
    learning: QueryCount
    verification: QueryCount
    notes: tuple[str, ...] = ()
