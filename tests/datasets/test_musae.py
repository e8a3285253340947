import json
import logging

import pytest
import scipy.sparse as sp

from garden.datasets.musae import find_musae, read_musae
from garden.datasets.snap import load_public_graph
from garden.errors import DataError, SpecError


@pytest.mark.parametrize(
    ("country", "nodes", "edges"), [("PTBR", 1912, 31299), ("RU", 4385, 37304), ("ES", 4648, 59382)]
)
def test_twitch__countries_have_their_known_sizes(real_data, country, nodes, edges):
    graph = load_public_graph("twitch", country, folder=real_data / "twitch")
    assert (graph.num_nodes, graph.num_edges, graph.num_attributes) == (nodes, edges, 3170)
    assert graph.largest_component().num_nodes == nodes
    assert isinstance(graph.attributes, sp.csr_array)
    assert set(graph.attributes.data.tolist()) == {1.0}
    assert graph.node_names == tuple(str(node) for node in range(nodes))


def test_musae_facebook__pages_have_their_known_size(real_data):
    graph = load_public_graph("musae-facebook", "facebook")
    assert (graph.num_nodes, graph.num_edges, graph.num_attributes) == (22470, 170823, 4714)


def test_twitch__an_unknown_country_is_refused():
    with pytest.raises(SpecError, match="twitch:XX: no such graph: twitch has PTBR, RU, ES"):
        load_public_graph("twitch", "XX")


EDGES = "from,to\n3,10\n10,2\n"
FEATURES = {"10": [4, 0, 4], "2": [], "3": [1]}


@pytest.fixture
def musae(tmp_path):
    def write(edges=EDGES, features=FEATURES):
        text = features if isinstance(features, str) else json.dumps(features)
        (tmp_path / "XX_edges.csv").write_text(edges)
        (tmp_path / "XX.json").write_text(text)
        return tmp_path / "XX_edges.csv", tmp_path / "XX.json"

    return write


def test_musae__nodes_stand_in_ascending_order_with_ones_at_their_indices(musae):
    graph = read_musae(*musae(), width=5)
    assert graph.node_names == ("2", "3", "10")
    assert graph.edges().tolist() == [[0, 2], [1, 2]]
    assert graph.attributes.toarray().tolist() == [[0] * 5, [0, 1, 0, 0, 0], [1, 0, 0, 0, 1]]
    assert graph.attribute_names == ("x0", "x1", "x2", "x3", "x4")


def test_musae__unlisted_nodes_are_zeros_with_a_counted_warning(musae, caplog):
    with caplog.at_level(logging.WARNING, "garden"):
        graph = read_musae(*musae(features={"10": [1], "99": [2]}), width=5)
    assert graph.node_names == ("2", "3", "10", "99")
    assert "2 of 4 nodes are not in it" in caplog.text


@pytest.mark.parametrize(
    "names",
    [
        ("ES_edges.csv", "ES.json"),
        ("musae_ES_edges.csv", "musae_ES_features.json"),
        ("ES/musae_ES_edges.csv", "ES/musae_ES_features.json"),
        ("ES/ES_edges.csv", "ES/ES.json"),
    ],
)
def test_musae__both_naming_schemes_are_found(tmp_path, names):
    (tmp_path / "ES").mkdir()
    for name, text in zip(names, (EDGES, json.dumps(FEATURES)), strict=True):
        (tmp_path / name).write_text(text)
    assert find_musae(tmp_path, "ES") == (tmp_path / names[0], tmp_path / names[1])
    assert find_musae(tmp_path, "RU") is None
    assert load_public_graph("twitch", "ES", folder=tmp_path).num_nodes == 3
    with pytest.raises(DataError, match=r"no RU_edges\.csv"):
        load_public_graph("twitch", "RU", folder=tmp_path)


BAD = {
    "index too large": ({"features": {"2": [5]}}, r"XX\.json, node 2: 5 is not an attribute index"),
    "index negative": ({"features": {"2": [-1]}}, r"node 2: -1 is not an attribute index below 5"),
    "index a boolean": ({"features": {"2": [True]}}, "node 2: True is not"),
    "index a float": ({"features": {"2": [1.0]}}, "node 2: 1.0 is not"),
    "no list": ({"features": {"2": 3}}, "node 2: expected a list"),
    "nested object": ({"features": {"2": {"a": 1}}}, "node 2: "),
    "no object": ({"features": [[1, 2]]}, "expected an object"),
    "a number": ({"features": "7"}, "expected an object"),
    "no id": ({"features": {"two": [1]}}, "'two' is not an integer node id"),
    "same id": ({"features": '{"2": [], "2": []}'}, "node 2 stands twice"),
    "cut JSON": ({"features": '{"2": ['}, r"XX\.json: broken JSON"),
    "deep JSON": ({"features": "[" * 100_000}, r"XX\.json: broken JSON"),
    "no header": ({"edges": "1,2\n"}, r"XX_edges\.csv, line 1: expected the header"),
    "empty": ({"edges": ""}, r"XX_edges\.csv, line 1: expected the header"),
    "three columns": ({"edges": "from,to\n1,2,3\n"}, r"XX_edges\.csv, line 2: 3 columns"),
    "huge id": ({"edges": f"from,to\n1,{10**30}\n"}, "line 2: .* is not an integer node id"),
    "no nodes": ({"edges": "from,to\n", "features": {}}, "no nodes and no edges"),
}


@pytest.mark.parametrize("case", list(BAD))
def test_musae__bad_input_is_refused_by_file_and_place(musae, case):
    files, message = BAD[case]
    with pytest.raises(DataError, match=message) as caught:
        read_musae(*musae(**files), width=5)
    assert "\n" not in str(caught.value)
