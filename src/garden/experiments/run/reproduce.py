"""Making experiments: what is left to do is done, then tables, figures and the page are written."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from garden.errors import SpecError, did_you_mean
from garden.experiments.ours import (
    adaptation,
    collection,
    failures,
    retraining,
    robustness,
    trellis_ablation,
    universal,
)
from garden.experiments.ours.gossip import experiment as gossip
from garden.experiments.ours.left_out import experiment as left_out
from garden.experiments.ours.newcomers import experiment as newcomers
from garden.experiments.ours.trellis_memories import LARGER, SPLITS
from garden.experiments.ours.universal_inputs import experiment as universal_inputs
from garden.experiments.paper import density, graph_statistics, table2, temperature
from garden.experiments.paper.runtime import experiment as runtime
from garden.experiments.paper.table1 import experiment as table1
from garden.experiments.paper.value_map import experiment as value_map
from garden.experiments.report.page import write_page
from garden.experiments.report.sections import with_making, write_section
from garden.experiments.run.config import Execution, ReproductionListener, Scope
from garden.experiments.run.executors import (
    Done,
    Starting,
    done_by,
    in_a_pool,
    in_this_process,
    on_ray,
)
from garden.experiments.run.experiment import Experiment
from garden.experiments.run.jobs import Training, Work
from garden.experiments.run.policy_cache import PolicyCache, groups_to_train
from garden.experiments.run.store import Store
from garden.process_settings import SHORT_VARIABLE, cut_short

EXPERIMENTS: Mapping[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        graph_statistics.EXPERIMENT,
        table1.EXPERIMENT,
        temperature.EXPERIMENT,
        density.EXPERIMENT,
        table2.EXPERIMENT,
        runtime.EXPERIMENT,
        value_map.EXPERIMENT,
        trellis_ablation.EXPERIMENT,
        failures.EXPERIMENT,
        SPLITS.experiment(),
        LARGER.experiment(),
        retraining.EXPERIMENT,
        newcomers.EXPERIMENT,
        collection.EXPERIMENT,
        universal.EXPERIMENT,
        left_out.EXPERIMENT,
        universal_inputs.EXPERIMENT,
        adaptation.EXPERIMENT,
        robustness.EXPERIMENT,
        gossip.EXPERIMENT,
    )
}
RESULTS = "results"
POLICIES = "policies"  # trained policies, beside the results; they can be made again

_LOG = logging.getLogger("garden")


def reproduce(
    names: Sequence[str],
    out: Path,
    scope: Scope | None = None,
    execution: Execution | None = None,
    listener: ReproductionListener | None = None,
) -> Path:
    """Make experiments into a folder of results; what is stored there already is not done again.

    Args:
        names: Of the experiments, or `all`.
        out: The folder of results, a folder per experiment in it.
        scope: How much of each is made; all of it by default.
        execution: Who does the work; this process by default.
        listener: Told how it goes.

    Returns:
        The path of the page that shows all results.
    """
    refuse_results(out)
    scope, execution = scope or Scope(), execution or Execution()
    listener = listener or ReproductionListener()
    chosen = experiments_named(names)
    cache = PolicyCache(out / POLICIES, execution.device)
    # All plans first: a scope that one experiment refuses is refused before hours of another.
    plans = [(one, list(dict.fromkeys(one.works(scope)))) for one in chosen]
    for experiment, works in plans:
        folder = out / experiment.name
        store = Store(folder)
        left = [work for work in works if work not in store]
        listener.planned(experiment.name, len(works) - len(left), len(left))
        if execution.device == "cuda":
            train_stacks([training for work in left for training in work.trainings()], cache)
        for done in _executed(left, cache, execution, listener.started):
            store.add(done.work, done.result, done.made)
            listener.ended(done.work, done.made["seconds"])
        section = experiment.section(scope, store.result, folder)
        write_section(folder, with_making(section, [store.records[work.key] for work in works]))
    return write_page(out, list(EXPERIMENTS))


def pretrain(
    names: Sequence[str], out: Path, scope: Scope | None = None, device: str = "cuda"
) -> None:
    """Train the policies that these experiments need, and no more.

    For a machine with a GPU and little else: its folder of policies, carried home, is found by the
    same addresses there.

    Args:
        names: Of the experiments, or `all`.
        out: The folder of results, in which the policies get a folder.
        scope: How much of each experiment is made; all of it by default.
        device: Where to train.
    """
    refuse_results(out)
    cache = PolicyCache(out / POLICIES, device)
    for experiment in experiments_named(names):
        works = experiment.works(scope or Scope())
        train_stacks([training for work in works for training in work.trainings()], cache)
        for work in works:
            work.pretrain(cache)


def try_first_units(experiments: Sequence[Experiment], scope: Scope, folder: Path) -> None:
    """Do the first unit of each experiment in small, to see that it works.

    Args:
        experiments: What is tried.
        scope: How much was asked for; it is cut down to a quick run.
        folder: Where results and policies go, outside the folder of results.
    """
    refuse_results(folder)
    plans = [(one, one.works(replace(scope, quick=True))[0]) for one in experiments]
    for experiment, work in plans:
        done = done_by(work, PolicyCache(folder / POLICIES, "cpu"))
        Store(folder / experiment.name).add(work, done.result, done.made)


def refuse_results(folder: Path) -> None:
    """Refuse a folder under ``results/`` where work is cut short: those are figures in full."""
    if cut_short() and RESULTS in folder.absolute().parts:
        raise SpecError(
            f"{folder}: {SHORT_VARIABLE} is set, and nothing is written under {RESULTS}/"
        )


def experiments_named(names: Sequence[str]) -> list[Experiment]:
    """The experiments with these names, or `all`."""
    return [experiment_named(name) for name in (EXPERIMENTS if "all" in names else names)]


def experiment_named(name: str) -> Experiment:
    """The experiment with this name."""
    try:
        return EXPERIMENTS[name]
    except KeyError:
        raise SpecError(
            f"unknown experiment {name!r}: {did_you_mean(name, EXPERIMENTS)}"
            f"choose from {', '.join(EXPERIMENTS)}, all"
        ) from None


def train_stacks(trainings: Sequence[Training], cache: PolicyCache) -> None:
    """Train what is not trained yet, all seeds of a graph as one stack.

    Args:
        trainings: What is needed.
        cache: Where policies are found, and stored.
    """
    missing = [one for one in dict.fromkeys(trainings) if not cache.is_trained(one)]
    for stack in groups_to_train(missing):
        first = stack[0]
        started = time.monotonic()
        cache.train(stack)
        _LOG.info(
            "%s: %s by %s, %d seeds as one stack in %.0f s",
            first.graph,
            first.options.resolved().model,
            first.options.resolved().method,
            len(stack),
            time.monotonic() - started,
        )


def _executed(
    works: Sequence[Work], cache: PolicyCache, execution: Execution, starting: Starting
) -> Iterator[Done]:
    if execution.executor == "pool":
        return in_a_pool(works, cache, starting, execution.workers)
    if execution.executor == "ray":
        return on_ray(works, cache, starting, execution.workers)
    return in_this_process(works, cache, starting)
