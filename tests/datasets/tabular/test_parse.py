import logging
import subprocess
import sys

import numpy as np
import pytest

import garden
from garden.datasets.spec import load
from garden.datasets.tabular.parse import from_pandas
from garden.errors import GardenError

pd = pytest.importorskip("pandas", reason="pandas is absent")

EDGES = pd.DataFrame({"source": [1, 2], "target": [2, 3]})
NODES = pd.DataFrame({"node": [1, 2, 3], "age": [5.0, np.nan, 7.0], "kind": ["cat", None, "dog"]})


def test_frames__edges_and_nodes_become_a_graph():
    graph = from_pandas(EDGES, NODES, name="toy")
    assert (graph.name, graph.node_names) == ("toy", ("1", "2", "3"))
    assert graph.attribute_names == ("age", "kind=cat", "kind=dog")
    assert graph.attributes.tolist() == [[5, 1, 0], [0, 0, 0], [7, 0, 1]]
    assert graph.edges().tolist() == [[0, 1], [1, 2]]


def test_frames__load_takes_them_and_scales():
    assert load(EDGES).num_edges == 2
    assert load(EDGES, NODES).attributes[:, 0].tolist() == [-1, 0, 1]
    assert load(EDGES, NODES, scale=False).attributes[:, 0].tolist() == [5, 0, 7]


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, ""], ids=repr)
def test_frames__every_kind_of_missing_cell_is_missing(missing, caplog):
    nodes = pd.DataFrame({"node": [1, 2, 3], "age": pd.Series([5, missing, 7], dtype=object)})
    assert load(EDGES, nodes).attributes[:, 0].tolist() == [-1, 0, 1]
    assert "1 missing cells in 1 of 3 nodes" in caplog.text


def test_frames__types_of_pandas_are_read_as_what_they_are():
    nodes = pd.DataFrame(
        {
            "node": pd.array([1, 2, 3], dtype="Int64"),
            "age": pd.array([5, None, 7], dtype="Int64"),
            "kind": pd.Categorical(["cat", "dog", None]),
            "tame": pd.array([True, None, False], dtype="boolean"),
            "name": pd.array(["x", "y", None], dtype="string"),
        }
    )
    graph = from_pandas(EDGES, nodes)
    names = ("age", "kind=cat", "kind=dog", "tame", "name=x", "name=y")
    assert graph.attribute_names == names
    assert graph.attributes.tolist() == [[5, 1, 0, 1, 1, 0], [0, 0, 1, 0, 0, 1], [7, 0, 0, 0, 0, 0]]


@pytest.mark.parametrize(
    "nodes",
    [
        NODES.set_index("node"),
        NODES.set_index("node").rename_axis(None),
        NODES.rename(columns={"node": "uid"}),
        NODES.rename(columns={"node": "id"}).assign(rank=[3, 2, 1]),
        NODES.assign(node=[1.0, 2.0, 3.0]),
        NODES.assign(node=["1", "2", "3"]),
    ],
)
def test_frames__the_column_or_index_that_names_nodes_is_found(nodes):
    graph = from_pandas(EDGES, nodes)
    assert graph.node_names == ("1", "2", "3")
    assert graph.attribute_names[:1] == ("age",)


@pytest.mark.parametrize(
    "edges",
    [
        EDGES.rename(columns={"source": "ann", "target": "bob"}),
        EDGES.rename(columns={"source": "from", "target": "to"}).assign(time=[1, 2], why="x"),
        EDGES.rename(columns={"source": "p", "target": "q"}).assign(weight=[1, 2]),
        EDGES.rename(columns={"source": "p", "target": "q"}).assign(since=[2020, 2021]),
        EDGES.rename(columns={"source": "p", "target": "q"}).assign(share=[0.5, 0.1]),
        EDGES.set_index(["source", "target"]),
        EDGES[EDGES.source > 0].iloc[::-1].iloc[::-1],
    ],
)
def test_frames__the_columns_of_the_ends_are_found_where_one_reading_makes_sense(edges):
    graph = from_pandas(edges)
    assert graph.node_names == ("1", "2", "3")
    assert graph.num_edges == 2


def test_frames__columns_can_be_named():
    edges = pd.DataFrame({"p": [1, 2], "q": [2, 3], "r": [3, 1]})
    nodes = pd.DataFrame({"x": [1, 2, 3], "y": [3, 2, 1]})
    graph = load(edges, nodes, source_column="r", target_column="q", node_column="y", scale=False)
    assert graph.node_names == ("3", "2", "1")
    assert graph.attributes.tolist() == [[1], [2], [3]]
    assert from_pandas(edges, source_column="q", target_column="r").num_edges == 2


def edges_with(**columns):
    return EDGES.assign(**columns)


BAD = {
    "three alike": (
        lambda: load(pd.DataFrame({"p": [1, 2], "q": [2, 3], "r": [3, 1]})),
        "edges: which columns hold the two ends .* source_column and target_column; there are p, q",
    ),
    "one column": (lambda: load(EDGES[["source"]]), "which columns hold the two ends"),
    "no rows": (lambda: load(EDGES.iloc[:0]), "no nodes and no edges"),
    "empty": (lambda: load(pd.DataFrame()), "there are no columns"),
    "wrong name": (
        lambda: load(EDGES, source_column="form"),
        "edges: no column 'form', as source_column says: there are source, target",
    ),
    "same column": (
        lambda: load(EDGES, source_column="source", target_column="source"),
        "are both 'source'",
    ),
    "NaN id": (
        lambda: load(edges_with(target=[2, np.nan])),
        "edges, row 1: an empty node name in column 'target'",
    ),
    "infinite id": (
        lambda: load(edges_with(target=[2, np.inf])),
        "edges, row 1: no node name in column 'target'",
    ),
    "listed id": (lambda: load(edges_with(target=[[2], [3]])), "no node name in column 'target'"),
    "no node column": (
        lambda: load(EDGES, pd.DataFrame({"age": [5, 6], "size": [8, 9]})),
        "which column names the nodes. Name it with node_column; there are age, size",
    ),
    "wrong node column": (lambda: load(EDGES, NODES, node_column="id"), "nodes: no column 'id'"),
    "node column alone": (lambda: load(EDGES, node_column="id"), "goes with a table of nodes"),
    "same node": (
        lambda: load(EDGES, pd.concat([NODES, NODES])),
        "nodes, row 3: node '1' stands twice, first in nodes, row 0",
    ),
    "other nodes": (
        lambda: load(EDGES, NODES.assign(node=[7, 8, 9])),
        "no edge names a node of the table .it has '7', …, the edges '1'",
    ),
    "infinity": (
        lambda: load(EDGES, NODES.assign(age=[1, np.inf, 2])),
        "nodes, row 1, column 'age': inf is not a finite",
    ),
    "clash": (
        lambda: load(EDGES, pd.DataFrame({"node": [1, 2, 3], "a": ["b"] * 3, "a=b": [1, 2, 3]})),
        "two columns encode to 'a=b'",
    ),
    "twin columns": (
        lambda: load(EDGES, pd.DataFrame([[1, 2, 3]], columns=["node", "x", "x"])),
        "the column 'x' stands twice",
    ),
    "self-loops": (lambda: load(pd.DataFrame({"source": [1], "target": [1]})), "0 edges"),
    "series": (lambda: load(EDGES["source"]), "cannot make a graph of a Series"),
    "no frame": (lambda: load(EDGES, [1, 2]), "nodes= must be a pandas frame, not a list"),
    "nodes alone": (lambda: load("facebook:414", NODES), "nodes= goes with a pandas frame or"),
    "attributes": (lambda: load(EDGES, attributes=np.eye(3)), "goes with an adjacency matrix"),
    "column number": (lambda: load(EDGES, source_column=0), "expected the name of a column"),
    "not edges": (lambda: from_pandas([(1, 2)]), "edges must be a pandas DataFrame, not a list"),
    "not nodes": (lambda: from_pandas(EDGES, {"a": 1}), "nodes must be a pandas DataFrame"),
}


@pytest.mark.parametrize("case", list(BAD))
def test_frames__wrong_use_is_told_in_one_line(case):
    act, message = BAD[case]
    with pytest.raises(GardenError, match=message) as caught:
        act()
    assert "\n" not in str(caught.value)


def test_frames__losses_are_warnings_with_counts(caplog):
    edges = pd.DataFrame({"source": [1, 1, 2, 2, 3, 8], "target": [2, 2, 1, 3, 3, 9]})
    with caplog.at_level(logging.WARNING, "garden"):
        load(edges, NODES.iloc[:2], scale=False)
    assert [record.getMessage() for record in caplog.records] == [
        "graph: 3 of 5 nodes have no row: zeros instead",
        "graph: 2 missing cells in 1 of 5 nodes count as zeros",
        "graph: 1 self-loops are dropped",
        "graph: 1 of 5 edges repeat others: they are merged",
        "graph: 2 of 3 links stand in one direction only: they are taken in both directions",
        "graph: the largest connected component is taken; 2 of 5 nodes and 1 of 3 edges "
        "are dropped",
    ]


def test_frames__warnings_are_visible_in_plain_python():
    code = (
        "import garden, pandas as pd; "
        "garden.load(pd.DataFrame({'source': [1, 2, 2], 'target': [2, 3, 2]}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "graph: 1 self-loops are dropped" in done.stderr


def test_frames__named_graphs_speak_at_info_only(real_data, caplog):
    caplog.set_level(logging.INFO, "garden")
    load("facebook:0")
    assert "largest connected component" in caplog.text
    assert {record.levelno for record in caplog.records} == {logging.INFO}


def test_frames__the_package_itself_offers_the_conversions():
    for name in ("from_pandas", "from_networkx", "to_networkx", "from_igraph", "from_pyg"):
        assert callable(getattr(garden, name))
        assert name in garden.__all__


def test_frames__graphs_by_name_and_arrays_load_without_pandas(real_data, tmp_path):
    code = (
        "import sys; sys.modules['pandas'] = sys.modules['pyarrow'] = None; import garden; "
        "from garden.datasets.files import write_graph; "
        f"g = garden.load('facebook:414'); write_graph(g, {str(tmp_path / 'g.npz')!r}); "
        f"garden.load({str(tmp_path / 'g.npz')!r}); garden.load('twitch:PTBR'); "
        f"garden.load('snap:{real_data}/facebook/414'); garden.load('collection:circles/345'); "
        f"garden.load('{real_data}/twitch/RU')"
    )
    environment = {"GARDEN_DATA": str(real_data), "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
