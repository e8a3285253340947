import logging
import re
import subprocess
import sys
import warnings

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

from garden.errors import DataError, GraphError, kind_of
from garden.graphs.convert import (
    from_igraph,
    from_networkx,
    from_numpy,
    from_pyg,
    from_scipy,
    to_networkx,
)
from garden.graphs.graph import Graph


@pytest.fixture
def messages(caplog):
    caplog.set_level(logging.INFO, "garden")
    return lambda: [record.getMessage() for record in caplog.records]


@pytest.fixture(scope="module")
def pyg():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch deprecates what PyG does while it is imported
        return pytest.importorskip("torch_geometric.data")


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch")


def test_networkx__nodes_edges_and_attributes_come_across():
    nx_graph = nx.Graph(name="toy")
    nx_graph.add_node("a", age=3, kind="cat", tame=True, place=[0.5, 1])
    nx_graph.add_node("b", age=4.5, kind="dog", tame=False, place=(1, 2))
    nx_graph.add_edge("a", "b")
    graph = from_networkx(nx_graph)
    assert graph.name == "toy"
    assert graph.node_names == ("a", "b")
    assert graph.attribute_names == (
        "age", "kind=cat", "kind=dog", "tame", "place[0]", "place[1]",
    )  # fmt: skip
    np.testing.assert_array_equal(graph.attributes, [[3, 1, 0, 1, 0.5, 1], [4.5, 0, 1, 0, 1, 2]])


def test_networkx__the_whole_graph_comes_across_without_loops_or_parallels():
    nx_graph = nx.MultiGraph([(1, 2), (1, 2), (3, 3)])
    graph = from_networkx(nx_graph, name="g")
    assert (graph.num_nodes, graph.num_edges, graph.name) == (3, 1, "g")


def test_networkx__directions_and_weights_are_forgotten_aloud(messages):
    nx_graph = nx.DiGraph()
    nx_graph.add_edge("a", "b", weight=2)
    assert from_networkx(nx_graph).edges().tolist() == [[0, 1]]
    assert any("both directions" in message for message in messages())
    assert any("weights" in message for message in messages())


def test_networkx__missing_attributes_are_zeros_with_a_warning(messages):
    nx_graph = nx.Graph([("a", "b")])
    nx_graph.nodes["a"]["age"] = 3
    assert from_networkx(nx_graph).attributes.tolist() == [[3], [0]]
    assert any("1 missing cells in 1 of 2 nodes" in message for message in messages())


def test_networkx__a_nan_is_missing_and_an_infinity_refused_by_node_and_column(messages):
    nx_graph = nx.Graph([("a", "b")])
    nx_graph.add_node("a", age=2)
    nx_graph.add_node("b", age=float("nan"))
    assert from_networkx(nx_graph).attributes.tolist() == [[2], [0]]
    assert "graph: 1 missing cells in 1 of 2 nodes count as zeros" in messages()
    nx_graph.add_node("b", age=float("inf"))
    with pytest.raises(DataError, match="node 'b', column 'age'"):
        from_networkx(nx_graph)


def test_networkx__a_node_called_nan_is_refused():
    with pytest.raises(GraphError, match="a node is called NaN"):
        from_networkx(nx.Graph([(float("nan"), 1)]))


def test_networkx__names_that_collide_as_text_are_refused():
    with pytest.raises(GraphError, match="'1' stands twice"):
        from_networkx(nx.Graph([(1, "1")]))
    nx_graph = nx.Graph([("a", "b")])
    nx_graph.nodes["a"].update({1: 1.0, "1": 2.0})
    with pytest.raises(GraphError, match="two node attributes are called '1'"):
        from_networkx(nx_graph)


@pytest.mark.parametrize("sparse", [False, True])
def test_networkx__there_and_back_gives_the_same_graph(sparse, messages):
    table = np.array([[0, 1.5], [0, 0], [0, -2]], dtype=np.float32)
    graph = Graph.from_edges(
        np.array([[0, 1], [1, 2]]),
        3,
        sp.csr_array(table) if sparse else table,
        ["a b", "ü", "c,d"],
        ["colour=red", "x"],
        "toy",
    )
    back = from_networkx(to_networkx(graph))
    assert back.content_hash == graph.content_hash
    assert back.name == "toy"
    assert messages() == []


def test_pyg__data_come_across(pyg, torch, messages):
    edge_index = torch.tensor([[0, 1, 1], [1, 0, 2]])
    graph = from_pyg(pyg.Data(x=torch.tensor([[1.0], [2.0], [3.0]]), edge_index=edge_index))
    assert graph.edges().tolist() == [[0, 1], [1, 2]]
    assert graph.attributes.tolist() == [[1], [2], [3]]
    assert any("both directions" in message for message in messages())
    assert from_pyg(pyg.Data(edge_index=edge_index)).num_nodes == 3
    assert from_pyg(pyg.Data(edge_index=edge_index, num_nodes=5)).num_nodes == 5


def test_pyg__sparse_and_half_precision_attributes_come_across(pyg, torch):
    edge_index = torch.tensor([[0], [1]])
    x = torch.tensor([[0.0, 1.0], [2.0, 0.0]])
    graph = from_pyg(pyg.Data(x=x.to_sparse(), edge_index=edge_index))
    assert isinstance(graph.attributes, sp.csr_array)
    np.testing.assert_array_equal(graph.attributes.toarray(), x.numpy())
    half = from_pyg(pyg.Data(x=x.bfloat16(), edge_index=edge_index))
    np.testing.assert_array_equal(half.attributes, x.numpy())


def test_pyg__data_without_edges_or_with_bad_shapes_are_refused(pyg, torch):
    for data in (
        pyg.Data(x=torch.ones(2, 1)),
        pyg.HeteroData(),
        pyg.Data(edge_index=torch.ones(3, 3).long()),
    ):
        with pytest.raises(GraphError):
            from_pyg(data)
    with pytest.raises(GraphError, match="infinite"):
        from_pyg(pyg.Data(x=torch.full((2, 1), torch.inf), edge_index=torch.tensor([[0], [1]])))


def test_pyg__a_nan_is_missing(pyg, torch, messages):
    x = torch.tensor([[torch.nan], [0.1]])
    graph = from_pyg(pyg.Data(x=x, edge_index=torch.tensor([[0, 1], [1, 0]])))
    assert graph.attributes.tolist() == [[0], [np.float32(0.1)]]
    assert messages() == ["graph: 1 missing numbers count as zeros"]


def test_scipy__non_zero_entries_are_edges(messages):
    adjacency = sp.csr_array(([2.0, 1.0, 0.0], ([0, 1, 2], [1, 2, 0])), shape=(3, 3))
    graph = from_scipy(adjacency, attributes=[[1], [2], [3]], node_names=["a", "b", "c"])
    assert graph.edges().tolist() == [[0, 1], [1, 2]]
    assert graph.attributes.tolist() == [[1], [2], [3]]
    assert graph.node_names == ("a", "b", "c")
    assert any("both directions" in message for message in messages())
    assert any("weights" in message for message in messages())


def test_scipy__sparse_attributes_stay_sparse(messages):
    adjacency = sp.coo_matrix(([1, 1], ([0, 1], [1, 0])), shape=(2, 2))
    graph = from_scipy(adjacency, sp.eye_array(2), attribute_names=["p", "q"])
    assert isinstance(graph.attributes, sp.csr_array)
    assert messages() == []


@pytest.mark.parametrize(
    ("shape", "attributes", "message"),
    [
        ((2, 3), None, "not square"),
        ((2, 2), [["x"], ["y"]], "not a table of numbers"),
        ((2, 2), [[1.0]], "one row for each"),
        ((2, 2), [[1e300], [0]], "NaN or infinite"),
        ((2, 2), [[10**400], [0]], "not a table of numbers"),
    ],
)
def test_scipy__ill_formed_input_is_refused(shape, attributes, message):
    with pytest.raises(GraphError, match=message):
        from_scipy(sp.csr_array(shape), attributes)


def test_convert__importing_it_loads_neither_torch_nor_networkx():
    code = (
        "import sys, garden.graphs.convert, garden.datasets.spec; "
        "sys.exit(any(name in sys.modules for name in ('torch', 'networkx', 'pooch', 'pandas')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.fixture(scope="module")
def igraph():
    return pytest.importorskip("igraph", reason="igraph is absent")


def test_igraph__vertices_edges_and_attributes_come_across(igraph, messages):
    ig_graph = igraph.Graph([(0, 1), (1, 2), (1, 2), (2, 2)], directed=True)
    ig_graph.vs["name"] = ["a", "b", "c"]
    ig_graph.vs["age"] = [3, 4.5, None]
    ig_graph.vs["kind"] = ["cat", "dog", "cat"]
    ig_graph.es["weight"] = [1, 2, 3, 4]
    graph = from_igraph(ig_graph, name="toy")
    assert (graph.name, graph.node_names) == ("toy", ("a", "b", "c"))
    assert graph.attribute_names == ("age", "kind=cat", "kind=dog")
    assert graph.attributes.tolist() == [[3, 1, 0], [4.5, 0, 1], [0, 1, 0]]
    assert graph.edges().tolist() == [[0, 1], [1, 2]]
    text = "\n".join(messages())
    for part in ("weights", "1 missing cells", "1 self-loops", "1 of 3 edges", "2 of 2 links"):
        assert part in text


@pytest.mark.parametrize("names", [None, ["a", "a", "b"], ["a", None, "b"]])
def test_igraph__without_names_of_their_own_vertices_go_by_position(igraph, names):
    ig_graph = igraph.Graph([(0, 1), (1, 2)])
    if names:
        ig_graph.vs["name"] = names
    graph = from_igraph(ig_graph)
    assert graph.node_names == ("0", "1", "2")


def test_igraph__a_networkx_graph_in_between_keeps_its_names(igraph):
    nx_graph = nx.path_graph(4)
    nx.set_node_attributes(nx_graph, {node: node / 7 for node in nx_graph}, "x")
    through = from_igraph(igraph.Graph.from_networkx(nx_graph))
    assert through.content_hash == from_networkx(nx_graph).content_hash


def test_numpy__a_dense_matrix_is_an_adjacency(messages):
    matrix = np.array([[0, 1, 0], [1, 1, 2.5], [0, 0, 0]])
    graph = from_numpy(matrix, attributes=[[1], [2], [np.nan]])
    assert graph.edges().tolist() == [[0, 1], [1, 2]]
    assert graph.attributes.tolist() == [[1], [2], [0]]
    assert messages() == [
        "graph: edge weights are ignored",
        "graph: 1 missing numbers count as zeros",
        "graph: 1 self-loops are dropped",
        "graph: 1 of 2 links stand in one direction only: they are taken in both directions",
    ]


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.zeros((5, 2)), r"shape \(5, 2\): not square \(a list of edges"),
        (np.zeros(4), "not square"),
        (np.zeros((2, 2, 2)), "not square"),
        (np.array([["a", "b"]] * 2), "expected numbers"),
        (np.array([[0, np.nan], [1, 0]]), "NaN or infinity"),
        (np.array([[0, np.inf], [1, 0]]), "NaN or infinity"),
    ],
)
def test_numpy__ill_formed_matrices_are_refused(matrix, message):
    with pytest.raises(GraphError, match=message) as caught:
        from_numpy(matrix)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("convert", [from_networkx, from_igraph, from_pyg])
@pytest.mark.parametrize("wrong", [42, "facebook:414", None, [1, 2]])
def test_convert__other_objects_are_refused_in_one_line(convert, wrong):
    with pytest.raises(GraphError, match=re.escape(f"not {kind_of(wrong)}")):
        convert(wrong)


def test_networkx__a_directed_multigraph_says_all_that_is_lost(messages):
    nx_graph = nx.MultiDiGraph([("a", "b"), ("a", "b"), ("b", "a"), ("b", "c"), ("c", "c")])
    graph = from_networkx(nx_graph)
    assert (graph.num_nodes, graph.num_edges) == (3, 2)
    assert messages() == [
        "graph: 1 self-loops are dropped",
        "graph: 1 of 4 edges repeat others: they are merged",
        "graph: 1 of 2 links stand in one direction only: they are taken in both directions",
    ]
