"""Models: what answers queries. Sums of heads, and the variants of one head that real layers have, one file each."""

from attention_queries.models.heads import AttentionModel, Head, SequenceModel

__all__ = ["AttentionModel", "Head", "SequenceModel"]
