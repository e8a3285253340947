"""Graphs in shards, and rounds of their shards in one process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from garden.cluster.shard_files import Manifest, Shard, local_graph
from garden.graphs.graph import Graph
from garden.search.rounds import node_keys
from garden.strategies.representations import Representations


@dataclass(frozen=True)
class Shards:
    """A graph in shards."""

    graph: Graph
    folder: Path
    manifest: Manifest
    shards: list[Shard]

    def local_graphs(self) -> list[Graph]:
        return [local_graph(self.folder, self.manifest, shard) for shard in self.shards]

    def positions(self, keys: np.ndarray) -> np.ndarray:
        """The positions in the graph of nodes by their keys."""
        all_keys = node_keys(self.graph, 0)
        order = np.argsort(all_keys)
        return order[np.searchsorted(all_keys, keys, sorter=order)]


def heard_by(told: list[list[Any]], shard: int) -> list[Any]:
    """What a shard is told by all, with nothing in its own place."""
    return [None if home == shard else one[shard] for home, one in enumerate(told)]


def settled(rounds: list[Any]) -> tuple[list[Representations], int]:
    """The rows of all shards once nothing changes, and how many rounds were heard."""
    told, changed, count = [one.begin() for one in rounds], 1, 0
    while changed:
        heard = [one.hear(heard_by(told, shard)) for shard, one in enumerate(rounds)]
        changed, told = sum(one[0] for one in heard), [one[1] for one in heard]
        count += 1
    return [one.finish(heard_by(told, shard)) for shard, one in enumerate(rounds)], count


def assert_same_rows(found: Representations, expected: Representations) -> None:
    """Entry for entry, in the same types."""
    assert found.arrays.keys() == expected.arrays.keys()
    for name, array in expected.arrays.items():
        here = found.arrays[name]
        assert (here != array).sum() == 0, name
    assert found.ragged.keys() == expected.ragged.keys()
    for name, ragged in expected.ragged.items():
        here = found.ragged[name]
        assert here.values.dtype == ragged.values.dtype
        np.testing.assert_array_equal(here.offsets, ragged.offsets, name)
        np.testing.assert_array_equal(here.values, ragged.values, name)
