"""Heads of low rank: exact learning from few queries, factors, and the floating-point methods to compare with."""

from attention_queries.learners.low_rank.factors import factors, gauge, gauge_between
from attention_queries.learners.low_rank.learner import CHECKS, false_stop_bound, learn_low_rank, learn_one_head

__all__ = ["CHECKS", "factors", "false_stop_bound", "gauge", "gauge_between", "learn_low_rank", "learn_one_head"]
