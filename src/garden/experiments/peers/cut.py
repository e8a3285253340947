"""Cutting a graph into peers: the only step that sees the graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from garden.datasets.task import MIN_NODES, SearchTask
from garden.errors import DataError, StrategyError
from garden.graphs.ego import EgoGraphs
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.peers.cut_folder import AGENTS, STRATEGY_FILE, Programme, view_path, write_programme
from garden.peers.views import VIEW_VERSION, AgentView, Profile, profile_of, write_view
from garden.resolve import contender_named
from garden.search.compare import Contender
from garden.search.progress import Progress, silent
from garden.search.rounds import node_keys
from garden.search.temperature_tuning import prepare
from garden.storage import atomic_folder
from garden.strategies.base import Strategy, is_ready
from garden.strategies.exported import Exported
from garden.strategies.gossip.protocol import GossipStrategy


@dataclass(frozen=True)
class Cut:
    """The folder that was written: what its agents run, how many there are, and their size."""

    folder: Path
    strategy: str
    memory: str
    num_agents: int
    num_bytes: int  # of all agents' files
    largest: int  # bytes


def keys_for(graph: Graph, strategy: Strategy) -> np.ndarray:
    """The key of each agent, (num_nodes,) uint64: a hash of its node's name.

    Args:
        graph: The graph.
        strategy: Names the seed of the hash where it has rounds; other strategies use 0.
    """
    seed = strategy.key_seed if isinstance(strategy, GossipStrategy) else 0
    return node_keys(graph, seed)


def views_of(graph: Graph, keys: np.ndarray) -> Iterator[AgentView]:
    """The view of each node's agent, in the order of the nodes.

    Args:
        graph: The graph.
        keys: (num_nodes,) uint64, all different.
    """
    egos = ego_graphs(graph)
    dense = isinstance(graph.attributes, np.ndarray)
    profiles = [profile_of(graph.attributes, node) for node in range(graph.num_nodes)]
    for row in range(len(egos)):
        yield _view(egos, row, keys, profiles, dense)


def cut(
    graph: Graph,
    strategy: str,
    folder: Path,
    memory: str = "none",
    seed: int = 0,
    force: bool = False,
    progress: Progress = silent,
    keys: np.ndarray | None = None,
    also: Callable[[Path, int, AgentView], object] | None = None,
) -> Cut:
    """Write one file per agent, and one with what all of them run.

    Args:
        graph: The graph.
        strategy: A walker, ``beacons``, ``universal`` or an export; ``+MEMORY`` adds a memory.
        folder: Where to write; one that is there is refused.
        memory: The memory, where the strategy's name holds none.
        seed: The split that temperatures are tuned on.
        force: Replace a folder that holds peers.
        progress: Called as tuning goes on.
        keys: The agents' keys, (num_nodes,) uint64; by default hashes of the nodes' names.
        also: Called with the folder, each node's position and its agent's view, to write more.
    """
    _refuse_taken(folder, force)
    contender = ready_contender(graph, strategy, memory, seed, progress)
    programme = Programme(contender.strategy, contender.memory)
    sizes = []
    with atomic_folder(folder) as temporary:
        (temporary / AGENTS).mkdir()
        write_programme(temporary, contender.label, programme)
        if keys is None:
            keys = keys_for(graph, contender.strategy)
        for number, view in enumerate(views_of(graph, keys)):
            path = view_path(temporary, view.key)
            write_view(view, path)
            sizes.append(path.stat().st_size)
            if also is not None:
                also(temporary, number, view)
            progress("cutting", number + 1, graph.num_nodes)
    return Cut(folder, contender.label, contender.memory.name, len(sizes), sum(sizes), max(sizes))


def ready_contender(
    graph: Graph, strategy: str, memory: str = "none", seed: int = 0, progress: Progress = silent
) -> Contender:
    """The strategy and memory of a name, fitted and tuned on the graph where it asks for that.

    Args:
        graph: The graph.
        strategy: The strategy's name, with ``+MEMORY`` or without.
        memory: The memory, where the name holds none.
        seed: The split that temperatures are tuned on.
        progress: Called as tuning goes on.
    """
    contender = contender_named(strategy, memory)
    if isinstance(contender.strategy, Exported):  # known by its model, wherever its folder lies
        contender.strategy.check_attributes(graph.attribute_names)
        return replace(contender, label=contender.strategy.name)
    if is_ready(contender.strategy):
        return contender
    if graph.num_nodes < MIN_NODES:
        raise StrategyError(f"{graph.name} is too small to tune {contender.label} on")
    task = SearchTask.split(graph, seed=seed)
    return replace(contender, strategy=prepare(contender.strategy, task, progress=progress))


def _refuse_taken(folder: Path, force: bool) -> None:
    if folder.exists() and not folder.is_dir():
        raise DataError(f"{folder}: is a file, and peers need a folder")
    if not folder.exists() or not any(folder.iterdir()):
        return
    if not (folder / STRATEGY_FILE).exists():
        raise DataError(f"{folder}: is there already and holds no peers: give another folder")
    if not force:
        raise DataError(f"{folder}: holds peers already: give `force=True`, or another folder")


def _view(
    egos: EgoGraphs, row: int, keys: np.ndarray, profiles: list[Profile], dense: bool
) -> AgentView:
    start, stop = egos.offsets[row], egos.offsets[row + 1]
    members = egos.members[start:stop]
    order = np.argsort(keys[members[1:]])
    place = np.full(stop - start, -1, dtype=np.int64)  # of a member among the neighbours
    place[1:][order] = np.arange(len(order))
    edges = egos.edges[:, egos.edge_offsets[row] : egos.edge_offsets[row + 1]] - start
    one, other = place[edges]
    links = np.stack([one, other], axis=1)[(one >= 0) & (one < other)]
    links = links[np.lexsort((links[:, 1], links[:, 0]))]
    neighbours = members[1:][order]
    return AgentView(
        version=VIEW_VERSION,
        key=int(keys[members[0]]),
        neighbours=tuple(keys[neighbours].tolist()),
        num_attributes=egos.num_attributes,
        dense=dense,
        profiles=tuple(profiles[node] for node in [members[0], *neighbours]),
        links=tuple(map(tuple, links.tolist())),
    )
