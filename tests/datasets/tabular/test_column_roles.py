"""Columns of any name: named, usual, or the only ones that make sense; in files of any kind."""

import logging

import pytest

from garden.datasets.spec import load
from garden.datasets.tabular.column_roles import end_columns, name_column, usual_end_columns
from garden.datasets.tabular.table import (
    ColumnNames,
    Table,
)
from garden.errors import DataError, GardenError


def table(**columns):
    return Table("t.csv", {key: list(cells) for key, cells in columns.items()}, str)


def written(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("header", "places"),
    [
        (["source", "target"], (0, 1)),
        (["weight", "To", " FROM "], (2, 1)),
        (["id_1", "id_2"], (0, 1)),
        (["src", "dst", "w"], (0, 1)),
        (["from", "to", "source", "target"], (2, 3)),  # ours come first
        (["from", "to", "src", "dst"], None),
        (["a", "b"], None),
    ],
)
def test_column_roles__usual_names_are_known(header, places):
    assert usual_end_columns(header) == places


@pytest.mark.parametrize(
    ("columns", "chosen", "ends"),
    [
        ({"p": "ab", "q": "bc"}, {}, ("p", "q")),
        ({"p": "ab", "q": "bc"}, {"source": "q"}, ("q", "p")),
        ({"p": "ab", "q": "bc"}, {"target": "p"}, ("q", "p")),
        ({"p": "ab", "q": "bc", "weight": "12"}, {}, ("p", "q")),
        ({"p": "ab", "q": "bc", "share": [0.5, 1.5]}, {}, ("p", "q")),
        ({"p": "ab", "note": ["", "x"], "q": "bc"}, {}, ("p", "q")),
        ({"when": ["2020", "2021"], "p": "ab", "q": "bc"}, {}, ("p", "q")),
        ({"p": "ab", "q": "bc", "r": "ca"}, {"source": "r", "target": "q"}, ("r", "q")),
        ({"from": "ab", "to": "bc", "r": "ca"}, {"target": "to"}, ("from", "to")),
    ],
)
def test_column_roles__the_ends_are_found_where_one_reading_makes_sense(columns, chosen, ends):
    assert end_columns(table(**columns), ColumnNames(**chosen)) == ends


@pytest.mark.parametrize(
    ("columns", "chosen", "message"),
    [
        ({"p": "ab", "q": "bc", "r": "ca"}, {}, "which columns hold the two ends"),
        ({"p": "ab", "q": "bc", "r": "ca"}, {"source": "p"}, "which columns hold the two ends"),
        ({"p": "ab"}, {}, "there are p$"),
        ({"p": "ab", "q": "bc"}, {"source": "x"}, "no column 'x', as source_column says"),
        ({"p": "ab", "q": "bc"}, {"source": "p", "target": "p"}, "are both 'p'"),
        ({f"c{n}": "ab" for n in range(99)}, {}, "c11 and 87 more$"),
    ],
)
def test_column_roles__several_readings_are_refused_with_the_columns(columns, chosen, message):
    with pytest.raises(DataError, match=message):
        end_columns(table(**columns), ColumnNames(**chosen))


@pytest.mark.parametrize(
    ("columns", "key"),
    [
        ({"node": "xyz", "id": "abc"}, "node"),  # the documented name needs no proof
        ({"uid": "abc", "age": ["7", "8", "9"]}, "uid"),
        ({"uid": "abcd", "half": "abxy"}, "uid"),  # one holds all that edges use
        ({"id": "abc", "twin": "cab"}, "id"),
        ({"kind": "aab", "who": "abc"}, "who"),
        ({"who": "xyz"}, "who"),
    ],
)
def test_column_roles__the_column_that_names_nodes_is_found(columns, key):
    assert name_column(table(**columns), "abc", ColumnNames()) == key


def test_column_roles__two_columns_that_could_name_nodes_are_refused():
    with pytest.raises(DataError, match=r"which column names the nodes.*there are p, q"):
        name_column(table(p="abc", q="cab"), "abc", ColumnNames())


FRIENDS = "when,who,whom\n2020,ann,bob\n2021,bob,eve\n2022,eve,dan\n"
PEOPLE = "uid,age,kind\nann,30,cat\nbob,40,dog\neve,50,cat\ndan,,dog\n"


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("g.csv", FRIENDS),
        ("g.tsv", FRIENDS.replace(",", "\t")),
        ("g.csv", "# exported\n" + FRIENDS),
        ("g.csv", FRIENDS.replace(",", ";")),
        ("g.csv", FRIENDS.replace("when", "a,b,c,when").replace("\n20", "\n0.5,x,,20")),
    ],
)
def test_column_roles__a_lone_csv_has_columns_of_any_name(tmp_path, file, text):
    path = written(tmp_path / file, text)
    named = load(path, source_column="who", target_column="whom")
    assert named.node_names == ("ann", "bob", "eve", "dan")
    assert load(path).content_hash == named.content_hash


def test_column_roles__a_lone_parquet_is_an_edge_list(tmp_path):
    pd = pytest.importorskip("pandas", reason="pandas is absent")
    pytest.importorskip("pyarrow", reason="pyarrow is absent")
    pd.read_csv(written(tmp_path / "g.csv", FRIENDS)).to_parquet(tmp_path / "g.parquet")
    graph = load(tmp_path / "g.parquet")
    assert graph.content_hash == load(tmp_path / "g.csv").content_hash
    named = load(tmp_path / "g.parquet", source_column="who", target_column="whom")
    assert named.content_hash == graph.content_hash
    with pytest.raises(DataError, match="no column 'x', as source_column says"):
        load(tmp_path / "g.parquet", source_column="x")


def test_column_roles__a_parquet_index_names_the_nodes(tmp_path):
    pd = pytest.importorskip("pandas", reason="pandas is absent")
    pytest.importorskip("pyarrow", reason="pyarrow is absent")
    pd.read_csv(written(tmp_path / "e.csv", FRIENDS)).to_parquet(tmp_path / "edges.parquet")
    people = pd.read_csv(written(tmp_path / "n.csv", PEOPLE), index_col="uid")
    people.to_parquet(tmp_path / "nodes.parquet")
    graph = load(tmp_path)
    assert graph.node_names == ("ann", "bob", "eve", "dan")
    assert graph.attribute_names == ("age", "kind=cat", "kind=dog")


def test_column_roles__a_folder_has_columns_of_any_name(tmp_path):
    written(tmp_path / "edges.csv", FRIENDS)
    written(tmp_path / "nodes.csv", PEOPLE)
    graph = load(tmp_path)
    assert graph.node_names == ("ann", "bob", "eve", "dan")
    assert graph.attribute_names == ("age", "kind=cat", "kind=dog")
    columns = {"source_column": "whom", "target_column": "who", "node_column": "uid"}
    assert load(tmp_path, **columns).content_hash == graph.content_hash


def test_column_roles__two_files_go_like_two_frames(tmp_path):
    edges, nodes = written(tmp_path / "e.csv", FRIENDS), written(tmp_path / "n.csv", PEOPLE)
    written(tmp_path / "both" / "edges.csv", FRIENDS)
    written(tmp_path / "both" / "nodes.csv", PEOPLE)
    assert load(edges, nodes).content_hash == load(tmp_path / "both").content_hash
    assert load(str(edges), str(nodes)).name == str(edges)


def test_column_roles__a_header_of_other_words_above_text_is_known_by_another_column(
    tmp_path, caplog
):
    caplog.set_level(logging.INFO, "garden")
    path = written(tmp_path / "g.csv", "person,friend,strength\nann,bob,2\nbob,eve,3\n")
    assert load(path).node_names == ("ann", "bob", "eve")
    assert "taken for a header" in caplog.text


BAD = {
    "wrong name": (FRIENDS, {"source_column": "hwo"}, "no column 'hwo', as source_column says"),
    "no header": ("a b\nb c\n", {"source_column": "x"}, "no column 'x'"),
    "node column": (FRIENDS, {"node_column": "who"}, "node_column goes with a table of nodes"),
    "header alone": ("source,target\n", {}, "only a header"),
    "twice": ("source,target,x,x\na,b,1,2\n", {}, "the column 'x' is empty or stands twice"),
    "NaN id": ("source,target\na,b\nb,NaN\n", {}, r"line 3: an empty node name in column 'target'"),
    "several": ("p,q,r\n1,2,3\n2,3,1\n", {}, "which columns hold the two ends"),
    "one node": ("a,a\n", {}, "0 edges"),
}


@pytest.mark.parametrize("case", list(BAD))
def test_column_roles__wrong_use_of_a_file_is_told_in_one_line(tmp_path, case):
    text, columns, message = BAD[case]
    path = written(tmp_path / "g.csv", text)
    with pytest.raises(GardenError, match=message) as caught:
        load(path, **columns)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("source", ["facebook:414", "kaiser-hilgetag:n=20"])
def test_column_roles__columns_do_not_go_with_graphs_by_name(source):
    with pytest.raises(GardenError, match="node_column goes with tables only"):
        load(source, node_column="x")
