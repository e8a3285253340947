"""What ``load`` scales, what it leaves alone, and that the same graph gives the same rows."""

import json
import logging
import warnings

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

from garden.datasets.files import read_graph, write_graph
from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.spec import load
from garden.errors import GraphError, SpecError
from garden.graphs.graph import Graph

pd = pytest.importorskip("pandas", reason="pandas is absent")
pytest.importorskip("pyarrow", reason="pyarrow is absent")

AGES = {"a": 10.0, "b": None, "c": 20.0, "d": 60.0}
EDGES = [("a", "b"), ("b", "c"), ("c", "d")]
ROWS = np.array([[-20, 1], [0, 0], [-10, 1], [30, 1]]) / [np.sqrt(1400 / 3), 1]


def nx_toy():
    nx_graph = nx.Graph()
    for place, (node, age) in enumerate(AGES.items()):
        profile = {} if age is None else {"age": age}
        nx_graph.add_node(node, **profile, tame=int(place != 1), kind="cat" if place else "dog")
    nx_graph.add_edges_from(EDGES)
    return nx_graph


def frames():
    data = [{"node": node, **profile} for node, profile in nx_toy().nodes(data=True)]
    return pd.DataFrame(EDGES, columns=["source", "target"]), pd.DataFrame(data)


def as_csv(folder):
    edges, nodes = frames()
    edges.to_csv(folder / "edges.csv", index=False)
    nodes.to_csv(folder / "nodes.csv", index=False)
    return folder


def as_parquet(folder):
    edges, nodes = frames()
    edges.to_parquet(folder / "edges.parquet")
    nodes.to_parquet(folder / "nodes.parquet")
    return folder


def as_graphml(folder):
    nx.write_graphml(nx_toy(), folder / "g.graphml")
    return folder / "g.graphml"


def as_gml(folder):
    nx.write_gml(nx_toy(), folder / "g.gml")
    return folder / "g.gml"


def as_gexf(folder):
    nx.write_gexf(nx_toy(), folder / "g.gexf")
    return folder / "g.gexf"


def as_json(folder):
    (folder / "g.json").write_text(json.dumps(nx.node_link_data(nx_toy(), edges="links")))
    return folder / "g.json"


def as_igraph(folder):
    igraph = pytest.importorskip("igraph", reason="igraph is absent")
    return igraph.Graph.from_networkx(nx_toy())


def as_igraph_file(folder):
    ig_graph = as_igraph(folder)
    ig_graph.vs["name"] = ig_graph.vs["_nx_name"]
    del ig_graph.vs["_nx_name"]
    ig_graph.write_graphml(str(folder / "i.graphml"))
    return folder / "i.graphml"


def as_networkx(folder):
    return nx_toy()


SOURCES = [
    as_csv, as_parquet, as_graphml, as_gml, as_gexf, as_json, as_networkx, as_igraph,
    as_igraph_file,
]  # fmt: skip


@pytest.mark.parametrize("source", SOURCES)
def test_scaling__the_same_graph_gives_the_same_rows_wherever_it_comes_from(source, tmp_path):
    graph = load(source(tmp_path))
    assert graph.node_names == ("a", "b", "c", "d")
    place = {name: column for column, name in enumerate(graph.attribute_names)}
    assert sorted(place) == ["age", "kind=cat", "kind=dog", "tame"]
    rows = graph.attributes[:, [place["age"], place["tame"]]]
    np.testing.assert_array_equal(rows, ROWS.astype(np.float32))
    np.testing.assert_array_equal(rows, load(*frames()).attributes[:, [0, 1]])


@pytest.mark.parametrize("source", [as_csv, as_graphml, as_networkx])
def test_scaling__can_be_left_out(source, tmp_path):
    graph = load(source(tmp_path), scale=False)
    column = graph.attribute_names.index("age")
    assert graph.attributes[:, column].tolist() == [10, 0, 20, 60]


def test_scaling__is_said_once(tmp_path, caplog):
    caplog.set_level(logging.INFO, "garden")
    load(as_csv(tmp_path))
    logged = [record for record in caplog.records if "scaled" in record.getMessage()]
    assert len(logged) == 1
    assert "numbers are scaled to mean 0 and variance 1 in 1 column (age)" in logged[0].getMessage()
    assert "`scale=False` leaves them" in logged[0].getMessage()
    caplog.clear()
    load(tmp_path, scale=False)
    assert not any("scaled" in record.getMessage() for record in caplog.records)


def test_scaling__only_the_component_that_is_kept_decides():
    edges = pd.DataFrame({"source": ["a", "b", "x"], "target": ["b", "c", "y"]})
    nodes = pd.DataFrame({"node": list("abcxy"), "age": [1, 2, 3, 1e6, 2e6]})
    np.testing.assert_allclose(
        load(edges, nodes).attributes[:, 0], [-np.sqrt(1.5), 0, np.sqrt(1.5)], rtol=1e-6
    )


def numbers():
    return np.array([[0.1, 7], [2.5, 8], [-3, 9]], dtype=np.float32)


def plain_graph():
    return Graph.from_edges(np.array([[0, 1], [1, 2]]), 3, numbers())


def test_scaling__arrays_stay_as_they_are_to_the_last_digit(tmp_path):
    graph = plain_graph()
    write_graph(graph, tmp_path / "g.npz")
    path = sp.csr_array(nx.to_scipy_sparse_array(nx.path_graph(3)))
    for loaded in (
        load(graph),
        load(tmp_path / "g.npz"),
        load(path, attributes=numbers()),
        load(path.toarray(), attributes=numbers()),
    ):
        np.testing.assert_array_equal(loaded.attributes, numbers())
    assert load(graph) is graph


def test_scaling__pyg_tables_stay_as_they_are():
    torch = pytest.importorskip("torch", reason="torch is absent")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch deprecates what PyG does while it is imported
        pyg = pytest.importorskip("torch_geometric.data", reason="torch_geometric is absent")
    edge_index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    data = pyg.Data(x=torch.tensor(numbers()), edge_index=edge_index)
    np.testing.assert_array_equal(load(data).attributes, numbers())


def test_scaling__named_and_generated_graphs_stay_as_they_are(real_data):
    stored = read_graph(real_data / "collection" / "tolokers" / "tolokers.npz")
    loaded = load("collection:tolokers/tolokers")
    assert not np.isin(stored.attributes, (0, 1)).all()
    np.testing.assert_array_equal(loaded.attributes, stored.attributes)
    grown = kaiser_hilgetag(n=30, seed=1)
    assert load("kaiser-hilgetag:n=30,seed=1").content_hash == grown.content_hash


def test_scaling__a_sparse_table_stays_and_asking_for_more_is_refused(tmp_path):
    nodes = pd.DataFrame(
        {"node": range(700), "age": range(700), "who": [f"w{n}" for n in range(700)]}
    )
    edges = pd.DataFrame({"source": range(699), "target": range(1, 700)})
    graph = load(edges, nodes)
    assert isinstance(graph.attributes, sp.csr_array)
    assert graph.attributes[[5], [0]].tolist() == [5]
    with pytest.raises(GraphError, match="a sparse table is never scaled"):
        load(edges, nodes, scale=True)


def test_scaling__can_be_asked_for_where_it_is_not_the_default(tmp_path):
    write_graph(plain_graph(), tmp_path / "g.npz")
    table = load(tmp_path / "g.npz", scale=True).attributes
    np.testing.assert_allclose(table.mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(table.std(axis=0), 1, rtol=1e-6)
    with pytest.raises(SpecError, match="scale='yes': expected True, False or None"):
        load(plain_graph(), scale="yes")


def test_scaling__the_same_file_has_the_same_content_hash(tmp_path):
    folder = as_csv(tmp_path)
    assert load(folder).content_hash == load(str(folder)).content_hash
    assert load(folder).content_hash != load(folder, scale=False).content_hash
