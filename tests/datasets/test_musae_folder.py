import json
import logging

import pytest

from garden.datasets.spec import load
from garden.errors import DataError, GardenError

EDGES = "id_1,id_2\n3,10\n10,2\n"
FEATURES = {"10": [4, 0], "2": [], "3": [1]}


def publish(folder, stem="musae_git", features="musae_git_features.json", edges=EDGES):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{stem}_edges.csv").write_text(edges)
    (folder / features).write_text(json.dumps(FEATURES))
    return folder


@pytest.mark.parametrize(
    ("stem", "features"),
    [
        ("musae_git", "musae_git_features.json"),
        ("PTBR", "PTBR.json"),
        ("lastfm_asia", "lastfm_asia_features.json"),
    ],
)
def test_musae_folder__is_read_as_it_is_published(tmp_path, stem, features, caplog):
    caplog.set_level(logging.INFO, "garden")
    publish(tmp_path, stem, features)
    (tmp_path / f"{stem}_target.csv").write_text("id,target\n2,1\n")
    (tmp_path / "README.txt").write_text("about")
    graph = load(tmp_path)
    assert graph.name == str(tmp_path)
    assert graph.node_names == ("2", "3", "10")
    assert graph.num_attributes == (3170 if stem == "PTBR" else 5)
    assert graph.attributes[[2]].nonzero()[1].tolist() == [0, 4]
    assert "_target.csv are not taken for attributes" in caplog.text


@pytest.mark.parametrize("header", ["from,to", "id1,id2", "node_1,node_2"])
def test_musae_folder__knows_the_headers_in_circulation(tmp_path, header):
    publish(tmp_path, edges=EDGES.replace("id_1,id_2", header))
    assert load(tmp_path).num_edges == 2


def test_musae_folder__of_several_graphs_asks_which(tmp_path):
    publish(tmp_path, "ES", "ES.json")
    publish(tmp_path, "RU", "RU.json")
    with pytest.raises(DataError, match=r"several MUSAE graphs \(ES, RU\): name one, such as"):
        load(tmp_path)
    assert load(tmp_path / "RU").num_edges == 2
    with pytest.raises(DataError, match="no such file or folder"):
        load(tmp_path / "XX")


def test_musae_folder__the_real_one_is_the_named_graph(real_data):
    graph = load(real_data / "musae_facebook")
    assert graph.content_hash == load("musae-facebook").content_hash


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("musae_git_edges.csv", "", "expected the header"),
        ("musae_git_edges.csv", "id_1,id_2\na,b\n", "line 2: 'a' is not an integer node id"),
        ("musae_git_features.json", "[1]", "expected an object"),
        ("musae_git_features.json", '{"2": [99999999999]}', "is not an attribute index below"),
        ("musae_git_features.json", '{"2": 3}', "expected a list of indices"),
    ],
)
def test_musae_folder__bad_files_are_refused_by_name(tmp_path, file, content, message):
    publish(tmp_path)
    (tmp_path / file).write_text(content)
    with pytest.raises(GardenError, match=message) as caught:
        load(tmp_path)
    assert file in str(caught.value)


def test_musae_folder__losses_are_warnings_with_counts(tmp_path, caplog):
    publish(tmp_path, edges="id_1,id_2\n3,10\n10,3\n10,2\n2,2\n7,8\n")
    with caplog.at_level(logging.WARNING, "garden"):
        load(tmp_path)
    text = caplog.text
    for part in ("2 of 5 nodes are not in it", "1 self-loops", "2 of 3 links", "2 of 5 nodes and"):
        assert part in text
