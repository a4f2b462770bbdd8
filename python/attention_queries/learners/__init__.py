"""Learners: algorithms that recover a model from the answers of an oracle, one file each."""

from attention_queries.learners.low_rank import learn_low_rank
from attention_queries.learners.result import Learned
from attention_queries.learners.single_head import learn_single_head

__all__ = ["Learned", "learn_low_rank", "learn_single_head"]
