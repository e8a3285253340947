import gzip
import random

import numpy as np
import pandas
import pytest

import garden
from garden.datasets.files import read_graph, write_graph
from garden.datasets.tabular import arrow_columns, csv_blocks, table
from garden.errors import DataError

NODES = "node,kind,age,weight,flag\nb,red, 1,0.25,true\na,blue,2,,false\nc,red,NaN,1e-3,TRUE\n"
EDGES = {
    "plain": "source,target\na,b\nb,c\nd,a\n",
    "blanks": "source,target\n a , b\nb,c \nd,a\n",
    "returns": "source,target\r\na,b\r\nb,c\r\nd,a\r\n",
    "no line end": "source,target\na,b\nb,c\nd,a",
    "comments": "# made\nsource,target\na,b\n# half\n\nb,c\nd,a\n",
    "quotes": 'source,target\n"a",b\nb,"c"\nd,a\n',
    "a quoted line end": 'source,target\na,b\nb,"c\nc"\nd,a\n',
    "a header of numbers": "1,2\n2,3\n4,1\n",
    "words above numbers": "one,two\n2,3\n4,2\n",
    "weights": "source,target,weight\na,b,0.5\nb,c,2\nd,a,1\n",
    "letters beyond ASCII": "source,target\nä,b\nb,ß\nd,ä\n",
}
LISTS = {
    "blanks": "a b\nb c\nd a\n",
    "tabs": "a\tb\nb\tc\nd\ta\n",
    "both": "a b\nb\tc\nd  a\n",
    "indented": "% made\n  a b\nb c \nd a\n",
    "networkx": "a b {}\nb c {'w': 1}\nd a {}\n",
    "three": "a b 1\nb c 2\nd a 3\n",
}


@pytest.fixture(params=[24, 1 << 20], ids=["small blocks", "one block"])
def by_blocks(request, monkeypatch):
    """Calling it has text files read by blocks from then on."""

    def switch():
        monkeypatch.setattr(table, "LARGE_BYTES", 0)
        monkeypatch.setattr(csv_blocks, "BLOCK_BYTES", request.param)

    return switch


def same(first, second):
    assert first == second
    assert first.node_names == second.node_names


@pytest.mark.parametrize("text", EDGES.values(), ids=EDGES)
def test_blocks__give_the_graph_that_lines_give_for_csv(text, tmp_path, by_blocks):
    path = tmp_path / "g.csv"
    path.write_text(text)
    by_line = read_graph(path)
    by_blocks()
    same(by_line, read_graph(path))


@pytest.mark.parametrize("text", LISTS.values(), ids=LISTS)
def test_blocks__give_the_graph_that_lines_give_for_edge_lists(text, tmp_path, by_blocks):
    path = tmp_path / "g.txt.gz"
    path.write_bytes(gzip.compress(text.encode()))
    by_line = read_graph(path)
    by_blocks()
    same(by_line, read_graph(path))


def test_blocks__give_the_same_attributes_and_scaling(tmp_path, by_blocks):
    (tmp_path / "edges.csv").write_text(EDGES["plain"])
    (tmp_path / "nodes.csv").write_text(NODES)
    by_line = garden.load(tmp_path)
    by_blocks()
    same(by_line, garden.load(tmp_path))


def test_blocks__keep_names_such_as_007_apart_from_7(tmp_path, by_blocks):
    (tmp_path / "g.csv").write_text("source,target\n007,7\n7,8\n")
    by_blocks()
    assert read_graph(tmp_path / "g.csv").node_names == ("007", "7", "8")


@pytest.mark.parametrize("stray", ["x", "x,y,z", "", "x,", '"x', "x,\0", "x,\udcff"])
def test_blocks__name_the_line_that_is_wrong_as_reading_by_line_does(stray, tmp_path, by_blocks):
    lines = ["source,target", *(f"{i},{i + 1}" for i in range(50)), stray, "5,7"]
    (tmp_path / "g.csv").write_text("\n".join(lines), errors="surrogateescape")

    def told():
        try:
            return str(read_graph(tmp_path / "g.csv"))
        except DataError as error:
            return str(error)

    by_line = told()
    by_blocks()
    assert told() == by_line
    assert stray == "" or "line 52" in by_line


def test_blocks__number_lines_below_comments_and_blank_lines(tmp_path, by_blocks):
    lines = ["source,target", "a,b", "", "# c,d", "b,c", " , ", "c,d"]
    (tmp_path / "g.csv").write_text("\n".join(lines))
    by_blocks()
    with pytest.raises(DataError, match="line 6: an empty node name"):
        read_graph(tmp_path / "g.csv")


def test_blocks__a_file_of_20_000_nodes_reads_the_same(tmp_path, monkeypatch):
    write_graph(garden.load("power-law:n=20000,degree=4"), tmp_path / "g")
    by_line = garden.load(tmp_path / "g")
    monkeypatch.setattr(table, "LARGE_BYTES", 0)
    same(by_line, garden.load(tmp_path / "g"))


def test_parquet__columns_of_arrow_give_the_graph_that_pandas_gives(tmp_path, monkeypatch):
    rng = random.Random(0)
    names = [str(i) for i in range(40)]
    nodes = {
        "node": names,
        "whole": pandas.array([None if i % 7 == 0 else i for i in range(40)], "Int64"),
        "real": np.where(np.arange(40) % 5, np.arange(40) / 7, np.nan),
        "yes": [i % 3 == 0 for i in range(40)],
        "kind": [rng.choice(["red", "blue", ""]) for _ in names],
    }
    edges = {"source": names, "target": names[1:] + names[:1]}
    pandas.DataFrame(nodes).to_parquet(tmp_path / "nodes.parquet")
    pandas.DataFrame(edges).to_parquet(tmp_path / "edges.parquet")
    by_arrow = garden.load(tmp_path)
    monkeypatch.setattr(arrow_columns, "simple_columns", lambda path: None)
    same(by_arrow, garden.load(tmp_path))


def test_parquet__whole_numbers_name_the_nodes_and_rows_are_told(tmp_path):
    pandas.DataFrame({"source": [10, 20], "target": [20, 30]}).to_parquet(tmp_path / "a.parquet")
    assert read_graph(tmp_path / "a.parquet").node_names == ("10", "20", "30")
    broken = pandas.DataFrame({"source": ["a", None], "target": ["b", "c"]})
    broken.to_parquet(tmp_path / "b.parquet")
    with pytest.raises(DataError, match="row 1: an empty node name in column 'source'"):
        read_graph(tmp_path / "b.parquet")
