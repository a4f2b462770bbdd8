"""The figure that compares methods for low rank: success rate against the number of score queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

LABELS = {
    "exact": "adaptive, with two checks (this package)",
    "alternating": "alternating minimisation",
    "nuclear": "nuclear norm",
}
_STYLES = {"exact": ("C0", "o", "-"), "alternating": ("C1", "s", "--"), "nuclear": ("C2", "^", ":")}


@dataclass
class Panel:
    """Trials of all methods at one size: how many there were and, for each number of queries, how many succeeded."""

    d: int
    r: int
    counts: list[int]
    trials: dict[str, int] = field(default_factory=dict)
    successes: dict[str, list[int]] = field(default_factory=dict)

    @property
    def freedom(self) -> int:
        """The number of parameters of a matrix of this rank."""
        return self.r * (2 * self.d - self.r)

    def add(self, method: str, succeeded: Mapping[int, bool]) -> None:
        """Add one trial of a method: whether it succeeded with each number of queries."""
        before = self.successes.get(method, [0] * len(self.counts))
        self.trials[method] = self.trials.get(method, 0) + 1
        self.successes[method] = [old + succeeded[n] for old, n in zip(before, self.counts, strict=True)]

    def rates(self, method: str) -> list[float]:
        """The share of successes for each number of queries."""
        return [n / self.trials[method] for n in self.successes[method]]

    def as_json(self) -> dict[str, Any]:
        """The panel as it is written to `results.json`."""
        rates = {method: self.rates(method) for method in self.successes}
        return {"d": self.d, "r": self.r, "freedom": self.freedom, "queries": self.counts, "rates": rates}


def draw(panels: Sequence[Panel], path: Path) -> None:
    """Write the figure as SVG, the same bytes for the same numbers."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    # A fixed salt names the parts of the drawing; text stays text, so that no font is embedded.
    with rc_context({"svg.hashsalt": "attention-queries", "svg.fonttype": "none"}):
        figure = Figure(figsize=(4.5 * len(panels), 4.2), layout="constrained")
        axes = figure.subplots(1, len(panels), squeeze=False)[0]
        for panel, ax in zip(panels, axes, strict=True):
            for method in panel.successes:
                colour, marker, line = _STYLES[method]
                rates = panel.rates(method)
                ax.plot(panel.counts, rates, color=colour, marker=marker, linestyle=line, label=LABELS[method])
            ax.axvline(panel.freedom, color="0.5", linewidth=1, label="r(2d - r) parameters")
            ax.set(
                title=f"d = {panel.d}, r = {panel.r}", xlabel="score queries", ylabel="success rate", ylim=(-0.05, 1.05)
            )
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize="small")
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
