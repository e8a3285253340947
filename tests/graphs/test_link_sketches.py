"""Knowing graphs again by their links."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

import garden
from garden.datasets.npz import read_npz
from garden.datasets.random_attributed import attributed
from garden.errors import DataError
from garden.graphs.graph import Graph
from garden.graphs.identity import GraphIdentity, names_hash, shape_hash
from garden.graphs.link_sketches import (
    SKETCH_SIZE,
    GraphSketch,
    LinkSketch,
    first_met,
    link_hashes,
    named_link_hashes,
    read_sketches,
    write_sketches,
)

PATH = np.array([[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]])
OWN = np.eye(6, dtype=np.float32)
HASHES_OF_PATH = [1333347429, 1748791807, 1934080859, 2391668478, 2845597618]
NAMED_HASHES_OF_PATH = [186033417, 204853466, 2000162560, 2327387491, 3102517961]


def shuffled(graph, seed=0):
    """The same graph in another order, its nodes called otherwise."""
    order = np.random.default_rng(seed).permutation(graph.num_nodes)
    moved = graph.subgraph(order)
    names = tuple(f"node {place}" for place in range(graph.num_nodes))
    return replace(moved, node_names=names, name="somebody's file")


def sparse_graph(seed, num_nodes=3000, num_edges=9000):
    rng = np.random.default_rng(seed)
    table = rng.random((num_nodes, 40)) < 0.2
    edges = rng.integers(0, num_nodes, (num_edges, 2))
    return Graph.from_edges(edges, num_nodes, table.astype(np.float32))


def test_link_hashes__are_the_same_on_every_machine():
    graph = Graph.from_edges(PATH, 6, OWN)
    assert link_hashes(graph).tolist() == HASHES_OF_PATH
    named = replace(graph, name="snap:any/1")
    assert named_link_hashes(named).tolist() == NAMED_HASHES_OF_PATH


def test_link_hashes__leave_out_ends_whose_profile_is_empty_or_common():
    blank = OWN.copy()
    blank[0] = 0
    assert len(link_hashes(Graph.from_edges(PATH, 6, blank))) == 4
    alike = OWN.copy()
    alike[2] = alike[4]
    assert len(link_hashes(Graph.from_edges(PATH, 6, alike))) == 1  # the link of 0 and 1
    assert len(link_hashes(Graph.from_edges(PATH, 6))) == 0


def test_link_hashes__see_profiles_and_degrees_and_neither_order_nor_names_nor_storage():
    graph = attributed(5)
    assert np.array_equal(link_hashes(shuffled(graph)), link_hashes(graph))
    other = replace(graph, attribute_names=tuple(f"c{k}" for k in range(graph.num_attributes)))
    assert np.array_equal(link_hashes(other), link_hashes(graph))
    doubled = replace(graph, attributes=graph.attributes * np.float32(2))
    assert not set(link_hashes(doubled)) & set(link_hashes(graph))


def test_named_links__count_only_among_networks_whose_ids_are_global():
    graph = attributed(5)
    assert len(named_link_hashes(graph)) == 0
    for name in ("facebook:414", "snap:folder/414"):
        assert len(named_link_hashes(replace(graph, name=name))) == graph.num_edges


def test_identity__holds_under_other_attributes_another_order_or_other_names_not_all_at_once():
    graph = attributed(5)
    identity = GraphIdentity.of(graph)
    plain = replace(graph, attributes=graph.attributes[:, :0], attribute_names=())
    columns = np.random.default_rng(1).permutation(graph.num_attributes)
    turned = replace(shuffled(graph), attributes=shuffled(graph).attributes[:, columns])
    for same in (graph, plain, graph.subgraph(np.arange(graph.num_nodes)[::-1]), turned):
        assert identity.is_of(same)
    assert not identity.is_of(shuffled(plain))
    fewer = Graph.from_edges(graph.edges()[1:], graph.num_nodes, graph.attributes)
    assert not identity.is_of(fewer)


def test_identity__of_an_earlier_version_goes_by_content_and_spec():
    graph = replace(attributed(5), name="facebook:414")
    old = GraphIdentity.stored("facebook:414", graph.content_hash, {})
    other = replace(graph, attributes=graph.attributes * np.float32(2))
    assert old.is_of(replace(graph, name="snap:folder/414"))
    assert old.is_of(replace(other, name="facebook:414,attributes=as-published"))
    assert not old.is_of(replace(other, name="facebook:686"))
    assert not old.is_of(other)  # a file of the same name may have been replaced


def test_identity__a_graph_whose_links_look_alike_has_no_shape():
    assert shape_hash(Graph.from_edges(PATH, 6)) == ""
    assert names_hash(Graph.from_edges(PATH, 6)) != names_hash(Graph.from_edges(PATH[1:], 6))


def test_sketch__a_graph_is_met_in_any_order_and_an_unrelated_one_is_not():
    graphs = [attributed(seed) for seed in range(20)]
    sketches = [GraphSketch.of(graph) for graph in graphs]
    for graph, sketch in zip(graphs, sketches, strict=True):
        assert first_met(sketches, shuffled(graph)) is sketch
    assert all(first_met(sketches, attributed(seed)) is None for seed in range(20, 40))


@pytest.mark.parametrize(("share", "met"), [(0.2, True), (0.05, False)])
def test_sketch__a_tenth_of_the_links_of_either_decides(share, met):
    numbers = np.random.default_rng(3).choice(1 << 32, 60_000, replace=False).astype(np.uint32)
    small, rest = np.sort(numbers[:10_000]), numbers[10_000:]
    shared = int(share * len(small))
    large = np.sort(np.concatenate([small[:: len(small) // shared][:shared], rest[:40_000]]))
    assert LinkSketch.of(small).is_met_by(large) is met
    assert LinkSketch.of(large).is_met_by(small) is met


def test_sketch__a_small_part_of_a_far_larger_graph_is_not_found():
    hashes = np.sort(np.random.default_rng(3).choice(1 << 32, 200_000, replace=False))
    hashes = hashes.astype(np.uint32)
    part = hashes[:: len(hashes) // 500]
    assert not LinkSketch.of(hashes).is_met_by(part)
    assert LinkSketch.of(part).is_met_by(hashes)  # the other way round all of it is kept


def test_sketch__a_graph_of_links_alike_is_met_by_its_content_alone():
    graph = Graph.from_edges(PATH, 6, np.ones((6, 1), dtype=np.float32))
    sketches = [GraphSketch.of(graph)]
    assert first_met(sketches, replace(graph, name="another name")) is sketches[0]
    assert first_met(sketches, graph.subgraph(np.arange(6)[::-1])) is None


def test_sketch__is_small_and_comes_back_from_its_file(tmp_path):
    graph = sparse_graph(0)
    sketch = GraphSketch.of(graph)
    assert len(sketch.links.lowest) == SKETCH_SIZE < sketch.links.num_links
    write_sketches([sketch, GraphSketch.of(Graph.from_edges(PATH, 6))], tmp_path / "met.npz")
    back, other = read_sketches(tmp_path / "met.npz")
    assert back.identity == sketch.identity
    assert np.array_equal(back.links.lowest, sketch.links.lowest)
    assert (back.num_nodes, back.links.num_links) == (3000, sketch.links.num_links)
    assert other.links.num_links == 0
    (tmp_path / "met.npz").write_bytes((tmp_path / "met.npz").read_bytes()[:500])
    with pytest.raises(DataError, match=r"met\.npz: not readable as sketches of graphs"):
        read_sketches(tmp_path / "met.npz")


def test_sketch__no_two_unrelated_circles_have_met(real_data):
    folder = real_data / "collection" / "circles"
    if not folder.is_dir():
        pytest.skip("the data folder has no collection of circles")
    hashes = [link_hashes(read_npz(path)) for path in sorted(folder.glob("*.npz"))]
    sketches = [LinkSketch.of(some) for some in hashes]
    assert len(hashes) > 60
    for one, other in permutations(range(len(hashes)), 2):
        shared = len(np.intersect1d(hashes[one], hashes[other]))
        related = shared >= 0.1 * min(len(hashes[one]), len(hashes[other]))
        assert sketches[one].is_met_by(hashes[other]) == related


def test_sketch__ego_networks_that_share_links_have_met(real_data):
    one, other = garden.load("facebook:414"), garden.load("facebook:348")
    shared = np.intersect1d(named_link_hashes(one), named_link_hashes(other))
    assert len(shared) == 542
    assert first_met([GraphSketch.of(one)], other)
    assert first_met([GraphSketch.of(other)], one)
    assert not first_met([GraphSketch.of(one)], garden.load("facebook:0"))
    assert not first_met([GraphSketch.of(one)], garden.load("facebook:686"))
