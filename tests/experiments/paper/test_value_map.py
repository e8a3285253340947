import json

import numpy as np
import pytest
from scipy.stats import spearmanr

from garden.experiments.paper.published import GRAPHS
from garden.experiments.paper.table1 import experiment as facebook
from garden.experiments.paper.value_map import closeness
from garden.experiments.paper.value_map import experiment as value_map
from garden.experiments.paper.value_map.closeness import (
    ATTRIBUTES,
    DEGREE,
    EMBEDDING,
    GUESSES,
    TRELLIS_EMBEDDINGS,
    UNTRAINED,
    VALUE,
    correlation_of_all,
    correlations,
    median_target,
)
from garden.experiments.report.intervals import pooled
from garden.experiments.report.sections import read_section
from garden.experiments.run import reproduce as module
from garden.experiments.run.config import Execution, Scope
from garden.experiments.run.policy_cache import graph_of, task_of
from garden.experiments.run.reproduce import reproduce
from garden.experiments.run.store import RUNS_FILE
from garden.graphs.graph import Graph
from garden.training.config import TrainingOptions

GRAPH = "kaiser-hilgetag:n=40,beta=2,seed=1"


@pytest.fixture
def generated(monkeypatch):
    """Generated graphs in place of the five, so that no data are needed."""
    monkeypatch.setattr(value_map, "SPECS", dict.fromkeys(GRAPHS, GRAPH))


def test_correlation__is_spearmans_over_sources_other_than_the_target():
    rng = np.random.default_rng(0)
    guess, hops = rng.random((2, 9)), rng.integers(1, 4, (2, 9))
    targets = np.array([3, 8])
    hops[[0, 1], targets] = 0
    guess[[0, 1], targets] = 1e9
    expected = [
        spearmanr(np.delete(guess[row], target), -np.delete(hops[row], target)).statistic
        for row, target in enumerate(targets)
    ]
    assert correlations(guess, hops, targets) == pytest.approx(expected)
    kept = np.ones((2, 9), dtype=bool)
    kept[[0, 1], targets] = False
    together = spearmanr(guess[kept], -hops[kept]).statistic
    assert correlation_of_all(guess, hops, targets) == pytest.approx(together)


def test_correlation__perfect_reversed_and_silent():
    hops = np.array([[0, 1, 2, 3]])
    target = np.array([0])
    assert correlations(-(hops**3.0), hops, target) == pytest.approx([1])
    assert correlations(hops * 2.0, hops, target) == pytest.approx([-1])
    assert correlations(np.zeros((1, 4)), hops, target).tolist() == [0]


def test_targets__those_with_all_sources_at_one_distance_are_left_out():
    hops = np.array([[0, 1, 1, 1], [1, 0, 2, 2]])
    assert closeness._tells_apart(hops, np.array([0, 1])).tolist() == [False, True]


def test_map__its_target_has_the_median_degree():
    star = Graph.from_edges(np.array([[0, 1], [0, 2], [0, 3], [1, 2]]), 4)  # degrees 3, 2, 2, 1
    assert median_target(star, np.array([0, 1, 3])) == 1
    assert median_target(star, np.array([0, 3])) == 1
    assert median_target(star, np.array([0])) == 0


def test_works__ten_seeds_share_the_policies_of_table_1():
    full = value_map.works(Scope())
    assert len(full) == 5 * value_map.NUM_SEEDS
    assert [work.mapped for work in full[:10]] == [True] + [False] * 9
    theirs = {one for work in facebook.works(Scope()) for one in work.trainings()}
    assert all(one in theirs for work in full for one in work.trainings())


def test_works__in_a_hurry_two_graphs_unless_some_are_named():
    def played(scope):
        return [(work.graph, work.seed) for work in value_map.works(scope)]

    assert played(Scope(quick=True)) == [
        ("facebook:414", 20),
        ("facebook:414", 21),
        ("facebook:686", 20),
        ("facebook:686", 21),
    ]
    assert played(Scope(quick=True, graphs=("0",), seeds=(7,))) == [("facebook:0", 7)]


def closeness_result(levels, seed, mapped):
    """Three targets whose correlations lie around `levels[name]`."""
    graph = graph_of(GRAPH)
    noise = np.random.default_rng(seed).normal(0, 0.01, 3)
    hops = np.arange(graph.num_nodes)
    drawn = {"target": 0, "value": (-hops).tolist(), "score": hops.tolist()}
    return {
        "targets": [0, 1, 2],
        "contenders": {
            name: {
                "pairs": [39] * 3,
                "correlation": (levels[name] + noise).tolist(),
                "correlation_of_all": levels[name],
            }
            for name in GUESSES
        },
        **({"map": {**drawn, "distance": hops.tolist()}} if mapped else {}),
    }


def reported(tmp_path, levels, scope=None):
    def result_of(work):
        return closeness_result(levels, work.seed, work.mapped)

    return value_map.report(scope or Scope(graphs=("414", "0")), result_of, tmp_path)


GOOD = {
    VALUE: 0.8,
    EMBEDDING: 0.7,
    TRELLIS_EMBEDDINGS: 0.9,
    UNTRAINED: 0.5,
    ATTRIBUTES: 0.2,
    DEGREE: 0.3,
}
BAD = {
    VALUE: -0.1,
    EMBEDDING: 0.1,
    TRELLIS_EMBEDDINGS: 0.15,
    UNTRAINED: 0.3,
    ATTRIBUTES: 0.2,
    DEGREE: 0.3,
}


def test_report__tables_and_the_map(tmp_path, generated):
    section = reported(tmp_path, GOOD)
    by_target, of_all, differences = section.tables
    assert by_target.columns == ("nearness by", "G1 (414)", "G4 (0)")
    assert [row[0] for row in by_target.rows] == list(GUESSES)
    assert by_target.rows[0][1].startswith("0.80 (0.")
    assert "2,000 updates" in by_target.footing
    assert "10 seeds, 30 targets and 1170 pairs" in by_target.footing
    assert of_all.rows[1] == (EMBEDDING, "0.70", "0.70")
    assert differences.rows[0] == (f"{VALUE} − {ATTRIBUTES}", *["0.60 (0.60 – 0.60)"] * 2)
    assert "true distance" in (tmp_path / "values.svg").read_text()
    assert "median degree, seed 20" in section.figures[0][1]


def test_report__titles_of_the_map_tell_how_well_each_panel_agrees(generated):
    drawn = closeness_result(GOOD, 0, True)["map"]
    figure = value_map._figure({"414": drawn, "0": drawn})
    titles = [axes.get_title() for axes in figure.axes[:6]]
    assert titles[:3] == [
        "G1 (414): garden's value, ρ = 1.00",
        "G1 (414): DistanceWalker's score, ρ = -1.00",
        "G1 (414): true distance",
    ]
    assert titles[3].startswith("G4 (0)")


def test_claims__follow_the_numbers(tmp_path, generated):
    def verdicts(levels):
        return {claim.text: claim.verdict for claim in reported(tmp_path, levels).claims}

    good, bad = verdicts(GOOD), verdicts(BAD)
    assert set(good.values()) == {"holds"}
    assert bad[f"{VALUE}: correlated with nearness in the graph"] == "fails"
    assert bad[f"{VALUE}: better correlated than {ATTRIBUTES}"] == "fails"
    assert bad[f"{EMBEDDING}: better correlated than {UNTRAINED}"] == "fails"
    assert bad[f"{UNTRAINED}: better correlated than {ATTRIBUTES}"] == "holds"
    assert bad[f"{TRELLIS_EMBEDDINGS}: better correlated than {EMBEDDING}"] == "holds"


def test_reproduce__tiny_trainings_from_end_to_end(tmp_path, monkeypatch, generated):
    options = {
        "garden": TrainingOptions(model="garden", method="a2c", updates=2),
        "trellis": TrainingOptions(model="trellis", method="guided", updates=2),
    }
    monkeypatch.setattr(value_map, "QUICK", options)
    monkeypatch.setattr(module, "EXPERIMENTS", {"values": value_map.EXPERIMENT})
    scope = Scope(quick=True, graphs=("414",))
    reproduce(["values"], tmp_path, scope, Execution(device="cpu"))
    lines = (tmp_path / "values" / RUNS_FILE).read_text().splitlines()[1:]
    first, second = (json.loads(line)["result"] for line in lines)
    assert "map" not in second
    task = task_of(GRAPH, 20)
    assert first["task_hash"] == task.content_hash
    assert set(first["targets"]) <= set(task.test_targets.tolist())
    assert first["map"]["target"] in first["targets"]
    assert first["map"]["distance"][first["map"]["target"]] == 0
    assert all(0 < value < 1 for value in first["map"]["value"])
    assert set(first["contenders"]) == set(GUESSES)
    # Where positions decide who is linked, attributes tell the distance.
    pool = pooled([first, second], metrics=("correlation",))
    assert pool.estimate("correlation", ATTRIBUTES).low > 0.3
    section = read_section(tmp_path / "values")
    assert section is not None
    assert "2 seeds" in section.findings.tables[0].footing
