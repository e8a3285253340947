"""The pairs of a comparison spread over the workers of a Ray cluster.

The graph and the players' rows go to the object store once; a unit of work is a few targets. Units
end where the blocks of :func:`garden.strategies.base.score_blocks` end, so that every table of
scores is made by the same call as in one process, and the report is the same to the last digit.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from garden.errors import GardenError, MissingExtraError
from garden.process_settings import usable_threads
from garden.search.lazy_rows import LazyRows
from garden.search.metrics import PairOutcomes
from garden.search.play import Games, Player, outcomes_of, pair_blocks, play_block, table_columns
from garden.search.progress import Progress
from garden.strategies.base import ENTRIES_PER_BLOCK
from garden.strategies.registry import MEMORIES

MAX_TRIES = 3  # a unit whose worker dies more often is at fault itself
UNITS_PER_WORKER = 4  # where nothing binds the size of a unit

_Shared = tuple[Sequence[Player], Games]
_held: dict[str, _Shared] = {}  # in a worker: what it has unpacked, by the name of the evaluation


def play_on_ray(players: Sequence[Player], games: Games, progress: Progress) -> list[PairOutcomes]:
    """What :func:`garden.search.play.play` gives, by the workers of a Ray cluster.

    The cluster is the one that ``RAY_ADDRESS`` names, or a local one of as many workers as there
    are cores. A unit whose worker dies is given to another.

    Args:
        players: Who plays; rows that were made lazily are known here afterwards.
        games: What they play.
        progress: Called as units are done.
    """
    ray = imported_ray()
    ours = not ray.is_initialized()
    workers = usable_threads()
    if ours:
        start_ray(ray, workers)
    num_pairs = len(games.pairs)
    figures = np.empty((3, len(players), num_pairs))
    try:
        name = os.urandom(8).hex()
        shared = ray.put((players, games))
        remote = ray.remote(num_cpus=1, max_retries=MAX_TRIES)(_play_unit)
        running = {
            remote.remote(name, [shared], unit): unit for unit in units_of(players, games, workers)
        }
        done = 0
        progress("searching", done, num_pairs)
        while running:
            for reference in ray.wait(list(running))[0]:
                unit = running.pop(reference)
                figures[:, :, unit], represented = _result(ray, reference)
                for player, nodes in zip(players, represented, strict=True):
                    if isinstance(player.rows, LazyRows):
                        player.rows.note_represented(nodes)
                done += unit.stop - unit.start
                progress("searching", done, num_pairs)
    finally:
        if ours:
            ray.shutdown()
    return outcomes_of(figures)


def units_of(players: Sequence[Player], games: Games, workers: int) -> Iterator[slice]:
    """Slices of the pairs, each the work of one task.

    Args:
        players: Who plays.
        games: What they play.
        workers: How many workers there are.
    """
    targets, columns = games.pairs[:, 1], table_columns(players, games.graph)
    for block in pair_blocks(targets, games.max_hops, columns):
        inside = targets[block]
        starts = np.concatenate([[0], np.flatnonzero(np.diff(inside)) + 1])
        if columns == 1:
            size = max(1, -(-len(starts) // (UNITS_PER_WORKER * workers)))
        else:
            size = max(1, ENTRIES_PER_BLOCK // games.graph.num_nodes)
        ends = [*starts[size::size].tolist(), len(inside)]
        first = 0
        for end in ends:
            yield slice(block.start + first, block.start + end)
            first = end


def imported_ray() -> Any:
    """The module ``ray``, or one line that says what to install."""
    try:
        import ray
    except ImportError:
        raise MissingExtraError("Ray is missing: pip install 'garden-search[cluster]'") from None
    return ray


def start_ray(ray: Any, num_workers: int) -> None:
    """Join the cluster that ``RAY_ADDRESS`` names, or start a local one of so many workers.

    Args:
        ray: The module.
        num_workers: How many workers a local cluster has.
    """
    here = None if os.environ.get("RAY_ADDRESS") else num_workers
    ray.init(num_cpus=here, include_dashboard=False, log_to_driver=False)


def _result(ray: Any, reference: Any) -> tuple[np.ndarray, list[np.ndarray]]:
    try:
        result: tuple[np.ndarray, list[np.ndarray]] = ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, GardenError):
            raise error.cause from None
        raise
    except ray.exceptions.WorkerCrashedError:
        raise GardenError(f"a worker died {MAX_TRIES + 1} times over the same pairs") from None
    return result


def _play_unit(name: str, shared: list[Any], unit: slice) -> tuple[np.ndarray, list[np.ndarray]]:
    """The figures of a unit, and for each player the nodes that were represented lazily."""
    if name not in _held:
        _held.clear()
        players, games = imported_ray().get(shared[0])
        _held[name] = [_with_own_memory(player) for player in players], games
    players, games = _held[name]
    figures = play_block(players, games.block(unit))
    none = np.empty(0, dtype=np.int64)
    represented = [
        player.rows.represented if isinstance(player.rows, LazyRows) else none for player in players
    ]
    return figures, represented


def _with_own_memory(player: Player) -> Player:
    """The player with this process's memory of that name, which compiled walks are known by."""
    contender = player.contender
    ours = MEMORIES.get(contender.memory.name)
    if type(ours) is not type(contender.memory):
        return player
    return replace(player, contender=replace(contender, memory=ours))
