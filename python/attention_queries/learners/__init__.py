"""Learners: algorithms that recover a model from the answers of an oracle, one file each."""

from attention_queries.learners.kronecker import learn_kronecker
from attention_queries.learners.low_rank import learn_low_rank
from attention_queries.learners.membership import learn_membership
from attention_queries.learners.multi_head import learn_multi_head
from attention_queries.learners.noisy import learn_noisy
from attention_queries.learners.orthogonal_values import learn_orthogonal_values
from attention_queries.learners.result import Learned
from attention_queries.learners.single_head import learn_single_head
from attention_queries.learners.transformer import learn_transformer

__all__ = [
    "Learned",
    "learn_kronecker",
    "learn_low_rank",
    "learn_membership",
    "learn_multi_head",
    "learn_noisy",
    "learn_orthogonal_values",
    "learn_single_head",
    "learn_transformer",
]
