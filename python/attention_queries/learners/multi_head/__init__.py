"""Learning several heads: the anchor, its column, a guide for the rows, then all scores by one of two variants.

1. `d` single tokens give the sum of the values; one direction, the anchor, the number of heads (`anchor`).
2. `d - 1` further directions at the anchor's query token give the value vectors, exactly (`column`, `values`).
3. At every further query token one direction shows the heads (`rows`), labelled at no cost (`labels`).
4. The remaining scores come from short sequences (`short`) or from linear systems (`long`).

Everything is decoded modulo a prime (`modular`, `reduction`) and the result is re-checked exactly (`learner`).
"""

from attention_queries.learners.multi_head.anchor import MAX_HEADS
from attention_queries.learners.multi_head.learner import VARIANTS, Variant, formula, learn_multi_head

__all__ = ["MAX_HEADS", "VARIANTS", "Variant", "formula", "learn_multi_head"]
