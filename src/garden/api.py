"""The functions of the public interface: load, train, adapt, evaluate.

``garden.route`` is in :mod:`garden.routing`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from garden.datasets.spec import load
from garden.datasets.task import SearchTask
from garden.errors import DataError, SpecError, did_you_mean, expect, expect_choice, short_repr
from garden.graphs.graph import Graph
from garden.models.registry import ModelConfig, check_size
from garden.provenance import seen_in_training
from garden.resolve import (
    UNIVERSAL,
    StrategyLike,
    contenders_named,
    default_strategies,
    strategy_named,
)
from garden.search.compare import compare
from garden.search.config import EvaluationConfig, ExecutorName
from garden.search.progress import Progress, silent
from garden.search.report import Report
from garden.storage import free_folder
from garden.strategies.protocols import Trained
from garden.strategies.universal.adapted import Adapted
from garden.strategies.universal.policy import Universal
from garden.strategies.universal.storage import holds_universal, load_universal_or_adapted
from garden.training.config import RunOptions, TrainingOptions
from garden.training.universal.config import AdaptConfig

if TYPE_CHECKING:
    from garden.models.policy import Policy
    from garden.training.callbacks import Listener
    from garden.training.run import TrainedRun

__all__ = [
    "adapt",
    "evaluate",
    "load",
    "load_policy",
    "train",
    "train_runs",
]


def evaluate(
    task: SearchTask | Graph | str,
    strategies: Sequence[StrategyLike] | StrategyLike | None = None,
    memory: str = "none",
    seed: int = 0,
    config: EvaluationConfig | None = None,
    allow_seen_targets: bool = False,
    progress: Progress = silent,
    cache: bool = True,
    executor: ExecutorName = "process",
) -> Report:
    """Compare strategies on a task.

    Args:
        task: A task, or a graph or spec, which is split with ``seed``.
        strategies: One or several: names (``distance``, ``bidirectional+visited``, shipped weights,
            a run folder, ``package.module:Class``) or objects with ``represent`` and ``score``. By
            default all walkers that the graph allows, ``universal``, which needs no training, and
            ``beacons``, whose agents tell their neighbours something first.
        memory: The memory of every strategy whose name holds none.
        seed: Fixes the split and the pairs, where ``task`` is not a task yet.
        config: Which pairs are played, and how.
        allow_seen_targets: Evaluate a policy even where its training may have seen the targets; the
            report records it.
        progress: Called as the work goes on.
        cache: Whether settled rows of large graphs are read from the user's cache, and kept there.
        executor: Who plays the pairs: this ``process``, or the workers of a ``ray`` cluster; the
            report is the same.

    Returns:
        A report with the paper's three metrics for each strategy.

    Example:
        >>> import garden
        >>> report = garden.evaluate("kaiser-hilgetag:n=50,seed=1", ["greedy", "random"])
        >>> report["greedy"].oracle_ratio < report["random"].oracle_ratio
        True
    """
    config = EvaluationConfig() if config is None else config
    expect("config", config, EvaluationConfig)
    expect_choice("executor", executor, get_args(ExecutorName))
    if not isinstance(task, SearchTask):
        task = SearchTask.split(load(task), seed=seed)
    if strategies is None:
        strategies = default_strategies(task.graph, memory)
    elif hasattr(strategies, "represent") or not _is_list(strategies):
        strategies = [cast(StrategyLike, strategies)]
    contenders = contenders_named(list(cast(Iterable[StrategyLike], strategies)), memory)
    trained = [one for one in contenders if isinstance(one.strategy, Trained | Universal)]
    seen = bool(trained) and seen_in_training(trained, task, config, allow_seen_targets)
    return compare(
        task, contenders, config, progress, seen_targets=seen, cache=cache, executor=executor
    )


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
    """Train a policy, with early stopping; the best on validation targets is kept.

    Args:
        task: A task, or a graph or spec, which is split with seed 0.
        model: The name of the model, ``trellis`` by default. ``model``, ``method`` and ``seed`` may
            stand here or in ``options``; given twice and differently they are refused.
        method: The training method: ``guided``, ``exact`` or ``a2c``.
        options: All training options.
        size: The size of the model.
        out: A folder for the run, which can then be resumed; without it only the policy remains.
        device: ``cpu``, ``cuda``, or ``auto`` for whichever fits.
        max_minutes: When to stop at the latest.
        resume: Continue the run in ``out`` where it stopped.
        force: Overwrite a run in ``out``.
        quiet: Print no progress.
        seed: Fixes the initialisation alone; by default the split's seed does.
        callbacks: Called at every update and validation; subclasses of
            :class:`garden.training.callbacks.Listener`.

    Returns:
        The trained policy, a strategy for :func:`evaluate` and ``garden.route``.
    """
    from garden.training.callbacks import check_listeners, progress_listener
    from garden.training.run import train_seeds

    _check_training(options, size, out, seed)
    options = _with_names(options or TrainingOptions(), model, method, seed)
    size, run_options = size or ModelConfig(), RunOptions(device=device, max_minutes=max_minutes)
    if not resume:  # a run that is resumed may be of another model than the default
        check_size(size, options.chosen_model)
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


def _with_names(
    options: TrainingOptions, model: str | None, method: str | None, init_seed: int | None
) -> TrainingOptions:
    """The options with these, each of which may stand here, in the options, or twice alike."""
    named: dict[str, Any] = {"model": model, "method": method, "init_seed": init_seed}
    for name, value in named.items():
        own = getattr(options, name)
        if None not in (own, value) and own != value:
            raise SpecError(
                f"{name} is given twice, as {value!r} and in the options as {own!r}: give one"
            )
    return replace(options, **{n: value for n, value in named.items() if value is not None})


def _check_training(options: object, size: object, out: object, seed: object) -> None:
    if options is not None:
        expect("options", options, TrainingOptions)
    if size is not None:
        expect("size", size, ModelConfig)
    if out is not None:
        expect("out", out, str, os.PathLike, otherwise="a path")
    if seed is not None:
        expect("seed", seed, Integral, otherwise="a whole number")


def adapt(
    task: SearchTask | Graph | str,
    start: str | Universal = UNIVERSAL,
    config: AdaptConfig | None = None,
    out: str | Path | None = None,
    force: bool = False,
    progress: Progress = silent,
) -> Adapted:
    """Fit the universal policy to one graph, in seconds.

    Training targets provide the loss; validation targets decide whether the change is kept and at
    which temperature.

    Args:
        task: A task, or a graph or spec, which is split with seed 0.
        start: The policy to start from: shipped weights or a folder by name, or an object.
        config: Options; with ``config.local`` the weights stay as they are and each agent learns
            a bias for each of its links, from messages that pass through it.
        out: A folder for the result; its path is then a strategy's name.
        force: Overwrite a policy in ``out``.
        progress: Called as the work goes on.
    """
    from garden.training.universal.adapt import adapt_universal
    from garden.training.universal.adapt_local import adapt_locally

    config = AdaptConfig() if config is None else config
    expect("config", config, AdaptConfig)
    if out is not None:
        free_folder(out, force)  # refused before the work
    policy = strategy_named(start) if isinstance(start, str) else start
    if not isinstance(policy, Universal):
        raise SpecError(f"{short_repr(start)} cannot be adapted: start from universal")
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
    """Train several seeds of one graph, as many at once as fit, each into its own folder.

    Args:
        graph: The graph.
        seeds: One split, and by default one initialisation, per seed.
        out: The run folder, or with ``one_folder=False`` the folder of the runs' folders.
        options: Training options.
        size: The size of the model.
        run_options: Device, limits of time, loggers.
        one_folder: Whether there is a single run, stored in ``out`` itself.
        resume: Continue the runs that were begun, then begin the others.
        force: Overwrite runs.
        quiet: Print no progress.

    Returns:
        The runs in the order of the seeds; fewer where the user interrupted.
    """
    from garden.plots.figures import draw_learning_curves
    from garden.training.callbacks import progress_listener
    from garden.training.run import (
        MetricsFile,
        device_named,
        is_run_folder,
        read_metrics,
        refuse_taken,
        seeds_per_stack,
        train_seeds,
    )

    if not resume:
        check_size(size, options.chosen_model)
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
    """The folder of each seed's run: ``out`` itself, or ``out/seed-N``.

    Args:
        out: The folder that was asked for.
        seeds: One per run.
        one_folder: Whether there is a single run, in ``out`` itself.
    """
    return [out if one_folder else out / f"seed-{seed}" for seed in seeds]


def load_policy(path: str | Path, device: str = "cpu") -> Policy | Universal | Adapted:
    """A policy from a folder.

    Args:
        path: A run folder, the folder of an adapted policy, or the name of shipped weights.
        device: Where the weights are kept.
    """
    from garden.models.policy_files import load_policy as load_from_folder
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
