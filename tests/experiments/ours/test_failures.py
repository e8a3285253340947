import numpy as np

from garden.experiments.ours import failures
from garden.experiments.ours.failures import FailureReport, profile_classes, traits_of
from garden.experiments.run.config import Scope
from garden.experiments.run.policy_cache import PolicyCache, graph_of
from garden.graphs.graph import Graph
from garden.training.config import TrainingOptions
from small_work import GRAPH


def test_failures__a_real_report_names_its_worst_target(tmp_path):
    report = FailureReport(GRAPH, 0, TrainingOptions(updates=3))
    result = report.perform(PolicyCache(tmp_path, "cpu"))
    graph = graph_of(GRAPH)
    worst = max(result["targets"], key=lambda one: one["ratio"])
    assert worst["node"] == graph.node_names[result["trip_target"]]
    assert worst["degree"] == len(graph.neighbours(result["trip_target"]))
    assert all(one["ratio"] >= 1 for one in result["targets"])
    for a, b in zip(result["trip"], result["trip"][1:], strict=False):
        assert b in graph.neighbours(a)
    assert report.key != FailureReport(GRAPH, 0, TrainingOptions(updates=4)).key


def test_failures__traits_count_shared_profiles():
    graph = Graph.from_edges(
        np.array([[0, 1], [1, 2], [1, 3], [3, 4]]), 5, np.array([[1], [2], [2], [1], [9]])
    )
    classes = profile_classes(graph)
    assert classes.tolist() == [2, 2, 2, 2, 1]
    assert traits_of(graph, classes, 4) == {
        "node": "4",
        "degree": 1,
        "same_profile": 1,
        "rarest_neighbour_profile": 2,
        "max_neighbour_degree": 2,
    }


def test_failures__the_report_says_where_hops_are_lost(tmp_path, monkeypatch):
    monkeypatch.setattr(failures, "graph_of", lambda spec: graph_of(GRAPH))

    def target(ratio, degree, rarest):
        return {
            "node": "7",
            "ratio": ratio,
            "degree": degree,
            "same_profile": 1,
            "rarest_neighbour_profile": rarest,
            "max_neighbour_degree": 9,
        }

    trip = [0, int(graph_of(GRAPH).neighbours(0)[0])]
    result = {
        "targets": [target(9.0, 1, 28), target(1.5, 1, 1), target(1.0, 12, 1)],
        "trip": trip,
        "trip_target": trip[-1],
    }
    section = failures.report(Scope(graphs=("414", "0")), lambda work: result, tmp_path)
    worst, traits = section.tables
    assert worst.rows[0][:4] == ("G1", "7", "9.00", "1")
    assert traits.rows[0] == (failures.HARDEST, "20", "9.000", "9.00", "94 %", "0")
    assert traits.rows[2] == ("2 or 3 neighbours", "0", "–", "–", "0 %", "0")
    assert traits.rows[-1][:2] == ("any neighbours", "60")
    (claim,) = section.claims
    assert claim.holds_on == ("one neighbour, of a profile of its own", "10 neighbours or more")
    assert "delivered after 1 hop" in (tmp_path / "failures.svg").read_text()


def test_failures__nothing_lost_is_no_division_by_nought(tmp_path, monkeypatch):
    monkeypatch.setattr(failures, "graph_of", lambda spec: graph_of(GRAPH))
    perfect = {
        "node": "7",
        "ratio": 1.0,
        "degree": 3,
        "same_profile": 1,
        "rarest_neighbour_profile": 1,
        "max_neighbour_degree": 9,
    }
    result = {"targets": [perfect], "trip": [0], "trip_target": 0}
    section = failures.report(Scope(graphs=("414",)), lambda work: result, tmp_path)
    assert section.tables[1].rows[-1] == ("any neighbours", "10", "1.000", "1.00", "–", "10")


def test_scope__quick_plays_two_seeds_of_the_unopened_ones():
    assert {work.seed for work in failures.works(Scope(quick=True))} == {20, 21}
