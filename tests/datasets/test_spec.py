import logging
import warnings

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

from garden.datasets.files import write_graph
from garden.datasets.spec import load
from garden.errors import DataError, GardenError, GraphError, SpecError
from garden.graphs.graph import Graph


@pytest.fixture
def snap_prefix(tmp_path):
    (tmp_path / "7.edges").write_text("1 2\n2 3\n4 5\n")
    (tmp_path / "7.feat").write_text("3 0\n2 1\n1 0\n4 1\n5 1\n")
    return tmp_path / "7"


def test_load__facebook_specs_name_the_ego_and_the_attribute_order(real_data):
    graph = load("facebook:414")
    assert (graph.name, graph.num_nodes, graph.num_edges) == ("facebook:414", 148, 1692)
    published = load("facebook:414,attributes=as-published")
    assert published.name == "facebook:414,attributes=as-published"
    assert published.node_names == graph.node_names
    assert not np.array_equal(published.attributes, graph.attributes)
    assert load("facebook:414,attributes=by-id").content_hash == graph.content_hash


def test_load__twitch_and_musae_facebook_are_specs(real_data):
    assert load("twitch:PTBR").num_nodes == 1912
    graph = load("musae-facebook")
    assert (graph.name, graph.num_nodes) == ("musae-facebook", 22470)


def test_load__snap_takes_any_prefix(snap_prefix):
    graph = load(f"snap:{snap_prefix}")
    assert graph.name == f"snap:{snap_prefix}"
    assert graph.node_names == ("1", "2", "3")
    assert graph.attributes.tolist() == [[0], [1], [0]]
    published = load(f"snap:{snap_prefix},attributes=as-published")
    assert published.attributes.tolist() == [[0], [1], [0]]


def test_load__kaiser_hilgetag_passes_on_what_was_given():
    graph = load("kaiser-hilgetag:n=30,alpha=5,beta=0.9,d=3,seed=3")
    assert graph.name == "kaiser-hilgetag:n=30,alpha=5,beta=0.9,d=3,seed=3"
    assert (graph.num_nodes, graph.num_attributes) == (30, 3)
    again = load("kaiser-hilgetag:seed=3,n=30,d=3,beta=0.9,alpha=5")
    assert again.content_hash == graph.content_hash


def test_load__the_largest_component_is_taken_aloud(snap_prefix, caplog):
    with caplog.at_level(logging.INFO, "garden"):
        load(f"snap:{snap_prefix}")
    assert "2 of 5 nodes and 1 of 3 edges are dropped" in caplog.text


def test_load__paths_are_read_whether_text_or_path(tmp_path):
    graph = Graph.from_edges(np.array([[0, 1], [1, 2]]), 3)
    write_graph(graph, tmp_path / "g.npz")
    for source in (tmp_path / "g.npz", str(tmp_path / "g.npz")):
        loaded = load(source)
        assert loaded.content_hash == graph.content_hash
        assert loaded.name == str(source)


def test_load__a_graph_comes_back_as_its_largest_component():
    graph = Graph.from_edges(np.array([[0, 1], [1, 2], [3, 4]]), 5, name="mine")
    assert load(graph).num_nodes == 3
    assert load(graph).name == "mine"
    connected = load(graph)
    assert load(connected) is connected


def test_load__objects_of_other_libraries_become_graphs():
    assert load(nx.path_graph(3)).num_edges == 2
    assert load(nx.DiGraph([(1, 2), (2, 1)])).num_edges == 1
    adjacency = sp.csr_array(nx.to_scipy_sparse_array(nx.path_graph(3)))
    assert load(adjacency).num_attributes == 0
    assert load(adjacency, attributes=np.eye(3)).num_attributes == 3
    assert load(adjacency, attributes=sp.eye_array(3)).num_attributes == 3


def test_load__pyg_data_become_graphs():
    torch = pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch deprecates what PyG does while it is imported
        pyg = pytest.importorskip("torch_geometric.data")
    data = pyg.Data(x=torch.ones(3, 2), edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]))
    assert (load(data).num_nodes, load(data).num_attributes) == (3, 2)


BAD_SPECS = {
    "facebok:414": (SpecError, "did you mean facebook"),
    "kaiser:n=3": (SpecError, "did you mean kaiser-hilgetag"),
    "karate": (SpecError, "neither a file nor a known graph"),
    "": (SpecError, "neither a file nor a known graph"),
    "facebook": (SpecError, "such as facebook:414"),
    "facebook:": (SpecError, "such as facebook:414"),
    "facebook:9,depth=2": (SpecError, "unknown option 'depth': use attributes"),
    "facebook:../414": (SpecError, "no such graph"),
    "twitch": (SpecError, "such as twitch:PTBR"),
    "twitch:RU,attributes=by-id": (SpecError, "unknown option 'attributes': it takes none"),
    "musae-facebook:1": (SpecError, "takes no options"),
    "snap:": (SpecError, "such as snap:DIR/107"),
    "snap:/nowhere/7": (DataError, r"/nowhere/7\.edges: no such file"),
    "kaiser-hilgetag:n=9,n=9": (SpecError, "n stands twice"),
    "kaiser-hilgetag:gamma=9": (SpecError, "unknown option 'gamma': use n, alpha, beta, d, seed"),
    "kaiser-hilgetag:n=2.5": (SpecError, "n=2.5 is not a whole number"),
    "kaiser-hilgetag:beta=much": (SpecError, "beta=much is not a number"),
    "kaiser-hilgetag:200": (SpecError, "'200' is no key=value"),
    "kaiser-hilgetag:n=1": (GardenError, "n=1"),
    "kaiser-hilgetag:beta=-1": (GardenError, "beta=-1"),
    "kaiser-hilgetag:alpha=nan": (GardenError, "alpha=nan"),
    "kaiser-hilgetag:seed=-1": (SpecError, "seed=-1"),
    "nowhere.csv": (DataError, "nowhere.csv: no such file"),
    "nowhere/graph": (DataError, "nowhere/graph: no such file"),
    "x" * 5000: (SpecError, "neither a file nor a known graph"),
    "a\0b": (SpecError, "neither a file nor a known graph"),
}


@pytest.mark.parametrize("spec", list(BAD_SPECS), ids=lambda spec: repr(spec)[:40])
def test_load__bad_specs_are_refused_in_one_line(spec):
    kind, message = BAD_SPECS[spec]
    with pytest.raises(kind, match=message) as caught:
        load(spec)
    assert "\n" not in str(caught.value)


def test_load__an_unknown_attribute_order_is_refused(snap_prefix):
    with pytest.raises(SpecError, match="attributes=random: expected by-id or as-published"):
        load(f"snap:{snap_prefix},attributes=random")


@pytest.mark.parametrize("source", [3, None, [[0, 1]], object()])
def test_load__other_objects_are_refused(source):
    with pytest.raises(SpecError, match="cannot make a graph of a"):
        load(source)


def test_load__attributes_go_with_a_matrix_only():
    with pytest.raises(SpecError, match="attributes="):
        load(nx.path_graph(3), attributes=np.eye(3))


def test_load__graphs_without_edges_are_refused():
    for source in (nx.empty_graph(3), nx.empty_graph(1), sp.csr_array((2, 2))):
        with pytest.raises(GraphError, match="0 edges"):
            load(source)
