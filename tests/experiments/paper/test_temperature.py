from dataclasses import replace

import numpy as np
import pytest

from garden.errors import SpecError
from garden.experiments.paper import temperature
from garden.experiments.paper.temperature import GRID, Curves, TemperatureCurve
from garden.experiments.report.sections import read_section
from garden.experiments.run import synthetic_graphs as synthetic
from garden.experiments.run.config import Execution, Scope
from garden.experiments.run.policy_cache import PolicyCache, task_of
from garden.experiments.run.reproduce import reproduce
from garden.resolve import memory_named
from garden.search.compare import Contender, compare
from garden.search.config import EvaluationConfig
from garden.strategies.walkers import DistanceWalker, GreedyWalker, RandomWalker
from small_work import num_cases

GRAPH = "kaiser-hilgetag:n=40,alpha=30,beta=1,seed=3"


def all_pairs_ratio(strategy):
    config = EvaluationConfig(split="validation", all_pairs=True)
    task = task_of(GRAPH, 3)
    (result,) = compare(task, [Contender("it", strategy, memory_named("none"))], config).results
    return result.oracle_ratio


def test_curve__runs_from_the_greedy_walk_to_the_random_one_through_the_walkers_own(tmp_path):
    result = TemperatureCurve(GRAPH, 3, "distance").perform(PolicyCache(tmp_path, "cpu"))
    assert result["temperatures"] == list(GRID)
    assert result["pairs"] == result["targets"] * 39
    assert result["ratios"][0] == pytest.approx(all_pairs_ratio(GreedyWalker()), rel=0.05)
    assert result["ratios"][-1] == pytest.approx(all_pairs_ratio(RandomWalker()), rel=0.01)
    middle = all_pairs_ratio(DistanceWalker(GRID[10]))
    assert result["ratios"][10] == pytest.approx(middle, abs=1e-5)


def test_curve__another_grid_is_another_unit():
    one = TemperatureCurve(GRAPH, 3, "distance")
    assert one.key != replace(one, temperatures=GRID[:-1]).key


def test_curves__the_best_temperature_is_chosen_on_other_graphs():
    curves = Curves(np.array([[3.0, 1.0, 2.0], [3.0, 2.0, 1.0]]))
    assert curves.spreads.tolist() == [3.0, 3.0]
    assert curves.gain_over(0).mean == 1.0  # each graph's own choice would give 2
    assert curves.gain_over(-1).mean == -0.5


def valley(place, depth):
    """A curve with its best at a place of the grid."""
    return [1 + depth * abs(number - place) for number in range(len(GRID))]


def section_of(folder, distance, connection, scope=None):
    def result_of(work):
        ratios = distance if work.walker == "distance" else connection
        return {"targets": 4, "pairs": 40, "ratios": [r + 0.001 * work.seed for r in ratios]}

    return temperature.report(scope or Scope(), result_of, folder)


def test_claims__follow_the_curves(tmp_path):
    last = len(GRID) - 1
    section = section_of(tmp_path, valley(10, 0.5), valley(last, 0.1))
    verdicts = [claim.verdict for claim in section.claims]
    # distance against its coldest and hottest end, connection likewise, then who is more sensitive
    assert verdicts == ["holds", "holds", "holds", "undecided", "holds"]
    turned = section_of(tmp_path, valley(last, 0.1), valley(10, 0.5)).claims
    assert [claim.verdict for claim in turned] == ["holds", "undecided", "holds", "holds", "fails"]
    assert {num_cases(claim) for claim in turned} == {9}


def test_report__tables_have_a_row_for_each_density(tmp_path):
    section = section_of(tmp_path, valley(10, 0.5), valley(20, 0.1), Scope(graphs=("0.3", "0.05")))
    table = section.tables[0]
    assert [row[0] for row in table.rows] == ["0.05", "0.3"]
    assert table.rows[0][1] == "0.0316"
    assert table.rows[0][2].startswith("1.00 (")
    assert "10 graphs for each β, 80 validation targets and 800 pairs" in table.footing
    assert "temperature τ" in (tmp_path / "temperature.svg").read_text()


def test_works__both_walkers_on_ten_graphs_of_nine_densities():
    works = temperature.works(Scope())
    assert len({work.key for work in works}) == 2 * 9 * 10
    assert len({work.graph for work in works}) == 90
    assert works[0].graph == "kaiser-hilgetag:n=200,alpha=30,beta=0.01,seed=0"
    with pytest.raises(SpecError, match=r"unknown graph '7': choose from 0\.01, 0\.05"):
        temperature.works(Scope(graphs=("7",)))


def test_reproduce__temperature_from_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(synthetic, "NUM_NODES", 30)
    monkeypatch.setattr(synthetic, "QUICK_BETAS", (1.0,))
    reproduce(["temperature"], tmp_path, Scope(quick=True), Execution(device="cpu"))
    section = read_section(tmp_path / "temperature")
    assert section is not None
    assert [len(table.rows) for table in section.findings.tables] == [1, 1, 3]
    assert len((tmp_path / "temperature" / "runs.jsonl").read_text().splitlines()) == 1 + 4
