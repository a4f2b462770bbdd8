"""Exact learning of softmax attention from queries."""
