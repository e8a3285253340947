"""How the stochastic walkers depend on their temperature τ, on graphs of nine densities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from garden.experiments.report.claims import Claim, claim_of_differences
from garden.experiments.report.figures import new_figure, share_legend
from garden.experiments.report.intervals import Estimate, over_seeds
from garden.experiments.report.sections import Findings, Table, write_figure
from garden.experiments.run.config import Scope
from garden.experiments.run.experiment import Experiment, ResultOf
from garden.experiments.run.jobs import Work
from garden.experiments.run.policy_cache import PolicyCache, task_of
from garden.experiments.run.synthetic_graphs import (
    BETAS,
    by_density,
    column_of,
    graph_spec,
)
from garden.search.config import PAPERS_LIMIT
from garden.search.temperature_tuning import TUNING_TEMPERATURES, validation_ratios
from garden.strategies.registry import WALKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STOCHASTIC = ("distance", "connection")
GRID = tuple(float(f"{temperature:.4g}") for temperature in TUNING_TEMPERATURES)
"""The temperatures, rounded so that they are the same numbers on every machine."""

_DASHES = ((0, ()), (0, (5, 1.5)), (0, (1.2, 1.2)))
_NEAR = 1.1  # a ratio within 10 % of the best is near it


@final
@dataclass(frozen=True)
class TemperatureCurve(Work):
    """The validation oracle ratio of one walker on one graph at every temperature."""

    kind: ClassVar[str] = "temperature-curve"
    titled: ClassVar[str] = "{unit.walker} on {unit.graph}, seed {unit.seed}"

    graph: str
    seed: int
    walker: str
    temperatures: tuple[float, ...] = GRID
    max_hops: int = PAPERS_LIMIT

    def perform(self, cache: PolicyCache) -> dict[str, Any]:
        """Evaluate exactly: all sources, all validation targets, at each temperature.

        Args:
            cache: Where policies come from; none is needed.

        Returns:
            ``temperatures`` and the mean oracle ratio at each, ``ratios``, with counts of targets
            and pairs.
        """
        task = task_of(self.graph, self.seed)
        walker = WALKERS[self.walker]()
        grid = np.array(self.temperatures)
        ratios = validation_ratios(walker, task, self.max_hops, temperatures=grid)
        return {
            "task_hash": task.content_hash,
            "targets": len(task.validation_targets),
            "pairs": len(task.validation_targets) * (task.graph.num_nodes - 1),
            "temperatures": list(self.temperatures),
            "ratios": [round(float(ratio), 6) for ratio in ratios],
        }


@final
@dataclass(frozen=True, eq=False)
class Curves:
    """One walker on several graphs of one density."""

    ratios: np.ndarray  # (num_graphs, num_temperatures)

    @property
    def mean(self) -> np.ndarray:
        """The mean over graphs, (num_temperatures,)."""
        return self.ratios.mean(axis=0)

    @property
    def best(self) -> int:
        """The index of the temperature that is best on average."""
        return int(self.mean.argmin())

    @property
    def spreads(self) -> np.ndarray:
        """The worst ratio over the best, graph by graph."""
        return self.ratios.max(axis=1) / self.ratios.min(axis=1)

    @property
    def near(self) -> tuple[float, float]:
        """The lowest and the highest temperature whose mean ratio is within 10 % of the best."""
        near = np.flatnonzero(self.mean <= _NEAR * self.mean.min())
        return GRID[near[0]], GRID[near[-1]]

    def gain_over(self, end: int) -> Estimate:
        """How many hops fewer the best temperature needs than that at one end of the grid.

        The best is chosen for each graph on all others, so that no graph flatters its own choice.
        """
        everyone = np.arange(len(self.ratios))
        gains = []
        for graph in everyone:
            others = self.ratios[everyone != graph] if len(everyone) > 1 else self.ratios
            chosen = others.mean(axis=0).argmin()
            gains.append(float(self.ratios[graph, end] - self.ratios[graph, chosen]))
        return over_seeds(gains)


AllCurves = Mapping[str, Mapping[float, Curves]]


def works(scope: Scope) -> Sequence[Work]:
    """Both walkers, every density, every graph."""
    return [
        work for walker in STOCHASTIC for some in _works_of(walker, scope).values() for work in some
    ]


def report(scope: Scope, result_of: ResultOf, folder: Path) -> Findings:
    """A table for each walker, one of their spreads side by side, and a figure.

    Args:
        scope: How much of the experiment was made.
        result_of: Gives what came of a unit of work.
        folder: Where ``temperature.png`` and ``.svg`` are written.
    """
    curves: dict[str, dict[float, Curves]] = {}
    results: list[Mapping[str, Any]] = []
    for walker in STOCHASTIC:
        curves[walker] = {}
        for beta, some in _works_of(walker, scope).items():
            of_beta = [result_of(work) for work in some]
            curves[walker][beta] = Curves(np.array([result["ratios"] for result in of_beta]))
            results += of_beta
    footing = _footing(results[: len(results) // len(STOCHASTIC)], len(curves[STOCHASTIC[0]]))
    write_figure(folder, "temperature", _figure(curves))
    return Findings(
        claims=_claims(curves),
        tables=(
            *(_walker_table(walker, curves[walker], footing) for walker in STOCHASTIC),
            _spread_table(curves, footing),
        ),
        figures=(
            ("temperature", "Validation oracle ratio against τ; a ring marks the best of a line"),
        ),
    )


def _works_of(walker: str, scope: Scope) -> dict[float, list[TemperatureCurve]]:
    return by_density(
        scope, lambda beta, seed: TemperatureCurve(graph_spec(beta, seed), seed, walker)
    )


def _footing(results: Sequence[Mapping[str, Any]], num_betas: int) -> str:
    targets, pairs = (sum(result[name] for result in results) for name in ("targets", "pairs"))
    return (
        f"{len(results) // num_betas} graphs for each β, {targets} validation targets and {pairs} "
        "pairs in all, every source; exact, no walk is sampled; 95 % intervals by bootstrap over "
        f"graphs. τ from {GRID[0]:g} to {GRID[-1]:g} in {len(GRID)} steps."
    )


def _walker_table(walker: str, curves: Mapping[float, Curves], footing: str) -> Table:
    rows = [
        (
            ("β", f"{beta:g}"),
            ("best τ", f"{GRID[one.best]:.3g}"),
            ("ratio there", over_seeds(one.ratios[:, one.best].tolist()).text()),
            (f"at τ = {GRID[0]:g}", f"{one.mean[0]:.2f}"),
            (f"at τ = {GRID[-1]:g}", f"{one.mean[-1]:.2f}"),
            ("gain over the coldest", one.gain_over(0).text()),
            ("gain over the hottest", one.gain_over(-1).text()),
            ("τ within 10 % of the best", "{:.3g} – {:.3g}".format(*one.near)),
            ("worst / best", over_seeds(one.spreads.tolist()).text()),
        )
        for beta, one in curves.items()
    ]
    note = (
        " The gains: τ is chosen for each graph on the others. Worst / best is taken over the grid,"
        " graph by graph."
    )
    caption = f"Validation oracle ratio of {walker} and its temperature"
    return Table.of_cells(f"temperature-{walker}", caption, rows, footing + note)


def _spread_table(curves: AllCurves, footing: str) -> Table:
    gaps = _spread_gaps(curves)
    rows = (
        *(
            (walker, *(over_seeds(one.spreads.tolist()).text() for one in curves[walker].values()))
            for walker in STOCHASTIC
        ),
        ("distance − connection", *(gap.text() for gap in gaps.values())),
    )
    return Table(
        "temperature-spread",
        "Sensitivity to the temperature: worst over best ratio, and the paired difference",
        ("walker", *(column_of(beta) for beta in gaps)),
        rows,
        footing,
    )


def _spread_gaps(curves: AllCurves) -> dict[float, Estimate]:
    distance, connection = (curves[walker] for walker in STOCHASTIC)
    return {
        beta: over_seeds((distance[beta].spreads - connection[beta].spreads).tolist())
        for beta in distance
    }


def _claims(curves: AllCurves) -> tuple[Claim, ...]:
    """The paper's: a temperature in between is best, and distance is the more sensitive."""
    gains = [
        claim_of_differences(
            f"{walker}: the best τ inside the grid, fewer hops than at its {name} end",
            {column_of(beta): one.gain_over(end) for beta, one in curves[walker].items()},
        )
        for walker in STOCHASTIC
        for name, end in (("coldest", 0), ("hottest", -1))
    ]
    gaps = {column_of(beta): gap for beta, gap in _spread_gaps(curves).items()}
    text = "distance: more sensitive to τ (worst over best ratio) than connection"
    return (*gains, claim_of_differences(text, gaps))


def _figure(curves: AllCurves) -> Figure:
    """A panel for each walker; densities go from light to dark, and dashes take turns."""
    figure = new_figure(10, 4.6)
    panels = figure.subplots(1, len(STOCHASTIC), sharey=True)
    for axes, walker in zip(panels, STOCHASTIC, strict=True):
        _panel(axes, curves[walker])
        axes.set_title(walker)
        axes.set_xlabel("temperature τ")
    panels[0].set_ylabel("validation oracle ratio (1 is the shortest path)")
    share_legend(figure, panels[0], loc="outside right center", handlelength=3)
    return figure


def _panel(axes: Axes, curves: Mapping[float, Curves]) -> None:
    from matplotlib import colormaps
    from matplotlib.ticker import MultipleLocator

    from garden.plots.style import COLOUR_MAP

    for beta, one in curves.items():
        number = BETAS.index(beta)
        shade = colormaps[COLOUR_MAP](0.92 * (1 - number / (len(BETAS) - 1)))
        axes.plot(
            GRID,
            one.mean,
            color=shade,
            linestyle=_DASHES[number % len(_DASHES)],
            linewidth=1.6,
            label=column_of(beta),
        )
        axes.plot(
            GRID[one.best], one.mean[one.best], "o", color=shade, markerfacecolor="white", zorder=3
        )
    axes.set_xscale("log")
    axes.yaxis.set_major_locator(MultipleLocator(5))
    axes.grid(alpha=0.3, linewidth=0.5)


EXPERIMENT = Experiment(
    "temperature",
    "Temperature of the stochastic walkers",
    works,
    report,
    paper=(
        "Neither the coldest nor the hottest softmax is best: both stochastic walkers find "
        "shorter paths at a temperature in between, and Distance depends on it more than "
        "Connection does."
    ),
)
