import gzip
import logging

import numpy as np
import pytest
import scipy.sparse as sp

from garden.datasets.files import read_graph, write_graph
from garden.errors import DataError
from garden.graphs.graph import Graph

EDGES = np.array([[0, 1], [1, 2], [2, 3], [0, 3]])
NAMES = ["a b", "ü,ö", 'say "hi"', "#4"]
COLUMNS = ["birthday;year", "colour=red & blue", "x"]
PLAIN = ["a", "b", "ü", "4"]


def graph_with(table=None, names=NAMES, columns=COLUMNS):
    columns = columns if table is not None else []
    return Graph.from_edges(EDGES, 4, table, names, columns)


def dense():
    return np.array([[1, 0.1, -3], [0, 0, 1e-30], [1, 1, 3e38], [0, 7, 0.5]], dtype=np.float32)


TABLES = {"none": None, "dense": dense(), "sparse": sp.csr_array(dense() * [1, 0, 1])}


@pytest.fixture
def messages(caplog):
    caplog.set_level(logging.INFO, "garden")
    return lambda: [record.getMessage() for record in caplog.records]


def written(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("table", list(TABLES))
@pytest.mark.parametrize("file", ["folder", "g.npz", "g.parquet", "g.graphml", "g.gml"])
def test_files__a_round_trip_keeps_the_whole_content(tmp_path, file, table, caplog):
    graph = graph_with(TABLES[table])
    write_graph(graph, tmp_path / file)
    back = read_graph(tmp_path / file)
    assert back.content_hash == graph.content_hash
    assert back.name == str(tmp_path / file)
    assert not caplog.records  # no cell is taken for missing
    assert [entry.name for entry in tmp_path.iterdir()] == [file]


@pytest.mark.parametrize("file", ["g.csv", "g.tsv", "g.csv.gz", "g.TSV"])
def test_files__a_csv_edge_list_keeps_any_names(tmp_path, file):
    graph = graph_with()
    write_graph(graph, tmp_path / file)
    assert edge_names(read_graph(tmp_path / file)) == edge_names(graph)


@pytest.mark.parametrize("file", ["g.txt", "g.edges", "g.edgelist", "g.txt.gz"])
def test_files__a_plain_edge_list_keeps_plain_names(tmp_path, file):
    graph = graph_with(names=PLAIN)
    write_graph(graph, tmp_path / file)
    assert edge_names(read_graph(tmp_path / file)) == edge_names(graph)
    with pytest.raises(DataError, match="does not fit a plain edge list"):
        write_graph(graph_with(), tmp_path / "other.txt")


def edge_names(graph):
    return {frozenset(graph.node_names[node] for node in edge) for edge in graph.edges()}


def test_files__an_edge_list_says_what_it_cannot_hold(tmp_path, messages):
    graph = Graph.from_edges(np.array([[0, 1]]), 3, np.ones((3, 1)))
    write_graph(graph, tmp_path / "g.csv")
    assert any("attributes" in message for message in messages())
    assert any("1 nodes without edges" in message for message in messages())


@pytest.mark.parametrize("file", ["folder", "g.npz", "g.parquet", "g.graphml", "g.gml"])
def test_files__nodes_without_edges_survive_a_round_trip(tmp_path, file):
    graph = Graph.from_edges(np.array([[0, 1]]), 3, np.ones((3, 1)))
    write_graph(graph, tmp_path / file)
    assert read_graph(tmp_path / file).content_hash == graph.content_hash


@pytest.mark.parametrize("file", ["folder", "g.npz", "g.parquet", "g.graphml", "g.gml"])
def test_files__a_wide_sparse_table_survives_a_round_trip(tmp_path, file):
    table = sp.csr_array(sp.random_array((4, 600), density=0.02, rng=1), dtype=np.float32)
    graph = Graph.from_edges(EDGES, 4, table, NAMES)
    write_graph(graph, tmp_path / file)
    back = read_graph(tmp_path / file)
    assert back.content_hash == graph.content_hash
    assert isinstance(back.attributes, sp.csr_array)


def test_gml__awkward_attribute_names_are_kept(tmp_path):
    columns = ["x0", "id", "label", "x 1", "node"]
    graph = Graph.from_edges(EDGES, 4, np.eye(4, 5) + 1, NAMES, columns)
    write_graph(graph, tmp_path / "g.gml")
    assert read_graph(tmp_path / "g.gml").attribute_names == tuple(columns)


def test_gml__nodes_without_labels_go_by_their_ids(tmp_path):
    text = "graph [ node [ id 7 age 3 ] node [ id 9 age 4 ] edge [ source 7 target 9 ] ]"
    graph = read_graph(written(tmp_path / "g.gml", text))
    assert graph.node_names == ("7", "9")
    assert graph.attributes.tolist() == [[3], [4]]


def test_graphml__types_and_defaults_are_honoured(tmp_path, messages):
    text = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
      <key id="d0" for="node" attr.name="tame" attr.type="boolean"/>
      <key id="d1" for="node" attr.name="kind" attr.type="string"><default>dog</default></key>
      <key id="d2" for="edge" attr.name="weight" attr.type="double"/>
      <graph edgedefault="directed">
        <node id="a"><data key="d0">true</data><data key="d1">cat</data></node>
        <node id="b"><data key="d0">false</data></node>
        <edge source="a" target="b"><data key="d2">2.5</data></edge>
      </graph></graphml>"""
    graph = read_graph(written(tmp_path / "g.graphml", text))
    assert graph.attribute_names == ("tame", "kind=cat", "kind=dog")
    assert graph.attributes.tolist() == [[1, 1, 0], [0, 0, 1]]
    assert any("both directions" in message for message in messages())
    assert any("weights" in message for message in messages())


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("g.txt", "# comment\n% another\n\nx y\ny z\n"),
        ("g.txt", "x\ty\t1.5\ny\tz\t2\n"),
        ("g.edgelist", "x y {}\ny z {'weight': 3, 'kind': 'a b'}\n"),
        ("g.txt", "x,y\ny,z\n"),
        ("g.txt", "from to\nx y\ny z\n"),
        ("g.csv", "x,y\ny,z\n"),
        ("g.csv", "x, y\r\ny, z\r\n"),
        ("g.csv", "source,target\nx,y\ny,z"),
        ("g.csv", "# note\nid_1,id_2\nx,y\ny,z\n"),
        ("g.csv", "\ufeffFrom,To,weight\nx,y,1\n\ny,z,2\n"),
        ("g.csv", 'time,target,source,a,b\n1,x,y,"q,r",\n2,z,y,,\n'),
        ("g.csv.gz", gzip.compress(b"from,to\nx,y\ny,z\n", mtime=0)),
        ("noext", "x y\ny z\n"),
    ],
)
def test_edge_list__every_dialect_gives_the_same_graph(tmp_path, file, content):
    graph = read_graph(written(tmp_path / file, content))
    assert edge_names(graph) == {frozenset("xy"), frozenset("yz")}
    assert graph.num_attributes == 0


def test_edge_list__directions_and_weights_are_forgotten_aloud(tmp_path, messages):
    read_graph(written(tmp_path / "g.csv", "x,y,3\n"))
    assert any("weights" in message for message in messages())
    assert any("both directions" in message for message in messages())


def test_edge_list__blanks_around_unquoted_cells_do_not_count(tmp_path):
    text = '0 , 1\n0,1 \n1,"2 "\n "2 ",0 \n'
    graph = read_graph(written(tmp_path / "g.csv", text))
    assert graph.node_names == ("0", "1", "2 ")
    assert graph.num_edges == 3


def test_edge_list__a_line_of_words_above_numbers_is_a_header(tmp_path, messages):
    graph = read_graph(written(tmp_path / "g.csv", "p,q\n1,2\n2,3\n"))
    assert graph.node_names == ("1", "2", "3")
    assert any("taken for a header" in message for message in messages())
    words = read_graph(written(tmp_path / "w.csv", "a,b\n1,2\n2,a\n"))
    assert words.node_names == ("a", "b", "1", "2")
    numbers = read_graph(written(tmp_path / "n.csv", "7,8\n1,2\n2,3\n"))
    assert numbers.num_nodes == 5


def test_edge_list__huge_ids_cost_no_memory(tmp_path):
    graph = read_graph(written(tmp_path / "g.txt", f"0 {10**30}\n"))
    assert graph.node_names == ("0", str(10**30))


def test_folder__rows_and_edges_are_joined_by_name(tmp_path, messages):
    written(tmp_path / "edges.csv", "weight,source,target\n1,b,c\n2,c,d\n")
    written(tmp_path / "nodes.csv", "age,node,kind\n3,a,cat\n4,b,dog\n,c,\n")
    graph = read_graph(tmp_path)
    assert graph.node_names == ("a", "b", "c", "d")
    assert graph.attribute_names == ("age", "kind=cat", "kind=dog")
    assert graph.attributes.tolist() == [[3, 1, 0], [4, 0, 1], [0, 0, 0], [0, 0, 0]]
    assert edge_names(graph) == {frozenset("bc"), frozenset("cd")}
    assert f"{tmp_path}: 2 missing cells in 1 of 4 nodes count as zeros" in messages()
    assert f"{tmp_path}: 1 of 4 nodes have no row: zeros instead" in messages()
    assert any("weights" in message for message in messages())


def test_folder__parquet_is_read_like_csv(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    edges = pa.table({"source": [1, 2], "target": [2.0, 3.0], "weight": [0.1, 0.2]})
    nodes = pa.table(
        {
            "node": [1, 2, 3, 4],
            "kind": ["cat", None, "dog", "cat"],
            "tame": [True, False, None, True],
            "place": [[0.5, 1.0], [1.0, 2.0], [0.0, 0.0], None],
        }
    )
    pq.write_table(edges, tmp_path / "edges.parquet")
    pq.write_table(nodes, tmp_path / "nodes.parquet")
    graph = read_graph(tmp_path)
    assert graph.node_names == ("1", "2", "3", "4")
    assert graph.attribute_names == ("kind=cat", "kind=dog", "tame", "place[0]", "place[1]")
    assert graph.attributes.tolist() == [
        [1, 0, 1, 0.5, 1], [0, 0, 0, 1, 2], [0, 1, 0, 0, 0], [1, 0, 1, 0, 0],
    ]  # fmt: skip
    assert edge_names(graph) == {frozenset("12"), frozenset("23")}


@pytest.mark.parametrize("package", ["pandas", "pyarrow"])
def test_folder__without_its_packages_parquet_names_them(tmp_path, monkeypatch, package):
    written(tmp_path / "edges.parquet", b"PAR1")
    monkeypatch.setitem(__import__("sys").modules, package, None)
    with pytest.raises(DataError, match=r"pip install pandas pyarrow"):
        read_graph(tmp_path)


BAD_FOLDERS = {
    "no edges.csv": ({"nodes.csv": "node\na\n"}, "no edges.csv or edges.parquet"),
    "no header": ({"edges.csv": "a,b\n"}, "edges.csv, line 1: expected a header"),
    "empty edges": ({"edges.csv": ""}, "edges.csv: expected a header"),
    "no edge at all": ({"edges.csv": "source,target\n"}, "no nodes and no edges"),
    "short row": ({"edges.csv": "source,target\na,b\na\n"}, "edges.csv, line 3: 1 cells"),
    "no name": ({"edges.csv": "source,target\na,\n"}, "edges.csv, line 2: an empty node name"),
    "open quote": ({"edges.csv": 'source,target\na,"b\n'}, "edges.csv, line 2: broken CSV"),
    "both kinds": ({"edges.csv": "", "edges.parquet": ""}, "holds both"),
    "junk parquet": ({"edges.parquet": "junk"}, "edges.parquet: cannot be read as Parquet"),
    "no node column": ({"nodes.csv": "id,age\n1,2\n"}, "expected .* column node.* are id, age"),
    "same column": ({"nodes.csv": "node,age,age\n"}, "the column 'age' is empty or stands twice"),
    "same node": ({"nodes.csv": "node\na\nb\na\n"}, "line 4: node 'a' stands twice, .*line 2"),
    "long row": ({"nodes.csv": "node,age\na,1,2\n"}, "nodes.csv, line 2: 3 cells"),
    "infinity": ({"nodes.csv": "node,age\na,1\nb,inf\n"}, "nodes.csv, line 3, column 'age'"),
    "not UTF-8": ({"nodes.csv": b"node\na\n\xff\n"}, "nodes.csv, line 3: not UTF-8"),
    "null": ({"nodes.csv": b"node\na\0\n"}, "nodes.csv, line 2: binary data"),
}


@pytest.mark.parametrize("case", list(BAD_FOLDERS))
def test_folder__bad_input_is_refused_by_file_and_line(tmp_path, case):
    files, message = BAD_FOLDERS[case]
    if "nodes.csv" in files and case != "no edges.csv":
        written(tmp_path / "edges.csv", "source,target\na,b\n")
    for name, content in files.items():
        written(tmp_path / name, content)
    refuse(tmp_path, message)


BAD_FILES = {
    "empty list": ("g.txt", "", "no edges"),
    "only comments": ("g.csv", "# nothing\n", "no edges"),
    "one column": ("g.txt", "a\n", "line 1: 1 columns"),
    "four columns": ("g.csv", "a,b,c,d\n", "line 1: 4 columns"),
    "ragged": ("g.txt", "a b\n# x\na b c\n", "line 3: 3 columns where the first line has 2"),
    "bad gzip": ("g.txt.gz", b"no gzip", "damaged gzip"),
    "cut gzip": ("g.txt.gz", gzip.compress(b"a b\n" * 99, mtime=0)[:-9], "damaged gzip"),
    "binary": ("g.txt", b"a b\n\0\n", "line 2: binary data"),
    "UTF-16": ("g.txt", "a b\n".encode("utf-16"), "line 1: not UTF-8"),
    "empty npz": ("g.npz", "", "not a graph file of ours"),
    "junk npz": ("g.npz", "PK\3\4junk", "not a graph file of ours"),
    "empty graphml": ("g.graphml", "", "cannot be read as GraphML"),
    "junk graphml": ("g.graphml", "<graphml><graph>", "cannot be read as GraphML"),
    "graphless graphml": ("g.graphml", "<graphml/>", "cannot be read as GraphML"),
    "nodeless graphml": (
        "g.graphml",
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph/></graphml>',
        "at least one node",
    ),
    "empty gml": ("g.gml", "", "cannot be read as GML"),
    "junk gml": ("g.gml", "graph [ node [", "cannot be read as GML"),
}


@pytest.mark.parametrize("case", list(BAD_FILES))
def test_files__bad_input_is_refused_in_one_line(tmp_path, case):
    file, content, message = BAD_FILES[case]
    refuse(written(tmp_path / file, content), message)


def refuse(path, message):
    with pytest.raises(DataError, match=message) as caught:
        read_graph(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files__what_is_not_there_is_said_so(tmp_path):
    refuse(tmp_path / "none.csv", "no such file or folder")
    written(tmp_path / "107.edges", "1 2\n")
    refuse(tmp_path / "107", "write snap:")
    with pytest.raises(DataError, match="cannot be opened"):
        read_graph("x" * 5000)


def test_npz__pickles_are_never_loaded(tmp_path):
    np.savez(tmp_path / "g.npz", format_version=1, indptr=np.array([{}], dtype=object))
    refuse(tmp_path / "g.npz", "does not match its header")


def test_npz__another_version_and_missing_arrays_are_refused(tmp_path):
    np.savez(tmp_path / "g.npz", format_version=2)
    refuse(tmp_path / "g.npz", "format version 2")
    np.savez(tmp_path / "h.npz", format_version=1)
    refuse(tmp_path / "h.npz", "not a graph file of ours")


def test_npz__broken_indices_are_refused(tmp_path):
    good = {
        "format_version": np.array(1),
        "indptr": np.array([0, 1, 2]),
        "indices": np.array([1, 0]),
        "node_names": np.array(["a", "b"]),
        "attribute_names": np.array(["x"]),
        "attributes_data": np.ones(2, dtype=np.float32),
        "attributes_indices": np.array([0, 0]),
        "attributes_indptr": np.array([0, 1, 2]),
    }
    np.savez(tmp_path / "good.npz", **good)
    assert read_graph(tmp_path / "good.npz").num_edges == 1
    for key, value in {
        "indptr": np.array([0, 2**62, 2]),
        "indices": np.array([1, 5]),
        "attributes_indices": np.array([0, 7]),
        "attributes_indptr": np.array([0, 2, 1]),
        "node_names": np.array([1, 2]),
        "attribute_names": np.array(["x", "y"]),
    }.items():
        np.savez(tmp_path / "bad.npz", **{**good, key: value})
        if key != "attribute_names":  # one more column of zeros does no harm
            refuse(tmp_path / "bad.npz", r"bad\.npz")


def test_write__a_failed_write_leaves_what_was_there(tmp_path, monkeypatch):
    path = written(tmp_path / "g.npz", "precious")
    monkeypatch.setattr(np.lib.format, "write_array", fail)
    with pytest.raises(DataError, match="cannot be written"):
        write_graph(graph_with(), path)
    assert path.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [path]


def fail(*_, **__):
    raise OSError(28, "No space left on device")


def test_write__a_folder_is_replaced_whole_and_only_where_it_is_ours(tmp_path):
    folder = tmp_path / "graph"
    write_graph(graph_with(TABLES["dense"]), folder)
    other = Graph.from_edges(np.array([[0, 1]]), 2)
    write_graph(other, folder)
    assert read_graph(folder).content_hash == other.content_hash
    assert list(tmp_path.iterdir()) == [folder]
    written(folder / "thesis.tex", "precious")
    with pytest.raises(DataError, match="holds other files"):
        write_graph(other, folder)
    assert (folder / "thesis.tex").exists()


def test_write__files_and_folders_never_replace_each_other(tmp_path):
    (tmp_path / "g.npz").mkdir()
    written(tmp_path / "graph", "a file")
    for name in ("g.npz", "graph"):
        with pytest.raises(DataError):
            write_graph(graph_with(), tmp_path / name)
    assert (tmp_path / "graph").read_text() == "a file"


@pytest.mark.parametrize("name", ["", "a\0b", "\ud800"])
def test_write__names_that_no_reader_would_give_back_are_refused(tmp_path, name):
    graph = Graph.from_edges(np.array([[0, 1]]), 2, node_names=["a", name])
    for file in ("folder", "g.npz", "g.gml"):
        with pytest.raises(DataError, match="cannot be written"):
            write_graph(graph, tmp_path / file)
    assert not list(tmp_path.iterdir())


def test_write__what_a_form_cannot_hold_is_refused(tmp_path):
    with pytest.raises(DataError, match="XML"):
        write_graph(graph_with(names=["a", "b", "c", "\x01"]), tmp_path / "g.graphml")
    with pytest.raises(DataError, match="'node'"):
        write_graph(graph_with(dense(), columns=["a", "b", "node"]), tmp_path / "folder")
    for file in ("g.pkl", "g.npz.gz", "g.parquet.gz"):
        with pytest.raises(DataError, match="cannot write this kind of file"):
            write_graph(graph_with(), tmp_path / file)
