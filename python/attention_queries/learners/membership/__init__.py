"""Learning one head from one-bit answers: whether its output exceeds a threshold."""

from attention_queries.learners.membership.learner import learn_membership
from attention_queries.learners.membership.oracle import CallableThreshold, ModelThreshold, ThresholdOracle

__all__ = ["CallableThreshold", "ModelThreshold", "ThresholdOracle", "learn_membership"]
