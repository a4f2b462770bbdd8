"""One-layer transformers: a one-hidden-layer ReLU network applied to the output of softmax attention."""

from attention_queries.transformer.model import Transformer
from attention_queries.transformer.network import Neuron, ReluNetwork

__all__ = ["Neuron", "ReluNetwork", "Transformer"]
