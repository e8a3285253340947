import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from small import GRAPH

from garden.experiments.ours import failures
from garden.experiments.ours import trellis_ablation as trellis
from garden.experiments.ours.failures import Autopsy, profile_classes, traits_of
from garden.experiments.run.config import Scope
from garden.experiments.run.policy_cache import Workbench, graph_of
from garden.graphs.graph import Graph
from garden.training.config import TrainingOptions


def fake_outcome(work, ratio_of):
    return {
        "targets": [0, 1],
        "entrants": {
            entrant.label: {
                "pairs": [3, 3],
                **dict.fromkeys(
                    ("ratio", "truncated", "wins", "hops"), [ratio_of(entrant.label)] * 2
                ),
            }
            for entrant in work.entrants
        },
    }


def test_trellis__every_variant_is_a_training_of_its_own():
    keys = {
        name: trellis.comparison("facebook:414", 20, [name], quick=False).entrants[0].strategy.key
        for name in trellis.variants()
    }
    assert len(set(keys.values())) == len(keys)


def test_trellis__findings_follow_the_results(tmp_path):
    def result_of(work):
        return fake_outcome(work, lambda label: 5.0 if label == "matching only" else 1.25)

    scope = Scope(graphs=("0",))
    section = trellis.report(scope, result_of, tmp_path)
    table = {row[0]: row[1] for row in section.tables[0].rows}
    assert table["matching only"] == "5.000 (5.000)"
    assert table["trellis, attributes as published"] == "1.250 (1.250)"
    assert "matching only (G4)" in section.findings[2]
    assert "position only (G4)" not in section.findings[2]
    seeds = {work.seed for work in trellis.works(scope)}
    assert seeds == {20, 21, 22}


def test_failures__a_real_autopsy_names_its_worst_target(tmp_path):
    autopsy = Autopsy(GRAPH, 0, TrainingOptions(updates=3))
    result = autopsy.perform(Workbench(tmp_path, "cpu"))
    graph = graph_of(GRAPH)
    worst = max(result["targets"], key=lambda one: one["ratio"])
    assert worst["node"] == graph.node_names[result["trip_target"]]
    assert worst["degree"] == len(graph.neighbours(result["trip_target"]))
    assert all(one["ratio"] >= 1 for one in result["targets"])
    for a, b in zip(result["trip"], result["trip"][1:], strict=False):
        assert b in graph.neighbours(a)
    assert autopsy.key != Autopsy(GRAPH, 0, TrainingOptions(updates=4)).key


def test_failures__traits_count_shared_profiles():
    graph = Graph.from_edges(
        np.array([[0, 1], [1, 2], [1, 3], [3, 4]]), 5, np.array([[1], [2], [2], [1], [9]])
    )
    classes = profile_classes(graph)
    assert classes.tolist() == [2, 2, 2, 2, 1]
    assert traits_of(graph, classes, 4) == {
        "node": "4",
        "degree": 1,
        "like_it": 1,
        "rarest_neighbour": 2,
        "busiest_neighbour": 2,
    }


def test_failures__the_report_says_where_hops_are_lost(tmp_path, monkeypatch):
    monkeypatch.setattr(failures, "graph_of", lambda spec: graph_of(GRAPH))

    def target(ratio, degree, rarest):
        return {
            "node": "7",
            "ratio": ratio,
            "degree": degree,
            "like_it": 1,
            "rarest_neighbour": rarest,
            "busiest_neighbour": 9,
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
    assert traits.rows[0] == ("one neighbour, of a shared profile", "20", "9.000", "9.00", "94 %")
    assert "one neighbour, of a shared profile: 94 %" in section.findings[1]
    assert (tmp_path / "failures.png").stat().st_size > 5000
    assert section.tables[1].rows[2] == ("2 or 3 neighbours", "0", "–", "–", "0 %")


def test_failures__nothing_lost_is_no_division_by_nought():
    perfect = [{"ratio": 1.0, "degree": 3, "rarest_neighbour": 1}]
    assert failures._findings(perfect)[0].startswith("Of 1 test targets, 1 ")


@pytest.mark.parametrize("module", [trellis, failures])
def test_scope__quick_plays_two_seeds_of_the_unopened_ones(module):
    seeds = {work.to_json()["seed"] for work in module.works(Scope(quick=True))}
    assert seeds == {20, 21}
