"""Heads of low rank: exact learning from few queries, factors, and the floating-point methods to compare with."""

from attention_queries.learners.low_rank.factors import factors, gauge
from attention_queries.learners.low_rank.learner import false_stop_bound, learn_low_rank, learn_one_head

__all__ = ["factors", "false_stop_bound", "gauge", "learn_low_rank", "learn_one_head"]
