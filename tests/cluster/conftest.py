"""Graphs in shards."""

from __future__ import annotations

import pytest

from garden.cluster.cutting import cut_shards
from garden.cluster.shard_files import read_shard
from garden.graphs.graph import Graph

from .sharded import Shards


@pytest.fixture
def shards_of(tmp_path):
    """Cuts a graph into shards and reads them."""

    def cut(graph: Graph, num_shards: int) -> Shards:
        folder = tmp_path / "shards"
        manifest = cut_shards(graph, num_shards, folder, force=folder.exists())
        shards = [read_shard(folder, manifest, number) for number in range(num_shards)]
        return Shards(graph, folder, manifest, shards)

    return cut
