import hashlib
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import garden
from garden.cluster.cutting import cut_shards
from garden.cluster.shard_files import MANIFEST, read_manifest, read_names, read_shard
from garden.datasets.random_graphs import power_law
from garden.errors import DataError, GraphError, SpecError
from garden.graphs.ego_extraction import ego_graphs
from garden.search.rounds import node_keys


def test_shards__hold_each_node_once_with_its_links(shards_of):
    cut = shards_of(power_law(100, 6), 3)
    owned = np.concatenate([shard.keys[: shard.num_own] for shard in cut.shards])
    assert sorted(owned.tolist()) == sorted(node_keys(cut.graph, 0).tolist())
    for shard in cut.shards:
        nodes = cut.positions(shard.keys)
        for row in range(shard.num_own):
            near = nodes[shard.indices[shard.indptr[row] : shard.indptr[row + 1]]]
            assert sorted(near) == cut.graph.neighbours(nodes[row]).tolist()
        names = read_names(cut.folder, cut.manifest, shard.number)
        assert names == [cut.graph.node_names[node] for node in nodes[: shard.num_own]]


def test_shards__agree_on_who_borders_whom(shards_of):
    cut = shards_of(power_law(100, 6), 3)
    for one in cut.shards:
        for other in cut.shards:
            if one is not other:
                bounds = other.border_bounds[one.number : one.number + 2]
                assert (
                    one.keys[one.told_to[other.number]].tolist()
                    == other.keys[slice(*bounds)].tolist()
                )


def test_shards__hold_whole_ego_graphs_with_profiles(shards_of):
    cut = shards_of(garden.load("kaiser-hilgetag:n=60,beta=1,seed=0"), 4)
    whole = ego_graphs(cut.graph)
    for shard, local in zip(cut.shards, cut.local_graphs(), strict=True):
        egos = ego_graphs(local, np.arange(shard.num_own))
        for row, node in enumerate(cut.positions(shard.keys[: shard.num_own]).tolist()):
            here, there = egos.alone(row), whole.alone(node)
            assert here.edges.shape == there.edges.shape
            ours, theirs = here.profiles.tolist(), there.profiles.tolist()
            assert ours[0] == theirs[0]
            assert sorted(ours) == sorted(theirs)
            assert edge_profiles(here) == edge_profiles(there)


def edge_profiles(ego):
    pairs = ego.profiles[ego.edges.T].reshape(ego.edges.shape[1], -1)
    return sorted(pairs.tolist())


def test_manifest__of_another_folder_says_how_to_cut_one(tmp_path):
    with pytest.raises(DataError, match="holds no shards: `garden cluster cut"):
        read_manifest(tmp_path)
    (tmp_path / MANIFEST).write_text("[]")
    with pytest.raises(DataError, match="does not describe shards"):
        read_manifest(tmp_path)
    (tmp_path / MANIFEST).write_text('{"format": "garden-cluster-0"}')
    with pytest.raises(DataError, match="is of format garden-cluster-0"):
        read_manifest(tmp_path)
    (tmp_path / MANIFEST).write_text('{"format": "garden-cluster-1", "graph": "x"}')
    with pytest.raises(DataError, match="does not describe shards: cut the graph anew"):
        read_manifest(tmp_path)


def test_shard__that_is_missing_or_altered_is_named(shards_of):
    cut = shards_of(power_law(50, 4), 2)
    path = cut.folder / "shard-00001" / "links.parquet"
    content = path.read_bytes()
    path.write_bytes(content + b"\0")
    with pytest.raises(DataError, match=r"links\.parquet: altered since it was cut"):
        read_shard(cut.folder, cut.manifest, 1)
    path.unlink()
    with pytest.raises(DataError, match=r"links\.parquet: missing: copy it here"):
        read_shard(cut.folder, cut.manifest, 1)


def test_shard__in_the_folder_of_another_is_refused(shards_of):
    cut = shards_of(power_law(50, 4), 2)
    one, other = cut.folder / "shard-00000", cut.folder / "shard-00001"
    one.rename(cut.folder / "x")
    other.rename(one)
    with pytest.raises(DataError, match="altered since it was cut"):
        read_shard(cut.folder, cut.manifest, 0)
    content = json.loads((cut.folder / MANIFEST).read_text())
    content["digests"].reverse()
    (cut.folder / MANIFEST).write_text(json.dumps(content))
    with pytest.raises(DataError, match="holds nodes of another shard: its folder has the wrong"):
        read_shard(cut.folder, read_manifest(cut.folder), 0)


def test_cut__refuses_equal_keys_what_is_there_and_too_many_shards(tmp_path, monkeypatch):
    graph = power_law(50, 4)
    (tmp_path / "there").mkdir()
    with pytest.raises(DataError, match="is there already"):
        cut_shards(graph, 2, tmp_path / "there")
    with pytest.raises(DataError, match="holds no shards, and is not replaced"):
        cut_shards(graph, 2, tmp_path / "there", force=True)
    with pytest.raises(SpecError, match="51 shards of 50 nodes: choose 1 to 50"):
        cut_shards(graph, 51, tmp_path / "out")
    equal = np.zeros(50, dtype=np.uint64)
    monkeypatch.setattr("garden.search.rounds.keys_of_names", lambda *_: equal)
    with pytest.raises(GraphError, match="two nodes have the same key: choose another seed"):
        cut_shards(graph, 2, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_shard__that_holds_a_key_twice_is_refused(shards_of):
    cut = shards_of(power_law(50, 4), 2)
    path = cut.folder / "shard-00000" / "nodes.parquet"
    table = pq.read_table(path)
    keys = table["key"].to_numpy().copy()
    keys[1] = keys[0]
    pq.write_table(table.set_column(0, "key", pa.array(keys)), path)
    content = json.loads((cut.folder / MANIFEST).read_text())
    content["digests"][0]["nodes.parquet"] = hashlib.sha256(path.read_bytes()).hexdigest()
    (cut.folder / MANIFEST).write_text(json.dumps(content))
    with pytest.raises(DataError, match="shard-00000: two nodes have the same key: cut the graph"):
        read_shard(cut.folder, read_manifest(cut.folder), 0)
