"""The learners that `attnq learn --method` offers; a new learner adds one entry to `METHODS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

from attention_queries.errors import InputError, shown
from attention_queries.learners.result import Result

Learner = Callable[..., Result[Any]]


@dataclass(frozen=True)
class Method:
    """A learner: its name, one line for people, where its function lives, and the options it takes.

    The function is called as `learn(oracle, seed=…, progress=…, **options)` and returns a `Result`.
    """

    name: str
    summary: str
    function: str
    options: tuple[str, ...] = ()
    required: tuple[str, ...] = ()

    def load(self) -> Learner:
        """Import the learner."""
        module, name = self.function.split(":")
        learner: Learner = getattr(import_module(module), name)
        return learner


METHODS: tuple[Method, ...] = (
    Method(
        "auto",
        "one head, of low rank if it is, then a transformer or several heads if the answers show them",
        "attention_queries.learners.automatic:learn_automatically",
        ("variant", "max_heads"),
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
        ("checks",),
    ),
    Method(
        "multi-head",
        "H heads, (2H - 1)d² + d short sequences or H(d² + 2d - 1) - (d - 1) long ones",
        "attention_queries.learners.multi_head:learn_multi_head",
        ("variant", "max_heads"),
    ),
    Method(
        "kronecker",
        "H heads with small integer entries, 2H queries with very large numbers",
        "attention_queries.learners.kronecker:learn_kronecker",
        ("bound", "max_heads"),
    ),
    Method(
        "transformer",
        "one attention layer and a ReLU network behind it",
        "attention_queries.learners.transformer:learn_transformer",
    ),
    Method(
        "negation",
        "a transformer without biases: W from 2(d² + d) queries",
        "attention_queries.learners.transformer:learn_transformer_by_negation",
    ),
    Method(
        "noisy",
        "one head from answers off by at most a tolerance: certified intervals",
        "attention_queries.learners.noisy:learn_noisy",
        ("tolerance", "max_length", "repeats", "max_denominator"),
        ("tolerance",),
    ),
    Method(
        "membership",
        "one head from one-bit answers: whether the output exceeds a threshold",
        "attention_queries.learners.membership:learn_membership",
        ("theta", "bound", "max_denominator"),
        ("theta",),
    ),
)

NAMES = tuple(method.name for method in METHODS)


def choose(name: str) -> Method:
    """The method called `name`; raises `InputError` for other names."""
    for method in METHODS:
        if method.name == name:
            return method
    raise InputError(f"unknown method {shown(name)}; known: {', '.join(NAMES)}")


def prepare(name: str, options: Mapping[str, Any]) -> Learner:
    """The learner with its options set, those that are None left out; raises `InputError` for an option it lacks."""
    method = choose(name)
    given = {option: x for option, x in options.items() if x is not None}
    for option in given:
        if option not in method.options:
            raise InputError(f"the method {name} has no option --{option.replace('_', '-')}")
    for option in method.required:
        if option not in given:
            raise InputError(
                f"the method {name} needs the option --{option.replace('_', '-')} (see attnq learn --help)"
            )
    return partial(method.load(), **given)
