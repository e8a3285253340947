"""Hosts killed for real, in small."""

import numpy as np
import pytest

import garden
from garden.errors import SpecError
from garden.experiments.peers.kill import _pairs, measure_kill
from garden.graphs.graph import Graph


def test_killed_hosts__leave_the_messages_of_living_peers_delivered():
    graph = garden.load("kaiser-hilgetag:n=24,beta=1,seed=0")
    report = measure_kill(graph, hosts=6, killed=1, messages=30, patience=1)
    assert (report.hosts, report.killed, report.messages) == (6, 1, 30)
    assert report.delivered + report.failed + report.unknown == 30
    assert (report.never_ended, report.ended_twice, report.handed_over_twice) == (0, 0, 0)
    assert report.delivered >= 27
    assert 0 < report.host_memory_mb[1] < 120


def test_kill__refuses_more_hosts_than_there_are():
    graph = garden.load("kaiser-hilgetag:n=24,beta=1,seed=0")
    for options in ({"hosts": 25}, {"hosts": 4, "killed": 4}, {"hosts": 0}):
        with pytest.raises(SpecError, match="choose fewer"):
            measure_kill(graph, **options)


def test_pairs__live_and_are_joined():
    edges = np.array([[0, 1], [1, 2], [2, 3]])
    path_graph = Graph.from_edges(edges, 4, np.eye(4, dtype=np.float32), name="path")
    rng = np.random.default_rng(0)
    living = np.array([0, 1, 3])  # 3 is cut off
    assert set(_pairs(path_graph, living, 20, rng)) == {(0, 1), (1, 0)}
