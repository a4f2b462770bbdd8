"""The errors of the package: bad input on one side, honest negative results on the other."""

from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attention_queries.sequences import Query


class AttentionQueriesError(Exception):
    """Every error that this package raises on purpose."""


class InputError(AttentionQueriesError):
    """What was given cannot be used: a malformed file, number, query, option or answer."""


class ScoreTooLarge(InputError):
    """A base-2 score is so large that its power of two would not fit the stated memory bound."""


class LeanMissing(InputError):
    """No way to run Lean was found; the message says what to install."""


class LearningError(AttentionQueriesError):
    """A learner finished with a negative result instead of a model."""


class LeanError(LearningError):
    """Lean rejected a file; the message carries Lean's own words."""


class NotIdentifiable(LearningError):
    """The answers do not determine the parameters, however many queries are asked."""


class VerificationFailed(LearningError):
    """A recovered model and the oracle disagree on a fresh query.

    Attributes: `query`, the oracle's `answer`, and the model's value `expected`.
    """

    def __init__(self, message: str, query: Query[Any], answer: Any, expected: Any) -> None:
        super().__init__(message)
        self.query = query
        self.answer = answer
        self.expected = expected


class NotASingleHead(LearningError):
    """The oracle is not one softmax attention head: `answer` to `query` is impossible for the head seen so far."""

    def __init__(self, message: str, query: Query[Any], answer: Any) -> None:
        super().__init__(message)
        self.query = query
        self.answer = answer


class NotMultiHead(LearningError):
    """No sum of few softmax attention heads was found that gives the answers; `answer` to `query` shows the failure.

    `query` is None when no single query does.
    """

    def __init__(self, message: str, query: Query[Any] | None = None, answer: Any = None) -> None:
        super().__init__(message)
        self.query = query
        self.answer = answer


class TooManyHeads(NotMultiHead):
    """The answers up to `query` take more heads to explain than were allowed."""


class UnsupportedValues(LearningError):
    """The value vectors are exponential sums too large to compute exactly."""


class MarginTooSmall(LearningError):
    """The values `v` cannot be told from 0 at the given tolerance, so nothing is known about `W`."""


class ToleranceTooLarge(LearningError):
    """Not one entry of `W` can be bounded from both sides at the given tolerance."""


class OutOfBounds(LearningError):
    """The weights are not within the bound that was stated."""


class OracleInconsistent(LearningError):
    """No head gives answers within the tolerance of those received.

    Attributes: the `queries` whose answers contradict each other (or the rest), and their `answers`.
    """

    def __init__(self, message: str, queries: tuple[Query[Any], ...] = (), answers: tuple[Any, ...] = ()) -> None:
        super().__init__(message)
        self.queries = queries
        self.answers = answers


class NotATransformer(LearningError):
    """The oracle is not a one-layer transformer with a ReLU network, or none was found: see `answer` to `query`."""

    def __init__(self, message: str, query: Query[Any], answer: Any) -> None:
        super().__init__(message)
        self.query = query
        self.answer = answer


class SearchExhausted(LearningError):
    """A search reached its stated bound; the message names what was not found."""


class NotAPower(AttentionQueriesError, ValueError):
    """`log` was asked for a number that is not an exponential of a scalar.

    `position` is the index of that number when several were given at once.
    """

    def __init__(self, message: str, position: int = 0) -> None:
        super().__init__(message)
        self.position = position


class _Shown(reprlib.Repr):
    """Short representations, also of integers beyond Python's limit for decimal conversion."""

    def repr_int(self, x: int, level: int) -> str:
        if x.bit_length() > 400:
            return f"an integer of {x.bit_length()} bits"
        return super().repr_int(x, level)


_SHORT = _Shown()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60
_SHORT.maxlevel = 3


def shown(x: object) -> str:
    """A representation of `x` short enough for one line of an error message."""
    return " ".join(_SHORT.repr(x).split())
