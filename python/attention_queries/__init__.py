"""Exact learning of softmax attention from queries.

Build an `AttentionModel` from `Head`s over a semantics (`Base2`, `ExpField` or `Float`), put it behind an `Oracle`,
and let a learner such as `learn_single_head` recover it from its answers.
"""

from __future__ import annotations

from importlib.metadata import version as _version

from attention_queries.errors import (
    AttentionQueriesError,
    InputError,
    LearningError,
    NotASingleHead,
    NotIdentifiable,
    ScoreTooLarge,
    VerificationFailed,
)
from attention_queries.files import load_target, save_target
from attention_queries.learners import Learned, learn_low_rank, learn_multi_head, learn_single_head, learn_transformer
from attention_queries.models import AttentionModel, Head
from attention_queries.oracle import CallableOracle, ModelOracle, Oracle, QueryCount
from attention_queries.semantics import Base2, ExpField, ExpFraction, Float
from attention_queries.sequences import Query, QueryBatch
from attention_queries.transformer import ReluNetwork, Transformer

__version__ = _version("attention-queries")

__all__ = [
    "AttentionModel",
    "AttentionQueriesError",
    "Base2",
    "CallableOracle",
    "ExpField",
    "ExpFraction",
    "Float",
    "Head",
    "InputError",
    "Learned",
    "LearningError",
    "ModelOracle",
    "NotASingleHead",
    "NotIdentifiable",
    "Oracle",
    "Query",
    "QueryBatch",
    "QueryCount",
    "ReluNetwork",
    "ScoreTooLarge",
    "Transformer",
    "VerificationFailed",
    "learn_low_rank",
    "learn_multi_head",
    "learn_single_head",
    "learn_transformer",
    "load_target",
    "save_target",
]
