from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.errors import DataError
from garden.graphs.graph import Graph
from garden.plots.layout import MAX_DRAWN, drawn_nodes
from garden.plots.walk import draw_walk, picture_format

GRAPH = kaiser_hilgetag(n=30, beta=1, seed=0)
OPENINGS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


def trip_of(graph, hops):
    nodes = [0]
    for _ in range(hops):
        nodes.append(int(graph.neighbours(nodes[-1])[-1]))
    return nodes


@pytest.mark.parametrize("kind", OPENINGS)
def test_draw_walk__writes_the_format_of_the_suffix(tmp_path, kind):
    path = tmp_path / f"trip.{kind}"
    draw_walk(GRAPH, trip_of(GRAPH, 3), 7, path)
    assert path.read_bytes().startswith(OPENINGS[kind])


def test_draw_walk__names_the_ends_and_the_fate():
    nodes = trip_of(GRAPH, 3)
    assert "not delivered after 3 hops" in draw_walk(GRAPH, nodes, 7).axes[0].get_title()
    assert "delivered after 3 hops" in draw_walk(GRAPH, nodes, nodes[-1]).axes[0].get_title()


def test_draw_walk__of_a_large_graph_only_the_surroundings_are_drawn():
    edges = np.array(nx.barabasi_albert_graph(5000, 3, seed=0).edges)
    graph = Graph.from_edges(edges, 5000)
    nodes = trip_of(graph, 4)
    chosen = drawn_nodes(graph, nodes, 4999)
    assert {*nodes, 4999} <= set(chosen.tolist())
    assert len(chosen) <= 2 * MAX_DRAWN
    figure = draw_walk(graph, nodes, 4999)
    assert len(figure.axes[0].collections[1].get_offsets()) == len(chosen)


def test_picture_format__unknown_suffixes_are_refused():
    assert picture_format(Path("trip.PNG")) == picture_format(Path("trip")) == "png"
    with pytest.raises(DataError, match=r"trip\.xyz: unknown kind of picture: use \.png"):
        picture_format(Path("trip.xyz"))
