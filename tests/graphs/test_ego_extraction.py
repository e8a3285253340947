import numpy as np
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from garden.graphs.ego_extraction import edges_among_members_plain, ego_graphs
from garden.graphs.graph import Graph

# A triangle 0-1-2 with a tail 2-3.
KITE = Graph.from_edges(np.array([[0, 1], [1, 2], [2, 0], [2, 3]]), 4, np.diag([1, 2, 3, 4]))


def edge_set(egos, row):
    """Edges of one ego graph, by the profile rows of their ends."""
    part = slice(egos.edge_offsets[row], egos.edge_offsets[row + 1])
    return {(int(egos.members[a]), int(egos.members[b])) for a, b in egos.edges[:, part].T}


def test_ego_graphs__hold_the_centre_first_then_its_neighbours():
    egos = ego_graphs(KITE)
    assert egos.members[egos.offsets[2] : egos.offsets[3]].tolist() == [2, 0, 1, 3]
    assert egos.is_centre.sum() == 4
    assert egos.centres.tolist() == [0, 1, 2, 3]
    assert egos.degrees.tolist() == [2, 2, 3, 1]


def test_ego_graphs__hold_exactly_the_edges_among_members():
    egos = ego_graphs(KITE)
    both = {(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)}
    assert edge_set(egos, 0) == both
    assert edge_set(egos, 2) == both | {(2, 3), (3, 2)}
    assert edge_set(egos, 3) == {(2, 3), (3, 2)}


def test_ego_graphs__point_at_the_graphs_attributes_without_copying():
    assert ego_graphs(KITE).profiles is KITE.attributes


def test_ego_graphs__take_equals_cutting_those_nodes_out():
    taken = ego_graphs(KITE).take(np.array([3, 2, 2]))
    cut = ego_graphs(KITE, np.array([3, 2, 2]))
    for name in ("offsets", "members", "edge_offsets", "edges"):
        assert np.array_equal(getattr(taken, name), getattr(cut, name))


def test_ego_graphs__one_alone_holds_its_members_attributes_and_nothing_else():
    alone = ego_graphs(KITE).alone(3)
    assert alone.profiles.tolist() == [[0, 0, 0, 4], [0, 0, 3, 0]]
    assert alone.edges.tolist() == [[0, 1], [1, 0]]
    assert len(alone.as_batch()) == 1


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 12), st.integers(0, 2**32 - 1))
def test_ego_graphs__compiled_kernel_equals_its_plain_definition(num_nodes, seed):
    rng = np.random.default_rng(seed)
    graph = Graph.from_edges(rng.integers(0, num_nodes, (20, 2)), num_nodes)
    egos = ego_graphs(graph, rng.integers(0, num_nodes, 5))
    offsets, edges = edges_among_members_plain(
        graph.indptr, graph.indices, egos.offsets, egos.members
    )
    assert np.array_equal(offsets, egos.edge_offsets)
    assert np.array_equal(edges, egos.edges)


def test_ego_graphs__sparse_attributes_stay_sparse():
    graph = Graph.from_edges(KITE.edges(), 4, sp.csr_array(KITE.attributes))
    alone = ego_graphs(graph).alone(2)
    assert sp.issparse(alone.profiles)
    assert alone.profiles.shape == (4, 4)
