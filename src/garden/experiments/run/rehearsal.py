"""Experiments cut short: the first unit of each in small, outside the folder of results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from garden.errors import SpecError
from garden.experiments.run.config import Scope
from garden.experiments.run.executors import done_by
from garden.experiments.run.experiment import Experiment
from garden.experiments.run.policy_cache import PolicyCache
from garden.experiments.run.store import Store
from garden.short_runs import VARIABLE, cut_short

RESULTS = "results"


def rehearse(experiments: Sequence[Experiment], scope: Scope, folder: Path) -> None:
    """Do the first unit of each experiment, trained on this processor, and store it in a folder."""
    refuse_results(folder)
    plans = [(one, one.works(replace(scope, quick=True))[0]) for one in experiments]
    for experiment, work in plans:
        done = done_by(work, PolicyCache(folder / "policies", "cpu"))
        Store(folder / experiment.name).add(work, done.result, done.made)


def refuse_results(folder: Path) -> None:
    """Refuse a folder under ``results/`` where work is cut short: those are figures in full."""
    if cut_short() and RESULTS in folder.absolute().parts:
        raise SpecError(f"{folder}: {VARIABLE} is set, and nothing is written under {RESULTS}/")
