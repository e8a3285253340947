"""The facade: the verbs of garden as functions."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from garden.datasets.spec import load
from garden.datasets.task import MIN_NODES, SearchTask
from garden.errors import DataError, GraphError, SpecError
from garden.graphs.graph import Graph
from garden.graphs.paths import pair_distances
from garden.graphs.views import ego_graphs
from garden.known import any_has_met, check_fit, has_seen, seen_targets_error
from garden.models.config import ModelConfig
from garden.names import (
    DEFAULT_STRATEGY,
    UNIVERSAL,
    StrategyLike,
    contender_named,
    contenders_named,
    default_strategies,
    strategy_named,
)
from garden.search.compare import compare
from garden.search.config import EvaluationConfig
from garden.search.progress import Progress, silent
from garden.search.report import Report
from garden.search.streams import episode_streams
from garden.search.tune import prepare
from garden.search.walk import Walk, walk
from garden.strategies.adapted import Adapted, load_universal_or_adapted
from garden.strategies.base import Fitted, Strategy, Tempered
from garden.strategies.universal import CONFIG_FILE, Universal, holds_universal
from garden.training.config import AdaptConfig, RunOptions, TrainingOptions

if TYPE_CHECKING:
    from garden.models.policy import Policy
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
            "path": self.path,
            "probabilities": list(self.probabilities),
        }

    def plot(self, path: str | Path | None = None) -> Any:
        """Draw the trip; saved where a path is given, else returned as a matplotlib figure."""
        from garden.plots.walk import draw_walk

        return draw_walk(self.graph, self.walk.nodes, self.target, path)


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
    config = config or EvaluationConfig()
    if not isinstance(task, SearchTask):
        task = SearchTask.split(load(task), seed=seed)
    if strategies is None:
        strategies = default_strategies(task.graph, memory)
    elif isinstance(strategies, str) or hasattr(strategies, "represent"):
        strategies = [cast(StrategyLike, strategies)]
    contenders = contenders_named(strategies, memory)
    seen = [contender for contender in contenders if has_seen(contender.strategy, task, config)]
    if seen and not allow_seen_targets:
        raise seen_targets_error(seen[0], task, config)
    met = any_has_met(contenders, task.graph)
    return compare(task, contenders, config, progress, seen_targets=bool(seen) or met)


def train(
    task: SearchTask | Graph | str,
    model: str = "trellis",
    method: str | None = None,
    options: TrainingOptions | None = None,
    size: ModelConfig | None = None,
    out: str | Path | None = None,
    device: str = "auto",
    max_minutes: float | None = None,
    resume: bool = False,
    force: bool = False,
    quiet: bool = False,
) -> Policy:
    """Train a policy: progress, early stopping on validation targets, the best is kept.

    ``options`` sets everything beyond model and method, whose names in it are then used instead.
    With ``out`` the run is stored there and can be resumed; without, only the policy remains.
    """
    from garden.training.progress import progress_listener
    from garden.training.run import train_seeds

    if not isinstance(task, SearchTask):
        task = SearchTask.split(load(task))
    if resume and out is None:
        raise SpecError("resume needs the run folder: give out")
    (run,) = train_seeds(
        [task],
        options or TrainingOptions(model=model, method=method),
        size or ModelConfig(),
        RunOptions(device=device, max_minutes=max_minutes),
        folders=[Path(out)] if out is not None else [],
        resume=resume,
        force=force,
        listeners=[] if quiet else [progress_listener()],
    )
    return run.policy


def adapt(
    task: SearchTask | Graph | str,
    start: str | Universal = UNIVERSAL,
    config: AdaptConfig | None = None,
    out: str | Path | None = None,
    force: bool = False,
    progress: Progress = silent,
) -> Adapted:
    """Fine-tune a policy for every graph on one's own: seconds, not minutes.

    Training targets make the lesson, validation targets choose whether the change is kept and at
    which temperature. With ``config.local`` the policy stays as it is and agents learn about their
    own neighbours, from messages that pass through them. With ``out`` the result is stored there,
    and the folder is a strategy's name.
    """
    from garden.training.adapt import adapt_universal
    from garden.training.local import adapt_locally

    config = config or AdaptConfig()
    if out is not None:
        _refuse_taken(Path(out), force)
    policy = strategy_named(start) if isinstance(start, str) else start
    if not isinstance(policy, Universal):
        raise SpecError(f"{start} cannot be adapted: start from universal")
    if not isinstance(task, SearchTask):
        task = SearchTask.split(load(task))
    if config.local:
        adapted = adapt_locally(policy, task, config, progress)
    else:
        adapted = adapt_universal(policy, task, config, progress)
    if out is not None:
        adapted.save(out)
    return adapted


def _refuse_taken(folder: Path, force: bool) -> None:
    if (folder / CONFIG_FILE).exists() and not force:
        raise DataError(f"{folder}: holds a policy already: give --force or another --out")
    if folder.exists() and not folder.is_dir():
        raise DataError(f"{folder}: is a file, and a policy needs a folder")


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
) -> list[TrainedRun]:
    """Train several seeds of one graph, in stacks as large as fit, each into its own folder."""
    from garden.plots.curves import draw_learning_curves
    from garden.training.callbacks import MetricsFile, read_metrics
    from garden.training.progress import progress_listener
    from garden.training.run import device_named, train_seeds
    from garden.training.stacks import seeds_per_stack

    device = device_named(run_options.device)
    size_of_stack = seeds_per_stack(graph, device, len(seeds))
    folders = [out if one_folder else out / f"seed-{seed}" for seed in seeds]
    runs: list[TrainedRun] = []
    for start in range(0, len(seeds), size_of_stack):
        block = slice(start, start + size_of_stack)
        runs += train_seeds(
            [SearchTask.split(graph, seed=seed) for seed in seeds[block]],
            options,
            size,
            run_options,
            folders=folders[block],
            resume=resume,
            force=force,
            listeners=[progress_listener()],
        )
        if runs[-1].summary["stopped"] == "interrupted":
            break
    for run in runs:
        assert run.folder is not None
        records = read_metrics(run.folder / MetricsFile.NAME)
        draw_learning_curves({run.folder.name: records}, run.folder / "curve.png")
    return runs


def load_policy(path: str | Path, device: str = "cpu") -> Policy | Universal | Adapted:
    """A policy from a run folder, or shipped weights by name."""
    from garden.models.checkpoint import load_policy as load_from_folder
    from garden.names import shipped_weights

    folder = shipped_weights().get(str(path), Path(path))
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
    max_hops: int = 100,
    seed: int = 0,
    progress: Progress = silent,
) -> RoutedMessage:
    """Send one message and watch where it goes."""
    graph = load(graph)
    start, goal = graph.position(source), graph.position(target)
    if start == goal:
        raise GraphError(f"source and target are both {str(source)!r}: give two different nodes")
    max_hops = EvaluationConfig(max_hops=max_hops).max_hops
    if seed < 0:
        raise SpecError(f"seed {seed} is negative: use 0 or more")
    contender = contender_named(strategy, memory)
    check_fit(contender.strategy, graph)
    ready = _ready_without_task(contender.strategy, graph, seed, progress)
    trip = walk(
        graph,
        ready,
        ready.represent(ego_graphs(graph)),
        start,
        goal,
        contender.memory,
        max_hops,
        int(episode_streams(seed, 0, 1)[0]),
    )
    distance = int(pair_distances(graph, np.array([[start, goal]]))[0])
    return RoutedMessage(graph, contender.label, contender.memory.name, trip, goal, distance)


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
