"""Learning the network behind an oracle: the interface for such learners, and the exact one that comes with it."""

from attention_queries.learners.ffn.learner import learn_ffn
from attention_queries.learners.ffn.oracle import KnownNetwork, NetworkLearner, NetworkOracle, ReadoutOracle

__all__ = ["KnownNetwork", "NetworkLearner", "NetworkOracle", "ReadoutOracle", "learn_ffn"]
