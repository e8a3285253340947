from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from matplotlib.figure import Figure

from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.errors import DataError
from garden.graphs.graph import Graph
from garden.plots.figures import picture_format
from garden.plots.layout import MAX_DRAWN, drawn_nodes
from garden.plots.walk import draw_walk

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
    names = GRAPH.node_names
    lost = draw_walk(GRAPH, nodes, 7).axes[0].get_title()
    arrived = draw_walk(GRAPH, nodes, nodes[-1]).axes[0].get_title()
    assert lost.endswith(f"{names[0]} → {names[7]}, not delivered after 3 hops")
    assert arrived.endswith(f"{names[0]} → {names[nodes[-1]]}, delivered after 3 hops")


def points_in(axes):
    """The points of each scatter of the axes, as sets of coordinates."""
    return [{tuple(point) for point in drawn.get_offsets().tolist()} for drawn in axes.collections]


def test_draw_walk__of_a_large_graph_only_the_surroundings_are_drawn():
    edges = np.array(nx.barabasi_albert_graph(5000, 3, seed=0).edges)
    graph = Graph.from_edges(edges, 5000)
    nodes = trip_of(graph, 4)
    chosen = drawn_nodes(graph, nodes, 4999)
    assert {*nodes, 4999} <= set(chosen.tolist())
    assert len(chosen) <= 2 * MAX_DRAWN
    drawn = draw_walk(graph, nodes, 4999).axes[0]
    assert max(map(len, points_in(drawn))) == len(chosen)


def test_picture_format__unknown_suffixes_are_refused():
    assert picture_format(Path("trip.PNG")) == picture_format(Path("trip")) == "png"
    with pytest.raises(DataError, match=r"trip\.xyz: unknown kind of picture: use \.png"):
        picture_format(Path("trip.xyz"))


def names_in(axes):
    return {text.get_text() for text in axes.texts}


def dense_graph():
    edges = np.array(nx.gnm_random_graph(60, 600, seed=1).edges)
    return Graph.from_edges(edges, 60, node_names=[f"p{node}" for node in range(60)])


def test_draw_walk__the_nodes_on_the_way_and_the_target_are_named():
    nodes = trip_of(GRAPH, 3)
    names = names_in(draw_walk(GRAPH, nodes, 7).axes[0])
    assert {GRAPH.node_names[node] for node in [*nodes, 7]} <= names


def test_draw_walk__of_a_dense_graph_the_trip_alone_at_its_distances():
    graph = dense_graph()
    nodes = trip_of(graph, 3)
    axes = draw_walk(graph, nodes, 59).axes[0]
    assert axes.get_ylabel() == "distance to the target"
    assert {graph.node_names[node] for node in [*nodes, 59]} <= names_in(axes)
    hops = nx.single_source_shortest_path_length(nx.from_edgelist(graph.edges().tolist()), 59)
    assert {(hop, hops[node]) for hop, node in enumerate(nodes)} in points_in(axes)


@pytest.mark.parametrize(("view", "label"), [("graph", ""), ("trip", "distance to the target")])
def test_draw_walk__takes_the_view_that_is_asked_for(view, label):
    for graph in (GRAPH, dense_graph()):
        assert draw_walk(graph, trip_of(graph, 3), 7, view=view).axes[0].get_ylabel() == label


def test_draw_walk__of_a_long_trip_only_as_many_names_as_can_be_read():
    nodes = trip_of(GRAPH, 200)
    axes = draw_walk(GRAPH, nodes, 7, view="trip").axes[0]
    assert 2 <= len(axes.texts) <= 62


def test_draw_walk__draws_on_the_axes_that_it_is_given():
    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert draw_walk(GRAPH, trip_of(GRAPH, 3), 7, axes=right) is figure
    assert right.get_title()
    assert not left.get_title()


@pytest.mark.parametrize("view", ["graph", "trip"])
def test_draw_walk__names_are_text_whatever_they_hold(tmp_path, view):
    names = [f"${node}^_{{\n" for node in range(30)]
    graph = replace(GRAPH, node_names=tuple(names), name="$\\frac\n" * 20)
    axes = draw_walk(graph, trip_of(graph, 3), 7, tmp_path / "trip.png", view=view).axes[0]
    assert (tmp_path / "trip.png").read_bytes().startswith(OPENINGS["png"])
    assert any(text.startswith("$") for text in names_in(axes))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"axes": 42}, "`ax` is 42, of type int: give matplotlib axes"),
        ({"view": "globe"}, "unknown view 'globe': choose from auto, graph, trip"),
        ({"path": 42}, "`path` is 42, of type int: give a path"),
    ],
)
def test_draw_walk__wrong_arguments_are_refused_in_one_line(wrong, message):
    with pytest.raises(TypeError, match=message):
        draw_walk(GRAPH, trip_of(GRAPH, 3), 7, **wrong)
