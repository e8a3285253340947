import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from garden.errors import GraphError
from garden.graphs.graph import Graph

TRIANGLE_AND_TAIL = np.array([[0, 1], [1, 2], [2, 0], [2, 3]])


def test_graph__edges_are_mirrored_and_cleaned():
    messy = np.array([[0, 1], [1, 0], [1, 1], [0, 1], [2, 1]])
    graph = Graph.from_edges(messy, 3)
    assert graph.num_edges == 2
    assert graph.neighbours(1).tolist() == [0, 2]
    assert graph.edges().tolist() == [[0, 1], [1, 2]]


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=40))
def test_graph__is_symmetric_sorted_and_simple_whatever_the_edges(edges):
    graph = Graph.from_edges(np.array(edges, dtype=int).reshape(-1, 2), 8)
    dense = graph.adjacency().toarray()
    assert (dense == dense.T).all()
    assert dense.diagonal().sum() == 0
    assert dense.max(initial=0) <= 1
    wanted = {frozenset(edge) for edge in edges if edge[0] != edge[1]}
    assert {frozenset(edge) for edge in graph.edges().tolist()} == wanted


def test_graph__arrays_cannot_be_written_to():
    graph = Graph.from_edges(TRIANGLE_AND_TAIL, 4, attributes=np.eye(4))
    for array in (graph.indptr, graph.indices, graph.attributes):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_graph__positions_and_names_translate():
    graph = Graph.from_edges(TRIANGLE_AND_TAIL, 4, node_names=["a", "b", "c", "7"])
    assert graph.position("c") == 2
    assert graph.position(7) == 3
    with pytest.raises(GraphError, match="no node named 'z'"):
        graph.position("z")


def test_graph__largest_component_keeps_names_attributes_and_edges():
    edges = np.array([[0, 1], [3, 4], [4, 5], [5, 3]])
    graph = Graph.from_edges(edges, 6, attributes=np.arange(6)[:, None], name="two parts")
    part = graph.largest_component()
    assert part.node_names == ("3", "4", "5")
    assert part.attributes.ravel().tolist() == [3, 4, 5]
    assert part.num_edges == 3
    assert part.name == "two parts"


def test_graph__content_hash_sees_edges_attributes_and_names_but_not_storage():
    dense = Graph.from_edges(TRIANGLE_AND_TAIL, 4, attributes=np.eye(4))
    sparse = Graph.from_edges(TRIANGLE_AND_TAIL[::-1], 4, attributes=sp.csr_array(np.eye(4)))
    assert dense.content_hash == sparse.content_hash
    fewer = Graph.from_edges(TRIANGLE_AND_TAIL[:3], 4, attributes=np.eye(4))
    other = Graph.from_edges(TRIANGLE_AND_TAIL, 4, attributes=2 * np.eye(4))
    renamed = Graph.from_edges(TRIANGLE_AND_TAIL, 4, np.eye(4), node_names=list("abcd"))
    assert len({g.content_hash for g in (dense, fewer, other, renamed)}) == 4


def test_graph__whole_floats_serve_as_positions():
    whole = Graph.from_edges(TRIANGLE_AND_TAIL.astype(float), 4)
    assert whole.content_hash == Graph.from_edges(TRIANGLE_AND_TAIL, 4).content_hash


def test_graph__long_names_are_shortened_in_errors():
    graph = Graph.from_edges(np.array([[0, 1]]), 2, node_names=["a" * 5000, "b"])
    with pytest.raises(GraphError) as caught:
        graph.position("c" * 5000)
    assert len(str(caught.value)) < 200


def test_graph__density_and_degrees_match_a_hand_count():
    graph = Graph.from_edges(TRIANGLE_AND_TAIL, 4)
    assert graph.degrees.tolist() == [2, 2, 3, 1]
    assert graph.density == pytest.approx(4 / 6)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Graph.from_edges(np.array([[0, 9]]), 3), "names node 9 of 3"),
        (lambda: Graph.from_edges(np.array([[2, -1]]), 3), "names node -1 of 3: positions start"),
        (lambda: Graph.from_edges(np.array([[0, 1.5]]), 3), "names node 1.5 of 3"),
        (lambda: Graph.from_edges(np.array([[0, np.nan]]), 3), "names node nan of 3"),
        (lambda: Graph.from_edges(np.array([["0", "1"]]), 3), "expected integer positions"),
        (lambda: Graph.from_edges(np.empty((0, 2)), 0), "at least one node"),
        (lambda: Graph.from_edges(np.array([[0, 1, 2]]), 3), "expected \\(num_edges, 2\\)"),
        (lambda: Graph.from_edges(TRIANGLE_AND_TAIL, 4, np.eye(3)), "one row for each of 4"),
        (lambda: Graph.from_edges(TRIANGLE_AND_TAIL, 4, np.full((4, 1), np.nan)), "NaN"),
        (lambda: Graph.from_edges(TRIANGLE_AND_TAIL, 4, np.full((4, 1), np.inf)), "infinite"),
        (lambda: Graph.from_edges(TRIANGLE_AND_TAIL, 4, node_names=["a"]), "one each"),
        (
            lambda: Graph.from_edges(TRIANGLE_AND_TAIL, 4, node_names=list("aabc")),
            "'a' stands twice",
        ),
        (
            lambda: Graph.from_edges(TRIANGLE_AND_TAIL, 4, np.eye(4), attribute_names=["x"]),
            "4 attributes but 1",
        ),
        (
            lambda: Graph(
                np.array([0, 1, 1]),
                np.array([1], dtype=np.int32),
                np.zeros((2, 0), np.float32),
                ("a", "b"),
                (),
            ),
            "not symmetric",
        ),
    ],
)
def test_graph__bad_input_is_refused_in_one_line(make, message):
    with pytest.raises(GraphError, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_graph__its_length_is_its_nodes_and_in_asks_for_a_name():
    graph = Graph.from_edges(TRIANGLE_AND_TAIL, 4, node_names=["a", "b", "c", "7"])
    assert len(graph) == 4
    assert "a" in graph
    assert 7 in graph
    assert np.int64(7) in graph
    assert "d" not in graph
    assert 0 not in graph  # a position is no name
    assert None not in graph
    assert ["a"] not in graph


def test_graph__equality_and_hash_go_by_content_and_not_by_what_it_is_called():
    dense = Graph.from_edges(TRIANGLE_AND_TAIL, 4, np.eye(4), name="one")
    sparse = Graph.from_edges(TRIANGLE_AND_TAIL[::-1], 4, sp.csr_array(np.eye(4)), name="other")
    assert dense == sparse
    assert hash(dense) == hash(sparse)
    assert {dense: "found"}[sparse] == "found"


@pytest.mark.parametrize(
    "other",
    [
        Graph.from_edges(TRIANGLE_AND_TAIL, 4, 2 * np.eye(4)),
        Graph.from_edges(TRIANGLE_AND_TAIL[:3], 4, np.eye(4)),
        Graph.from_edges(np.array([[0, 1], [1, 2], [2, 0], [1, 3]]), 4, np.eye(4)),
        Graph.from_edges(TRIANGLE_AND_TAIL, 4, np.eye(4), node_names="abcd"),
        Graph.from_edges(TRIANGLE_AND_TAIL, 4, np.eye(4), attribute_names="abcd"),
        "graph",
    ],
    ids=["attributes", "fewer edges", "edges", "node names", "attribute names", "no graph"],
)
def test_graph__anything_else_makes_another_graph(other):
    assert Graph.from_edges(TRIANGLE_AND_TAIL, 4, np.eye(4)) != other


@pytest.mark.parametrize("node", [1.5, None, ("a",)])
def test_graph__a_node_is_asked_for_by_text_or_number(node):
    graph = Graph.from_edges(TRIANGLE_AND_TAIL, 4)
    with pytest.raises(TypeError, match="a node is named by text or a whole number, not "):
        graph.position(node)


def test_graph__a_name_that_was_a_float_is_found_by_that_float():
    assert Graph.from_edges(np.array([[0, 1]]), 2, node_names=["1.5", "2.5"]).position(2.5) == 1


def test_graph__an_edge_given_many_times_is_one_edge():
    assert Graph.from_edges(np.tile([[0, 1]], (512, 1)), 2).neighbours(0).tolist() == [1]


def test_graph__renamed_is_the_same_graph_under_another_name():
    graph = Graph.from_edges(TRIANGLE_AND_TAIL, 4, name="old")
    other = graph.renamed("new")
    assert (graph.name, other.name) == ("old", "new")
    assert other == graph
    assert other.indices is graph.indices
