"""The facade: the verbs of garden as functions."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from garden.atomic import free_folder
from garden.checkpoint_files import CONFIG_FILE
from garden.datasets.spec import load
from garden.datasets.task import MIN_NODES, SearchTask
from garden.errors import DataError, GraphError, SpecError, did_you_mean, expect
from garden.graphs.cells import shown
from garden.graphs.distances import pair_distances
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.models.config import ModelConfig
from garden.notebook import table_as_html
from garden.provenance import any_has_met, check_fit, has_seen, seen_targets_error
from garden.resolve import (
    DEFAULT_STRATEGY,
    UNIVERSAL,
    StrategyLike,
    contender_named,
    contenders_named,
    default_strategies,
    strategy_named,
)
from garden.search.compare import compare
from garden.search.config import EvaluationConfig, MaxHops, check_max_hops
from garden.search.episode_rng import episode_streams
from garden.search.limits import limit_of
from garden.search.progress import Progress, silent
from garden.search.report import Report
from garden.search.temperature_tuning import prepare
from garden.search.walk import Walk, walk
from garden.strategies.base import Fitted, Strategy, Tempered
from garden.strategies.universal.adapted import Adapted
from garden.strategies.universal.policy import Universal
from garden.strategies.universal.storage import holds_universal, load_universal_or_adapted
from garden.training.config import AdaptConfig, RunOptions, TrainingOptions, check_size

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from garden.models.policy import Policy
    from garden.plots.walk import View
    from garden.training.listener import Listener
    from garden.training.run import TrainedRun

__all__ = [
    "RoutedMessage",
    "adapt",
    "evaluate",
    "load",
    "load_policy",
    "route",
    "train",
    "train_runs",
]

_LOG = logging.getLogger("garden")
_NEUTRAL_TEMPERATURE = 1.0


@dataclass(frozen=True, eq=False)
class RoutedMessage:
    """The trip of one message, by node names, beside the shortest way."""

    graph: Graph
    strategy: str
    memory: str
    walk: Walk
    target: int
    distance: int
    max_hops: int

    @property
    def path(self) -> list[str]:
        """The nodes that held the message, the source first."""
        return [self.graph.node_names[node] for node in self.walk.nodes]

    @property
    def probabilities(self) -> tuple[float, ...]:
        """The chance of each hop, as its holder saw it."""
        return self.walk.probabilities

    @property
    def delivered(self) -> bool:
        """Whether the message arrived."""
        return self.walk.delivered

    @property
    def hops(self) -> int:
        """How many hops were made."""
        return self.walk.hops

    def to_json(self) -> dict[str, Any]:
        """The trip as plain values, as ``garden route --json`` writes it."""
        return {
            "graph": self.graph.name,
            "strategy": self.strategy,
            "memory": self.memory,
            "source": self.path[0],
            "target": self.graph.node_names[self.target],
            "delivered": self.delivered,
            "hops": self.hops,
            "distance": self.distance,
            "max_hops": self.max_hops,
            "path": self.path,
            "probabilities": list(self.probabilities),
        }

    def __repr__(self) -> str:
        source, target = self.path[0], self.graph.node_names[self.target]
        fate = f"{'delivered' if self.delivered else 'not delivered'} in {self.hops} hops"
        return (
            f"RoutedMessage({source!r} → {target!r}, {fate}, shortest {self.distance}, "
            f"by {self.strategy}, memory {self.memory})"
        )

    def _repr_html_(self) -> str:
        fate = "delivered" if self.delivered else "not delivered"
        title = (
            f"{self.graph.name}: {fate} in {self.hops} hops (shortest {self.distance}) "
            f"by {self.strategy}, memory {self.memory}"
        )
        chances = ["", *(f"{chance:.3f}" for chance in self.probabilities)]
        rows = [
            (str(hop), node, chance)
            for hop, (node, chance) in enumerate(zip(self.path, chances, strict=True))
        ]
        return table_as_html(title, ("hop", "node", "probability"), rows)

    def plot(
        self,
        path: str | Path | None = None,
        *,
        ax: Axes | None = None,
        view: View = "auto",
    ) -> Figure:
        """Draw the trip, with the names of the nodes on the way; a matplotlib figure comes back.

        ``path`` is a file to save it to, ``ax`` the axes to draw on, and ``view`` what is shown:
        the ``graph`` around the trip, or the ``trip`` alone, each hop at its distance to the
        target; ``auto`` takes the trip alone where the graph is too dense to see anything in.
        """
        from garden.plots.walk import draw_walk

        return draw_walk(self.graph, self.walk.nodes, self.target, path, ax, view)


def evaluate(
    task: SearchTask | Graph | str,
    strategies: Sequence[StrategyLike] | StrategyLike | None = None,
    memory: str = "none",
    seed: int = 0,
    config: EvaluationConfig | None = None,
    allow_seen_targets: bool = False,
    progress: Progress = silent,
) -> Report:
    """Compare strategies on a task; a graph or a spec is split with ``seed`` first.

    A strategy is a name (``distance``, ``bidirectional+visited``, a run folder,
    ``package.module:Class``) or an object with ``represent`` and ``score``; without any, all
    walkers that the graph allows are compared with ``universal``, which needs no training. A
    policy is refused where its training may have seen the targets, unless that is allowed; the
    report then says so.
    """
    config = EvaluationConfig() if config is None else config
    expect("config", config, EvaluationConfig)
    if not isinstance(task, SearchTask):
        task = SearchTask.split(load(task), seed=seed)
    if strategies is None:
        strategies = default_strategies(task.graph, memory)
    elif hasattr(strategies, "represent") or not _is_list(strategies):
        strategies = [cast(StrategyLike, strategies)]
    contenders = contenders_named(list(cast(Iterable[StrategyLike], strategies)), memory)
    seen = [contender for contender in contenders if has_seen(contender.strategy, task, config)]
    if seen and not allow_seen_targets:
        raise seen_targets_error(seen[0], task, config)
    met = any_has_met(contenders, task.graph)
    return compare(task, contenders, config, progress, seen_targets=bool(seen) or met)


def _is_list(strategies: object) -> bool:
    return isinstance(strategies, Iterable) and not isinstance(strategies, str)


def train(
    task: SearchTask | Graph | str,
    model: str | None = None,
    method: str | None = None,
    options: TrainingOptions | None = None,
    size: ModelConfig | None = None,
    out: str | Path | None = None,
    device: str = "auto",
    max_minutes: float | None = None,
    resume: bool = False,
    force: bool = False,
    quiet: bool = False,
    seed: int | None = None,
    callbacks: Sequence[Listener] = (),
) -> Policy:
    """Train a policy: progress, early stopping on validation targets, the best is kept.

    ``model`` (``trellis`` by default), ``method`` and ``seed`` may stand here or in ``options``,
    which sets everything beyond them; given twice and differently they are refused. ``seed`` fixes
    the initialisation alone, which by default goes by the split's seed. With ``out`` the run is
    stored there and can be resumed; without, only the policy remains. ``callbacks`` are told of
    every update and validation: subclass :class:`garden.training.listener.Listener`.
    """
    from garden.training.listener import check_listeners
    from garden.training.progress import progress_listener
    from garden.training.run import train_seeds

    _check_training(options, size, out)
    options = (options or TrainingOptions()).with_names(model, method, seed)
    size, run_options = size or ModelConfig(), RunOptions(device=device, max_minutes=max_minutes)
    if not resume:  # a run that is resumed may be of another model than the default
        check_size(size, options)
    check_listeners(callbacks)
    if resume and out is None:
        raise SpecError("resume needs the run folder: give out")
    if not isinstance(task, SearchTask):
        task = SearchTask.split(load(task))
    (run,) = train_seeds(
        [task],
        options,
        size,
        run_options,
        folders=[Path(out)] if out is not None else [],
        resume=resume,
        force=force,
        listeners=[*callbacks, *([] if quiet else [progress_listener()])],
    )
    return run.policy


def _check_training(options: object, size: object, out: object) -> None:
    if options is not None:
        expect("options", options, TrainingOptions)
    if size is not None:
        expect("size", size, ModelConfig)
    if out is not None:
        expect("out", out, str, os.PathLike, otherwise="a path")


def adapt(
    task: SearchTask | Graph | str,
    start: str | Universal = UNIVERSAL,
    config: AdaptConfig | None = None,
    out: str | Path | None = None,
    force: bool = False,
    progress: Progress = silent,
) -> Adapted:
    """Fine-tune a policy for every graph on one's own: seconds, not minutes.

    Training targets are trained on, validation targets choose whether the change is kept and at
    which temperature. With ``config.local`` the policy stays as it is and agents learn about their
    own neighbours, from messages that pass through them. With ``out`` the result is stored there,
    and the folder is a strategy's name.
    """
    from garden.training.universal.adapt import adapt_universal
    from garden.training.universal.adapt_local import adapt_locally

    config = AdaptConfig() if config is None else config
    expect("config", config, AdaptConfig)
    if out is not None:
        free_folder(out, CONFIG_FILE, force)  # refused before the work
    policy = strategy_named(start) if isinstance(start, str) else start
    if not isinstance(policy, Universal):
        raise SpecError(f"{shown(start)} cannot be adapted: start from universal")
    if not isinstance(task, SearchTask):
        task = SearchTask.split(load(task))
    if config.local:
        adapted = adapt_locally(policy, task, config, progress)
    else:
        adapted = adapt_universal(policy, task, config, progress)
    if out is not None:
        adapted.save(out, force)
    return adapted


def train_runs(
    graph: Graph,
    seeds: Sequence[int],
    out: Path,
    options: TrainingOptions,
    size: ModelConfig,
    run_options: RunOptions,
    one_folder: bool = True,
    resume: bool = False,
    force: bool = False,
    quiet: bool = False,
) -> list[TrainedRun]:
    """Train several seeds of one graph, in stacks as large as fit, each into its own folder.

    Resuming goes on with the runs that were begun and then begins the others.
    """
    from garden.plots.curves import draw_learning_curves
    from garden.training.callbacks import MetricsFile, read_metrics
    from garden.training.progress import progress_listener
    from garden.training.run import device_named, is_run_folder, refuse_taken, train_seeds
    from garden.training.stacks import seeds_per_stack

    if not resume:
        check_size(size, options)
    device = device_named(run_options.device)
    size_of_stack = seeds_per_stack(graph, device, len(seeds))
    folders = run_folders(out, seeds, one_folder)
    if not resume and not force:
        for folder in folders:
            refuse_taken(folder)  # all of them, before hours go into the first
    runs: list[TrainedRun] = []
    for start in range(0, len(seeds), size_of_stack):
        block = slice(start, start + size_of_stack)
        begun = one_folder or is_run_folder(folders[start])
        runs += train_seeds(
            [SearchTask.split(graph, seed=seed) for seed in seeds[block]],
            options,
            size,
            run_options,
            folders=folders[block],
            resume=resume and begun,
            force=force,
            listeners=[] if quiet else [progress_listener()],
        )
        if runs[-1].summary["stopped"] == "interrupted":
            break
    for run in runs:
        assert run.folder is not None
        records = read_metrics(run.folder / MetricsFile.NAME)
        draw_learning_curves({run.folder.name: records}, run.folder / "curve.png")
    return runs


def run_folders(out: Path, seeds: Sequence[int], one_folder: bool) -> list[Path]:
    """The folder of each seed's run."""
    return [out if one_folder else out / f"seed-{seed}" for seed in seeds]


def load_policy(path: str | Path, device: str = "cpu") -> Policy | Universal | Adapted:
    """A policy from a run folder, or shipped weights by name."""
    from garden.models.checkpoint import load_policy as load_from_folder
    from garden.resolve import policies_beside, shipped_weights

    expect("path", path, str, os.PathLike, otherwise="a run folder, or the name of shipped weights")
    shipped = shipped_weights()
    folder = shipped.get(str(path), Path(path))
    if not folder.is_dir():
        hint = did_you_mean(path, [*shipped, *policies_beside(str(path))])
        raise DataError(f"{folder}: no such folder: {hint}shipped weights are {', '.join(shipped)}")
    if holds_universal(folder):
        return load_universal_or_adapted(folder)
    return load_from_folder(folder, device)


def route(
    graph: Graph | str,
    strategy: StrategyLike = DEFAULT_STRATEGY,
    *,
    source: str | int,
    target: str | int,
    memory: str = "none",
    max_hops: MaxHops = "auto",
    seed: int = 0,
    progress: Progress = silent,
) -> RoutedMessage:
    """Send one message and watch where it goes.

    It is given up after ``max_hops`` hops. `auto`: 100; where source and target are more than 50
    hops apart, ten times their distance, at most 10,000.
    """
    graph = load(graph)
    start, goal = graph.position(source), graph.position(target)
    if start == goal:
        raise GraphError(f"source and target are both {str(source)!r}: give two different nodes")
    check_max_hops(max_hops)
    expect("seed", seed, Integral, otherwise="a whole number")
    if seed < 0:
        raise SpecError(f"seed {seed} is negative: use 0 or more")
    contender = contender_named(strategy, memory)
    check_fit(contender.strategy, graph)
    ready = _ready_without_task(contender.strategy, graph, seed, progress)
    distance = int(pair_distances(graph, np.array([[start, goal]]))[0])
    limit = limit_of(max_hops, distance)
    trip = walk(
        graph,
        ready,
        ready.represent(ego_graphs(graph)),
        start,
        goal,
        contender.memory,
        limit,
        int(episode_streams(seed, 0, 1)[0]),
    )
    return RoutedMessage(graph, contender.label, contender.memory.name, trip, goal, distance, limit)


def _ready_without_task(
    strategy: Strategy, graph: Graph, seed: int, progress: Progress
) -> Strategy:
    if graph.num_nodes >= MIN_NODES:
        return prepare(strategy, SearchTask.split(graph, seed=seed), progress=progress)
    if isinstance(strategy, Fitted) and not strategy.fitted:
        strategy = strategy.fit(ego_graphs(graph))
    if isinstance(strategy, Tempered) and strategy.temperature is None:
        _LOG.info(
            "%s is too small to tune on: temperature %g is used", graph.name, _NEUTRAL_TEMPERATURE
        )
        return strategy.with_temperature(_NEUTRAL_TEMPERATURE)
    return strategy
