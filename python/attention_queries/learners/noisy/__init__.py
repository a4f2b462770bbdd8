"""Learning one head from answers that are off by a tolerance, with certified intervals for every entry."""

from attention_queries.learners.noisy.learner import learn_noisy
from attention_queries.learners.noisy.oracles import NoisyOracle
from attention_queries.learners.noisy.result import LearnedIntervals

__all__ = ["LearnedIntervals", "NoisyOracle", "learn_noisy"]
