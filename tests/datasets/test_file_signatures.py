import gzip
import json

import networkx as nx
import pytest

from garden.datasets.spec import load
from garden.errors import DataError

OTHERS = {
    "g.png": (b"\x89PNG\r\n\x1a\n\0\0", "a PNG image"),
    "g.csv": (b"\x89PNG\r\n\x1a\n\0\0", "a PNG image"),
    "g.pdf": (b"%PDF-1.7\n1 0 obj\n", "a PDF document"),
    "g.xlsx": (b"PK\x03\x04\x14\0\x06\0", "an Excel workbook"),
    "g.txt": (b"PK\x03\x04\x14\0\x06\0", "a zip archive or an Office document"),
    "g.pkl": (b"\x80\x04\x95\0\0", "a pickle"),
    "g.h5": (b"\x89HDF\r\n", "an HDF5 file"),
    "g.db": (b"SQLite format 3\0", "an SQLite database"),
    "g.dat": (bytes(range(256)), "binary data"),
    "g.bin": (b"\xff\xfe\xfd" * 9, "binary data"),
    "page.csv": (b"<!DOCTYPE html><html>", "a web page"),
    "h.txt": (b'{"nodes": []}', "JSON: let its name end in .json"),
    "i.txt": (b"PAR1xxxx", "a Parquet file: let its name end in .parquet"),
    "j.csv": (gzip.compress(b"a,b\n", mtime=0), "a gzip file: let its name end in .gz"),
    "k.csv.gz": (gzip.compress(b"%PDF-1.7\n", mtime=0), "a PDF document"),
    "notes.md": (b"These are notes,\nand no graph\n", "no edge list: line 2"),
    "code.py": (b"import garden\n\nprint(garden)\n", "no edge list: line 3"),
}


@pytest.mark.parametrize("name", list(OTHERS))
def test_signatures__a_file_of_another_kind_is_named_beside_the_known_kinds(tmp_path, name):
    content, kind = OTHERS[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError) as caught:
        load(tmp_path / name)
    message = str(caught.value)
    assert f"{tmp_path / name}: an unknown kind of file ({kind}" in message
    for known in (".graphml", ".gexf", ".json", ".npz", ".parquet", "MUSAE"):
        assert known in message
    assert "CSV" not in message
    assert "\n" not in message


@pytest.mark.parametrize("name", ["g", "g.dat", "g.links", "g.mtx2"])
def test_signatures__an_edge_list_under_any_name_is_read(tmp_path, name):
    (tmp_path / name).write_text("a b\nb c\n")
    assert load(tmp_path / name).num_edges == 2


def test_gexf__labels_name_nodes_and_what_a_viewer_keeps_is_passed_over(tmp_path):
    text = """<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2"
      xmlns:viz="http://www.gexf.net/1.2draft/viz">
      <graph defaultedgetype="directed"><attributes class="node">
        <attribute id="0" title="age" type="integer"/></attributes>
      <nodes>
        <node id="7" label="ann"><attvalues><attvalue for="0" value="3"/></attvalues>
          <viz:size value="2.0"/><viz:color r="1" g="2" b="3"/></node>
        <node id="9" label="bob"/>
      </nodes>
      <edges><edge id="0" source="7" target="9" weight="2.5"/></edges></graph></gexf>"""
    (tmp_path / "g.gexf").write_text(text)
    graph = load(tmp_path / "g.gexf", scale=False)
    assert graph.node_names == ("ann", "bob")
    assert graph.attribute_names == ("age",)
    assert graph.attributes.tolist() == [[3], [0]]


def test_gexf__gzipped_files_are_read_and_damaged_ones_refused(tmp_path):
    nx.write_gexf(nx.path_graph(3), tmp_path / "g.gexf")
    packed = gzip.compress((tmp_path / "g.gexf").read_bytes(), mtime=0)
    (tmp_path / "g.gexf.gz").write_bytes(packed)
    assert load(tmp_path / "g.gexf.gz").num_edges == 2
    (tmp_path / "g.gexf.gz").write_bytes(packed[:-20])
    for name, content in {"g.gexf.gz": packed[:-20], "h.gexf": b"", "i.gexf": b"<gexf>"}.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(DataError, match=rf"{name}: (cannot be read as GEXF|damaged gzip)"):
            load(tmp_path / name)


@pytest.mark.parametrize("edges", ["links", "edges"])
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiDiGraph])
def test_json__what_networkx_writes_is_read(tmp_path, edges, kind):
    nx_graph = kind([("a", "b"), ("b", "c")])
    nx_graph.nodes["a"]["age"] = 3
    nx_graph.nodes["b"]["place"] = [1.0, 2.0]
    (tmp_path / "g.json").write_text(json.dumps(nx.node_link_data(nx_graph, edges=edges)))
    assert load(tmp_path / "g.json").content_hash == load(nx_graph).content_hash


def test_json__links_may_name_nodes_by_position(tmp_path):
    content = {"nodes": [{"group": 1}, {"group": 2}], "links": [{"source": 0, "target": 1}]}
    (tmp_path / "g.json").write_text(json.dumps(content))
    graph = load(tmp_path / "g.json", scale=False)
    assert graph.node_names == ("0", "1")
    assert graph.attributes.tolist() == [[1], [2]]


def test_json__keys_can_be_named(tmp_path):
    nodes = [{"id": 1, "who": "ann"}, {"id": 2, "who": "bob"}]
    links = [{"p": "ann", "q": "bob", "r": "ann", "weight": 2}]
    (tmp_path / "g.json").write_text(json.dumps({"nodes": nodes, "links": links}))
    columns = {"source_column": "p", "target_column": "q", "node_column": "who"}
    assert load(tmp_path / "g.json", **columns).node_names == ("ann", "bob")


BAD_JSON = {
    "": "broken JSON",
    "{": "broken JSON",
    "[" * 100_000: "broken JSON",
    "[]": "expected node-link JSON",
    "3": "expected node-link JSON",
    '{"a": 1}': "no list of objects under 'nodes'",
    '{"nodes": [1], "links": []}': "no list of objects under 'nodes'",
    '{"nodes": []}': "no list of objects under 'edges'",
    '{"nodes": [], "links": []}': "no nodes and no edges",
    '{"nodes": [{"id": 1}], "links": []}': "0 edges",
    '{"nodes": [{"id": 1}, {"id": 1}], "links": []}': r"nodes\[1\]: node '1' stands twice",
    '{"nodes": [{"id": null}], "links": []}': r"nodes\[0\]: an empty node name",
    '{"nodes": [{"id": 1}, {"id": 2, "a": {}}], "links": [{"source": 1, "target": 2}]}': "'a'",
    '{"nodes": [{"id": 1, "a": Infinity}], "links": [{"source": 1, "target": 2}]}': "not a finite",
    '{"nodes": [{"id": 1}], "links": [{"source": 1}]}': "which columns hold the two ends",
    '{"nodes": [{"id": 1}], "links": [{"source": 1, "target": [2]}]}': "no node name",
}


@pytest.mark.parametrize("text", list(BAD_JSON), ids=lambda text: text[:60])
def test_json__bad_input_is_refused_in_one_line(tmp_path, text):
    (tmp_path / "g.json").write_text(text)
    with pytest.raises(Exception, match=BAD_JSON[text]) as caught:
        load(tmp_path / "g.json")
    assert caught.type.__module__.startswith("garden.")
    assert str(tmp_path / "g.json") in str(caught.value)
    assert "\n" not in str(caught.value)
