"""The learners that `attnq learn --method` offers; a new learner adds one entry to `METHODS`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from attention_queries.errors import InputError, shown
from attention_queries.learners.result import Learned
from attention_queries.models import AttentionModel


@dataclass(frozen=True)
class Method:
    """A learner: its name, one line for people, where its function lives, and the targets `auto` uses it for.

    The function is called as `learn(oracle, seed=…, progress=…)` and returns a `Learned`.
    """

    name: str
    summary: str
    function: str
    suits: Callable[[AttentionModel[Any, Any]], bool]

    def load(self) -> Callable[..., Learned[Any, Any]]:
        """Import the learner."""
        module, name = self.function.split(":")
        learner: Callable[..., Learned[Any, Any]] = getattr(import_module(module), name)
        return learner


METHODS: tuple[Method, ...] = (
    Method(
        "single-head",
        "one head, d² + d queries",
        "attention_queries.learners.single_head:learn_single_head",
        lambda model: True,
    ),
)
"""In the order in which `auto` tries them: the first that suits the target is used."""

NAMES = ("auto", *(method.name for method in METHODS))


def check_name(name: str) -> None:
    """Raise `InputError` unless `name` is the name of a method or `auto`."""
    if name not in NAMES:
        raise InputError(f"unknown method {shown(name)}; known: {', '.join(NAMES)}")


def choose(name: str, target: AttentionModel[Any, Any]) -> Method:
    """The method called `name`, or for `auto` the first one that suits the target; raises `InputError`."""
    check_name(name)
    for method in METHODS:
        if method.name == name or (name == "auto" and method.suits(target)):
            return method
    raise InputError("no method suits this target; name one with --method")
