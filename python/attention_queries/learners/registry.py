"""The learners that `attnq learn --method` offers; a new learner adds one entry to `METHODS`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from attention_queries.errors import InputError, shown
from attention_queries.learners.result import Learned


@dataclass(frozen=True)
class Method:
    """A learner: its name, one line for people, and where its function lives.

    The function is called as `learn(oracle, seed=…, progress=…)` and returns a `Learned`.
    """

    name: str
    summary: str
    function: str

    def load(self) -> Callable[..., Learned[Any, Any]]:
        """Import the learner."""
        module, name = self.function.split(":")
        learner: Callable[..., Learned[Any, Any]] = getattr(import_module(module), name)
        return learner


METHODS: tuple[Method, ...] = (
    Method(
        "auto",
        "what the answers call for, from one method to the next without asking anything twice",
        "attention_queries.learners.low_rank:learn_one_head",
    ),
    Method(
        "single-head",
        "one head, d² + d queries",
        "attention_queries.learners.single_head:learn_single_head",
    ),
    Method(
        "low-rank",
        "one head with W of rank r, d + r(2d - r) queries and two checks",
        "attention_queries.learners.low_rank:learn_low_rank",
    ),
)

NAMES = tuple(method.name for method in METHODS)


def choose(name: str) -> Method:
    """The method called `name`; raises `InputError` for other names."""
    for method in METHODS:
        if method.name == name:
            return method
    raise InputError(f"unknown method {shown(name)}; known: {', '.join(NAMES)}")
