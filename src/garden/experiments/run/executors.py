"""Who does the work: this process, a pool of processes, or a Ray cluster.

Each yields units with what came of them, in whatever order they end. A worker that dies costs its
unit's time: the unit is given to another.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

import numpy

from garden import __version__
from garden.errors import GardenError, SpecError
from garden.experiments.run.jobs import Work
from garden.experiments.run.policy_cache import PolicyCache

MAX_TRIES = 3  # a unit whose worker dies this often is at fault itself


class WorkError(GardenError):
    """A unit of work that failed."""


@dataclass(frozen=True)
class Done:
    """A unit with what came of it, and how."""

    work: Work
    result: dict[str, Any]
    made: dict[str, Any]


Starting = Callable[[Work], None]
"""Called with a unit when somebody takes it up."""


def done_by(work: Work, cache: PolicyCache) -> Done:
    """Do one unit here and now.

    Args:
        work: The unit.
        cache: Where its policies come from.

    Returns:
        The unit, its result, and how it was made: seconds, versions and the command.

    Raises:
        WorkError: If the unit fails; it is named in the message.
    """
    started = time.monotonic()
    try:
        result = work.perform(cache)
    except GardenError as error:
        raise WorkError(f"{work.title}: {error}") from None
    made = {"seconds": round(time.monotonic() - started, 2), **versions_and_command()}
    return Done(work, result, made)


def versions_and_command() -> dict[str, Any]:
    """What results are stored with: versions of what made them, and the command."""
    return {
        "versions": {
            "garden": __version__,
            "python": platform.python_version(),
            "numpy": numpy.__version__,
        },
        "command": " ".join(["garden", *sys.argv[1:]]),
    }


def in_this_process(
    works: Sequence[Work], cache: PolicyCache, starting: Starting
) -> Iterator[Done]:
    """Do units one after the other, in this process.

    Args:
        works: The units.
        cache: Where policies come from.
        starting: Called with each unit when it is taken up.

    Yields:
        Each unit with what came of it.
    """
    for work in works:
        starting(work)
        yield done_by(work, cache)


def in_a_pool(
    works: Sequence[Work], cache: PolicyCache, starting: Starting, num_workers: int
) -> Iterator[Done]:
    """Do units side by side in processes of one thread each; a dead one is replaced.

    Args:
        works: The units.
        cache: Where policies come from.
        starting: Called with each unit when it is taken up.
        num_workers: How many processes there are.

    Yields:
        Units with what came of them, in the order that they end in.

    Raises:
        WorkError: If a unit fails, or its process dies :data:`MAX_TRIES` times.
    """
    left = list(works)
    tries = {work.key: 0 for work in works}
    while left:
        with ProcessPoolExecutor(
            num_workers, get_context("spawn"), initializer=_one_thread
        ) as pool:
            running: dict[Future[Done], Work] = {}
            try:
                while left or running:
                    while left and len(running) < num_workers:
                        work = left.pop(0)
                        starting(work)
                        running[pool.submit(done_by, work, cache)] = work
                    ended, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in ended:
                        done = future.result()
                        del running[future]
                        yield done
            except BrokenProcessPool:
                lost = list(running.values())
                for work in lost:
                    tries[work.key] += 1
                    if tries[work.key] == MAX_TRIES:
                        raise WorkError(
                            f"{work.title}: its process died {MAX_TRIES} times"
                        ) from None
                left = [*lost, *left]


def on_ray(
    works: Sequence[Work], cache: PolicyCache, starting: Starting, num_workers: int
) -> Iterator[Done]:
    """Do units on the Ray cluster that RAY_ADDRESS names, or on a local one.

    Args:
        works: The units.
        cache: Where policies come from.
        starting: Called with each unit when it is handed over.
        num_workers: Workers of the local cluster, where one is started.

    Yields:
        Units with what came of them, in the order that they end in.
    """
    try:
        import ray
    except ImportError:
        raise SpecError(
            "`executor='ray'` needs Ray: pip install 'garden-search[cluster]'"
        ) from None
    ours = not ray.is_initialized()
    if ours:
        here = None if os.environ.get("RAY_ADDRESS") else num_workers
        ray.init(num_cpus=here, include_dashboard=False, log_to_driver=False)
    try:
        remote = ray.remote(num_cpus=1, max_retries=MAX_TRIES)(_done_alone)
        running: dict[Any, Work] = {}
        for work in works:
            starting(work)
            running[remote.remote(work, cache)] = work
        while running:
            ended, _ = ray.wait(list(running))
            for reference in ended:
                work = running.pop(reference)
                try:
                    done: Done = ray.get(reference)
                except ray.exceptions.RayTaskError as error:
                    cause = error.cause
                    if isinstance(cause, GardenError):
                        raise WorkError(str(cause)) from None
                    raise
                except ray.exceptions.WorkerCrashedError:
                    raise WorkError(
                        f"{work.title}: its worker died {MAX_TRIES + 1} times"
                    ) from None
                yield done
    finally:
        if ours:
            ray.shutdown()


def _done_alone(work: Work, cache: PolicyCache) -> Done:
    _one_thread()
    return done_by(work, cache)


def _one_thread() -> None:
    """Workers side by side would fight over cores with more."""
    import torch

    torch.set_num_threads(1)
    os.environ["OMP_NUM_THREADS"] = "1"  # what our own threads keep to
