"""Floating-point methods to compare with: nuclear-norm minimisation and alternating minimisation.

Both recover `W` from random rank-one scores `⟨a bᵀ, W⟩ = aᵀ W b`, each read off one query of length two (Theorem 5.1 of
arXiv 2601.16873, v2 numbering as reported, proposes the first). Neither knows whether it has succeeded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from attention_queries.errors import InputError
from attention_queries.learners.scores import ScoreReader
from attention_queries.oracle import Oracle

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Measurements:
    """Scores `y_i = a_iᵀ W b_i`; the vectors are the rows of `a` and `b` (shape n×d)."""

    a: FloatArray
    b: FloatArray
    y: FloatArray

    @property
    def dim(self) -> int:
        """The dimension d."""
        return int(self.a.shape[1])

    def first(self, n: int) -> Measurements:
        """The first `n` measurements."""
        return Measurements(self.a[:n], self.b[:n], self.y[:n])


def measure(oracle: Oracle[float, float], v: Sequence[float], n: int, rng: np.random.Generator) -> Measurements:
    """Read `n` scores with Gaussian `a` and `b` by `n` queries, for a head with values `v ≠ 0` in the float semantics.

    Entries have variance `1/d`. Directions along which the output hardly changes are drawn again.
    """
    if oracle.semantics.exact:
        raise InputError("random rank-one scores are read in the float semantics")
    d, reader = oracle.dim, ScoreReader(oracle, v)
    steep = 0.1 * float(np.linalg.norm(v)) / np.sqrt(d)
    a, b = np.empty((n, d)), rng.standard_normal((n, d)) / np.sqrt(d)
    y = np.empty(n)
    for i in range(n):
        u = rng.standard_normal(d) / np.sqrt(d)
        while abs(u @ v) < steep:
            u = rng.standard_normal(d) / np.sqrt(d)
        a[i], y[i] = u, reader.score(u, b[i])
    return Measurements(a, b, y)


def alternating_minimisation(
    data: Measurements, rank: int, rng: np.random.Generator, *, starts: int = 3, rounds: int = 300
) -> FloatArray:
    """A matrix of the given rank that fits the measurements: least squares for one factor, then for the other.

    The first start is spectral, the others are random; the best of them is returned. `rank` must be known.
    """
    d, norm = data.dim, float(np.linalg.norm(data.y)) or 1.0
    best, smallest = np.zeros((d, d)), np.inf
    for start in range(starts):
        right = _spectral(data, rank) if start == 0 else rng.standard_normal((d, rank))
        for _ in range(rounds):
            left = np.linalg.qr(_factor(data.a, data.b @ right, data.y))[0]
            right = _factor(data.b, data.a @ left, data.y)
            misfit = float(np.linalg.norm(((data.a @ left) * (data.b @ right)).sum(axis=1) - data.y)) / norm
            if misfit < 1e-10:
                break
        if misfit < smallest:
            best, smallest = left @ right.T, misfit
        if smallest < 1e-10:
            break
    return best


def _spectral(data: Measurements, rank: int) -> FloatArray:
    mean = np.einsum("n,ni,nj->ij", data.y, data.a, data.b)
    leading = np.asarray(np.linalg.svd(mean)[2][:rank].T, dtype=np.float64)
    return leading


def _factor(x: FloatArray, z: FloatArray, y: FloatArray) -> FloatArray:
    """The d×r matrix `F` for which `x_iᵀ F z_i` comes closest to `y_i`."""
    design = (x[:, :, None] * z[:, None, :]).reshape(len(y), -1)
    entries = np.asarray(np.linalg.lstsq(design, y, rcond=None)[0], dtype=np.float64)
    return entries.reshape(x.shape[1], z.shape[1])


def have_solver() -> bool:
    """Whether the convex solver is installed: `pip install attention-queries[baselines]`."""
    return find_spec("cvxopt") is not None


def nuclear_norm(data: Measurements) -> FloatArray:
    """The matrix of least nuclear norm that fits the measurements, by semidefinite programming.

    The program solved is the dual one: maximise `Σ z_i y_i` over matrices `Σ z_i a_i b_iᵀ` of spectral norm at most 1;
    the matrix is the multiplier of that constraint. Raises `InputError` when the solver is not installed, or gives up.
    """
    if not have_solver():
        raise InputError("nuclear-norm minimisation needs an extra: pip install attention-queries[baselines]")
    from cvxopt import matrix, solvers

    n, d = data.a.shape
    # The solver reads the lower triangle of symmetric matrices, stored column by column.
    blocks = np.zeros((n, 2 * d, 2 * d))
    blocks[:, :d, d:] = np.einsum("ni,nj->nij", data.a, data.b)
    scale = float(np.abs(data.y).max(initial=0.0)) or 1.0
    answer = solvers.sdp(
        matrix(-data.y / scale),
        Gs=[matrix(np.ascontiguousarray(blocks.reshape(n, -1).T))],
        hs=[matrix(np.eye(2 * d))],
        options={"show_progress": False},
    )
    if answer["status"] != "optimal":
        raise InputError(f"the convex solver found no solution ({answer['status']})")
    multiplier: FloatArray = np.array(answer["zs"][0])
    return 2 * scale * multiplier[d:, :d].T


def recovered(estimate: FloatArray, W: FloatArray) -> bool:
    """Whether an estimate is within a thousandth of `W`, in the Frobenius norm."""
    return bool(np.linalg.norm(estimate - W) <= 1e-3 * np.linalg.norm(W))
