"""Improving floating-point networks by least squares on all answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_queries.transformer.network import Neuron, ReluNetwork

_ROUNDS = 4


def polish(network: ReluNetwork, points: Sequence[Sequence[float]], answers: Sequence[float]) -> ReluNetwork:
    """A network near the given one, in canonical form, that fits the answers at the points better, by Gauss-Newton.

    Neurons stay, and so do the leading coefficients 1; only steps that lower the squared error are taken.
    """
    z, y = np.array(points, dtype=np.float64), np.array(answers, dtype=np.float64)
    best = _error(network, z, y)
    for _ in range(_ROUNDS):
        step = np.linalg.lstsq(_derivatives(network, z), y - _values(network, z), rcond=None)[0]
        moved = _moved(network, step.tolist())
        error = _error(moved, z, y)
        if not error < best:
            break
        network, best = moved, error
    return network


def _values(network: ReluNetwork, z: NDArray[np.float64]) -> NDArray[np.float64]:
    total = z @ np.array(network.linear) + network.constant
    for n in network.hidden:
        total = total + n.a * np.maximum(z @ np.array(n.w) + n.c, 0)
    return np.asarray(total, dtype=np.float64)


def _error(network: ReluNetwork, z: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    return float(np.square(_values(network, z) - y).sum())


def _free(neuron: Neuron) -> list[int]:
    """The entries of `w` that may change: all but the leading 1 and zeros before it."""
    lead = next(i for i, x in enumerate(neuron.w) if x != 0)
    return list(range(lead + 1, len(neuron.w)))


def _derivatives(network: ReluNetwork, z: NDArray[np.float64]) -> NDArray[np.float64]:
    columns = [*z.T, np.ones(len(z))]
    for n in network.hidden:
        x = z @ np.array(n.w) + n.c
        on = np.where(x > 0, n.a, 0.0)
        columns += [np.maximum(x, 0), on, *(on * z[:, i] for i in _free(n))]
    return np.stack(columns, axis=1)


def _moved(network: ReluNetwork, step: list[float]) -> ReluNetwork:
    steps = iter(step)
    linear = [x + next(steps) for x in network.linear]
    constant = network.constant + next(steps)
    hidden: list[Any] = []
    for n in network.hidden:
        a, c, w = n.a + next(steps), n.c + next(steps), list(n.w)
        for i in _free(n):
            w[i] += next(steps)
        hidden.append((a, w, c))
    return ReluNetwork(hidden, linear, constant, exact=False)
