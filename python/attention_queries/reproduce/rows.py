"""Every row of the table."""

from __future__ import annotations

from attention_queries.reproduce import (
    certificates,
    crosscheck,
    fibre,
    layers,
    low_rank,
    multi_head,
    noise,
    single_head,
    transformer,
)
from attention_queries.reproduce.row import Row

ROWS: tuple[Row, ...] = (
    *single_head.ROWS,
    *layers.ROWS,
    *fibre.ROWS,
    *low_rank.ROWS,
    *multi_head.ROWS,
    *noise.ROWS,
    *certificates.ROWS,
    *transformer.ROWS,
    *crosscheck.ROWS,
)
"""Every row of the table, in its order."""
