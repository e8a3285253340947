"""The paths that graphs of a million nodes take, at 20,000 nodes: lazy, mapped, by blocks."""

from itertools import pairwise

import numpy as np
import pytest

import garden
from garden.datasets.files import write_graph
from garden.datasets.graph_summary import graph_statistics
from garden.datasets.task import SearchTask
from garden.graphs.distances import distances
from garden.search.config import EvaluationConfig

SPEC = "power-law:n=20000,degree=8,attributes=32,kind=binary,blocks=20,homophily=0.7,seed=0"
PAIRS = 20


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large")
    graph = garden.load(SPEC)
    write_graph(graph, folder / "graph.npz", compress=False)
    write_graph(graph, folder / "graph.parquet")
    return folder


@pytest.fixture(scope="module")
def graph(folder):
    return garden.load(folder / "graph.npz")


def is_mapped(array):
    while array is not None and not isinstance(array, np.memmap):
        array = getattr(array, "base", None)
    return array is not None


def test_scale__a_stored_graph_is_mapped_and_tables_give_the_same_one(graph, folder):
    assert is_mapped(graph.indices)
    assert is_mapped(graph.attributes)
    assert graph == garden.load(folder / "graph.parquet") == garden.load(SPEC)


def test_scale__statistics_sample_their_sources(graph):
    statistics = graph_statistics(graph)
    assert statistics["distance_sources"] < graph.num_nodes
    low, high = statistics["mean_distance_ci"]
    assert 2 < low <= statistics["mean_distance"] <= high < 8


def test_scale__walks_represent_only_what_they_meet_and_beacons_come_near_the_shortest(graph):
    config = EvaluationConfig(pairs=PAIRS, episodes_per_pair=1)
    names = ["bidirectional+visited", "universal+backtrack", "beacons+backtrack"]
    report = garden.evaluate(SearchTask.split(graph), names, config=config, cache=False)
    entries = {entry["name"]: entry for entry in report.to_json()["strategies"]}
    assert {entry["evaluation"] for entry in entries.values()} == {"sampled"}
    assert entries["universal"]["represented_nodes"] < graph.num_nodes
    assert 1 <= entries["beacons"]["oracle_ratio"] < 1.3


def test_scale__a_message_arrives_over_links(graph):
    source, target = graph.node_names[17], graph.node_names[12_345]
    walk = garden.route(graph, "universal+backtrack", source=source, target=target)
    steps = [graph.position(name) for name in walk.path]
    assert all(b in graph.neighbours(a) for a, b in pairwise(steps))
    shortest = int(distances(graph, np.array([12_345]))[0, 17])
    assert len(steps) - 1 >= shortest
