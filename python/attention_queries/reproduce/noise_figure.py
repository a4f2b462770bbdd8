"""The figure about noise: error and certified width against the tolerance, for weights of several sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Curve:
    """Medians against the tolerance, pairs (τ, median), for weights from `N(0, scale²)`."""

    scale: int
    error: list[tuple[float, float]]
    paper_error: list[tuple[float, float]]
    width: list[tuple[float, float]]
    paper_width: list[tuple[float, float]]


def draw(curves: Sequence[Curve], path: Path) -> None:
    """Write the figure as SVG, the same bytes for the same numbers."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    # A fixed salt names the parts of the drawing; text stays text, so that no font is embedded.
    with rc_context({"svg.hashsalt": "attention-queries", "svg.fonttype": "none"}):
        figure = Figure(figsize=(4.2 * len(curves), 4.2), layout="constrained")
        axes = figure.subplots(1, len(curves), squeeze=False, sharey=True)[0]
        for curve, ax in zip(curves, axes, strict=True):
            for points, label, style in (
                (curve.width, "certified width", "C0o-"),
                (curve.error, "error", "C0o:"),
                (curve.paper_width, "certified width, paper's estimator (certified entries only)", "C1s-"),
                (curve.paper_error, "error, paper's estimator (all entries)", "C1s:"),
            ):
                # Errors may cancel exactly; zero has no place on a logarithmic axis.
                shown = [(x, y) for x, y in points if y > 0]
                ax.plot([x for x, _ in shown], [y for _, y in shown], style, label=label, markersize=4)
            ax.set(title=f"W from N(0, {curve.scale}²)", xlabel="tolerance τ", xscale="log", yscale="log")
        axes[0].set_ylabel("median over entries of W")
        axes[0].legend(loc="upper left", fontsize="x-small")
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
