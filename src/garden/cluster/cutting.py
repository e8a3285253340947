"""Cutting a graph into shards: the only step of a cluster that sees the whole graph.

Importing this module needs numba and pyarrow.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy.sparse as sp

from garden.cluster.shard_files import (
    Manifest,
    Shard,
    read_manifest,
    shard_of,
    write_manifest,
    write_shard,
)
from garden.compiled import compiled
from garden.errors import DataError, GardenError, SpecError, expect
from garden.graphs.ego import ragged_rows
from garden.graphs.graph import Graph
from garden.search.progress import Progress, silent
from garden.search.rounds import node_keys
from garden.storage import atomic_folder

MAX_SHARDS = 65_536


def cut_shards(
    graph: Graph,
    num_shards: int,
    folder: str | Path,
    key_seed: int = 0,
    force: bool = False,
    progress: Progress = silent,
) -> Manifest:
    """Write a graph as a sharded dataset.

    Args:
        graph: The graph.
        num_shards: How many actors shall hold it.
        folder: Where to write; one that is there is refused.
        key_seed: The seed that keys are hashed with; strategies with rounds name theirs.
        force: Replace a folder that holds shards.
        progress: Called as shards are written.
    """
    folder = Path(folder)
    expect("num_shards", num_shards, int, otherwise="a whole number")
    if not 1 <= num_shards <= min(MAX_SHARDS, graph.num_nodes):
        most = min(MAX_SHARDS, graph.num_nodes)
        raise SpecError(f"{num_shards} shards of {graph.num_nodes} nodes: choose 1 to {most}")
    _check_free(folder, force)
    keys = node_keys(graph, key_seed)
    homes = shard_of(keys, num_shards)
    if len(np.unique(homes)) < num_shards:
        raise SpecError(
            f"of {num_shards} shards of {graph.num_nodes} nodes one would be empty: choose fewer"
        )
    ego_shards, ego_links = _links_of_ego_graphs(graph, homes)
    profiles = sp.csr_array(graph.attributes)
    digests = []
    with atomic_folder(folder) as place:
        for number in range(num_shards):
            shard, nodes, local = _shard(graph, keys, homes, number, num_shards)
            names = [graph.node_names[node] for node in nodes[: shard.num_own].tolist()]
            among = local[ego_links[ego_shards == number]]
            digests.append(write_shard(place, shard, names, profiles[nodes], among))
            progress("cutting", number + 1, num_shards)
        manifest = Manifest(
            graph.name,
            graph.num_nodes,
            graph.num_edges,
            num_shards,
            key_seed,
            isinstance(graph.attributes, np.ndarray),
            graph.attribute_names,
            tuple(digests),
        )
        write_manifest(place, manifest)
    return manifest


def _check_free(folder: Path, force: bool) -> None:
    """Refuse a folder that is there, but for one with shards that may be replaced."""
    if not folder.exists():
        return
    if not force:
        raise DataError(f"{folder}: is there already: give `force=True`, or another folder")
    try:
        read_manifest(folder)
    except GardenError:
        raise DataError(f"{folder}: holds no shards, and is not replaced") from None


def _shard(
    graph: Graph, keys: np.ndarray, homes: np.ndarray, number: int, num_shards: int
) -> tuple[Shard, np.ndarray, np.ndarray]:
    """A shard, the position in the graph of each of its local nodes, and their local numbers.

    These numbers are by position in the graph, (num_nodes,) int32; −1 for other nodes.
    """
    own = np.flatnonzero(homes == number)
    own = own[np.argsort(keys[own])]
    positions, indptr = ragged_rows(graph.indptr, own)
    heads = graph.indices[positions]
    borders = np.unique(heads[homes[heads] != number])
    borders = borders[np.lexsort((keys[borders], homes[borders]))]
    nodes = np.concatenate([own, borders])
    local = np.full(graph.num_nodes, -1, dtype=np.int32)
    local[nodes] = np.arange(len(nodes), dtype=np.int32)
    shard = Shard(number, num_shards, len(own), keys[nodes], homes[borders], indptr, local[heads])
    return shard, nodes, local


def _links_of_ego_graphs(graph: Graph, homes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Links that a shard needs for its ego graphs, though it holds neither of their ends.

    Returns:
        The shard of each, (num_ego_links,) int32, and its ends, (num_ego_links, 2) int32.
    """
    num_shards = int(homes.max()) + 1
    none = np.empty((0, 3), dtype=np.int32)
    count = _closing_links(graph.indptr, graph.indices, homes, num_shards, none)
    found = np.empty((count, 3), dtype=np.int32)
    _closing_links(graph.indptr, graph.indices, homes, num_shards, found)
    return found[:, 0], found[:, 1:]


@compiled()
def _closing_links(indptr, indices, homes, num_shards, found):  # type: ignore[no-untyped-def]
    """How many (shard, end, end) there are where a node of the shard is linked to both ends.

    They are written to ``found`` where it has room. Of each link, the neighbours of the end of
    lower degree are looked through.
    """
    num_nodes = len(indptr) - 1
    marked = np.full(num_nodes, -1, dtype=np.int64)
    noted = np.full(num_shards, -1, dtype=np.int64)
    count = 0
    for one in range(num_nodes):
        degree = indptr[one + 1] - indptr[one]
        for edge in range(indptr[one], indptr[one + 1]):
            marked[indices[edge]] = one
        for edge in range(indptr[one], indptr[one + 1]):
            other = indices[edge]
            other_degree = indptr[other + 1] - indptr[other]
            if other_degree > degree or (other_degree == degree and other > one):
                continue
            for step in range(indptr[other], indptr[other + 1]):
                common = indices[step]
                home = homes[common]
                if marked[common] != one or noted[home] == edge:
                    continue
                if home != homes[one] and home != homes[other]:
                    noted[home] = edge
                    if count < len(found):
                        found[count, 0], found[count, 1], found[count, 2] = home, one, other
                    count += 1
    return count
