import math

import numpy as np

from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.experiments.ours import robustness
from garden.experiments.ours.robustness import LABELS
from garden.experiments.run.config import Scope


def outcome(ratio):
    entries = {metric: [0.0, 0.0] for metric in ("truncated", "wins", "hops")}
    return {
        "targets": [0, 1],
        "contenders": {
            label: {"pairs": [3, 3], "ratio": [ratio] * 2, **entries} for label in LABELS
        },
    }


def test_robustness__old_views_are_of_the_graph_as_it_was():
    graph = kaiser_hilgetag(n=40, beta=3, seed=1)
    road, views = robustness.perturbed_graph(graph, "rewired", 0.2, seed=0)
    assert views is graph
    assert (road.indices.shape, road.node_names) == (graph.indices.shape, graph.node_names)
    assert (road.indices != graph.indices).any()


def test_robustness__perturbed_profiles_are_the_same_for_all():
    graph = robustness.graph_of("kaiser-hilgetag:n=40,beta=3,seed=1")
    road, views = robustness.perturbed_graph(graph, "missing", 0.5, seed=0)
    assert road is views
    assert (~np.asarray(road.attributes).any(axis=1)).sum() >= 20


def test_robustness__tables_and_claims_follow_the_results(tmp_path):
    def result_of(work):
        mild = robustness.LEVELS[work.perturbation][0]
        return outcome(1.5 if work.level == mild else 3.0)

    section = robustness.report(Scope(graphs=("414",)), result_of, tmp_path)
    noise = next(table for table in section.tables if table.name == "robustness-noise")
    assert noise.columns[1:3] == ("G1, no noise", "G1, ε = 8")
    assert noise.rows[0] == ("bidirectional", "1.50", *("3.00",) * 5)
    assert len(section.claims) == 2 * len(robustness.LEVELS)
    assert section.claims[0].undecided_on == ("G1 at 0 %", "G1 at 10 %", "G1 at 30 %", "G1 at 50 %")
    for name, _ in section.figures:
        assert "oracle ratio" in (tmp_path / f"{name}.svg").read_text()


def test_robustness__a_unit_has_an_address_though_its_level_is_infinite():
    quiet, loud = (
        robustness.perturbed("414", 20, "noise", e, quick=False) for e in (math.inf, 3.0)
    )
    assert quiet.key != loud.key
    assert quiet.to_json()["level"] == "inf"
