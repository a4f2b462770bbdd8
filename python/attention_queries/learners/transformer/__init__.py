"""Learning one-layer transformers."""

from attention_queries.learners.transformer.learner import learn_transformer
from attention_queries.learners.transformer.negation import learn_by_negation, learn_transformer_by_negation

__all__ = ["learn_by_negation", "learn_transformer", "learn_transformer_by_negation"]
