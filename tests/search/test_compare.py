import json
from dataclasses import replace

import numpy as np
import pytest

import garden
from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.snap import load_public_graph
from garden.datasets.task import SearchTask
from garden.errors import SpecError
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.resolve import memory_named
from garden.search.chain import chain_of_scores
from garden.search.compare import Contender, compare, evaluated_pairs
from garden.search.config import EvaluationConfig
from garden.search.play import DISTRIBUTION_ENTRIES, SCORE_ENTRIES, pair_blocks
from garden.search.temperature_tuning import (
    TUNING_TEMPERATURES,
    best_temperature,
    estimated_ratio_sums,
    prepare,
    validation_ratios,
)
from garden.strategies.evn import EVNWalker
from garden.strategies.registry import WALKERS
from garden.strategies.walkers import ConnectionWalker, DistanceWalker, GreedyWalker, RandomWalker

GRAPH = kaiser_hilgetag(n=60, beta=1, seed=0)
TASK = SearchTask.split(GRAPH, seed=0)


def contender(name, memory="none"):
    return Contender(name, WALKERS[name](), memory_named(memory))


def test_compare__win_rates_sum_to_one_and_no_ratio_is_below_one():
    contenders = [contender(name) for name in WALKERS] + [contender("evn", "visited")]
    report = compare(TASK, contenders, EvaluationConfig())
    assert sum(result.win_rate for result in report.results) == pytest.approx(1)
    assert all(result.oracle_ratio >= 1 for result in report.results)
    assert [result.name for result in report.results] == [*WALKERS, "evn"]


def test_compare__ratio_matches_a_hand_solved_line():
    # On a line with positions as attributes, greedy is optimal.
    line = Graph.from_edges(np.array([[i, i + 1] for i in range(19)]), 20, np.arange(20.0)[:, None])
    task = SearchTask.split(line, seed=0)
    report = compare(
        task, [Contender("greedy", GreedyWalker(), memory_named("none"))], EvaluationConfig()
    )
    (result,) = report.results
    assert result.oracle_ratio == pytest.approx(1)
    assert result.truncation_rate == 0
    assert result.mean_hops == pytest.approx(report.distances.mean())


def test_compare__exact_and_sampled_agree_and_say_which_they_are():
    exact = compare(TASK, [contender("distance")], EvaluationConfig(evaluation="exact"))
    sampled = compare(
        TASK, [contender("distance")], EvaluationConfig(evaluation="sampled", episodes_per_pair=100)
    )
    assert exact.results[0].evaluation == "exact"
    assert sampled.results[0].evaluation == "sampled"
    assert sampled.results[0].oracle_ratio == pytest.approx(exact.results[0].oracle_ratio, rel=0.03)


def test_compare__adding_a_strategy_changes_no_other_result():
    alone = compare(TASK, [contender("evn", "visited")], EvaluationConfig())
    beside = compare(TASK, [contender("random"), contender("evn", "visited")], EvaluationConfig())
    assert alone["evn"].oracle_ratio == beside["evn"].oracle_ratio


def test_compare__blocks_of_pairs_change_nothing(monkeypatch):
    whole = compare(TASK, [contender("evn", "visited"), contender("random")], EvaluationConfig())
    monkeypatch.setattr("garden.search.play.DISTRIBUTION_ENTRIES", 101 * 37)
    parts = compare(TASK, [contender("evn", "visited"), contender("random")], EvaluationConfig())
    for ours, theirs in zip(whole.results, parts.results, strict=True):
        assert ours.oracle_ratio == pytest.approx(theirs.oracle_ratio)
        assert ours.win_rate == pytest.approx(theirs.win_rate)


def test_compare__blocks_end_where_a_target_ends_unless_it_is_too_large():
    targets = np.array([0, 0, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3])
    blocks = [
        (block.start, block.stop) for block in pair_blocks(targets, DISTRIBUTION_ENTRIES // 5, 4)
    ]
    assert blocks == [(0, 2), (2, 5), (5, 9), (9, 12)]
    assert list(pair_blocks(targets, 1, 4)) == [slice(0, 12)]


def test_compare__blocks_hold_no_more_targets_than_have_their_scores_kept():
    targets = np.array([0, 0, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3])
    blocks = list(pair_blocks(targets, 1, SCORE_ENTRIES // 2))
    assert blocks == [slice(0, 5), slice(5, 12)]
    assert len(list(pair_blocks(targets, 1, 2 * SCORE_ENTRIES))) == 4


def test_compare__on_a_graph_too_large_for_one_table_a_strategy_is_still_scored_once(monkeypatch):
    scored = []

    class Counted(GreedyWalker):
        def score(self, candidates, targets):
            scored.append(len(targets))
            return super().score(candidates, targets)

    walker = Counted()
    monkeypatch.setattr("garden.search.play.SCORE_ENTRIES", 3 * TASK.graph.num_nodes)
    twice = [Contender(name, walker, memory_named(name)) for name in ("visited", "backtrack")]
    report = compare(TASK, twice, EvaluationConfig())
    assert max(scored) <= 3
    assert sum(scored) == len(np.unique(report.pairs[:, 1]))


def test_compare__repeated_contenders_walk_apart():
    twice = compare(TASK, [contender("random", "visited")] * 2, EvaluationConfig())
    alone = compare(TASK, [contender("random", "visited")], EvaluationConfig())
    first, second = (result.oracle_ratio for result in twice.results)
    assert first == alone.results[0].oracle_ratio
    assert first != second


def test_compare__a_single_target_has_no_interval():
    pairs = TASK.test_pairs[TASK.test_pairs[:, 1] == TASK.test_pairs[0, 1]]
    report = compare(replace(TASK, test_pairs=pairs), [contender("random")], EvaluationConfig())
    assert report.to_json()["strategies"][0]["oracle_ratio_ci"] == [None, None]
    assert report.rows()[0][3] == "–"
    assert len(report.to_pandas()) == 1


def test_compare__exact_lies_in_the_sampled_interval_on_a_real_graph(real_data):
    graph = load_public_graph("facebook", "414", folder=real_data / "facebook").largest_component()
    task = SearchTask.split(graph)
    contenders = [contender("random"), contender("greedy")]
    exact = compare(task, contenders, EvaluationConfig(evaluation="exact"))
    sampled = compare(task, contenders, EvaluationConfig(evaluation="sampled"))
    for ours, theirs in zip(exact.results, sampled.results, strict=True):
        low, high = theirs.oracle_ratio_ci
        assert low <= ours.oracle_ratio <= high
        assert ours.truncation_rate == pytest.approx(theirs.truncation_rate, abs=0.02)


def test_compare__report_holds_what_the_contract_names():
    report = compare(TASK, [contender("distance")], EvaluationConfig(split="all", all_pairs=True))
    content = json.loads(json.dumps(report.to_json()))
    assert content["num_pairs"] == 60 * 59
    assert content["split"] == "all"
    assert content["seen_targets"] is False
    (row,) = content["strategies"]
    assert set(row) == {
        "name",
        "memory",
        "parameters",
        "evaluation",
        "evaluation_reason",
        "knows",
        "oracle_ratio",
        "oracle_ratio_ci",
        "truncation_rate",
        "win_rate",
        "mean_hops",
        "by_distance",
    }
    low, high = row["oracle_ratio_ci"]
    assert low <= row["oracle_ratio"] <= high
    assert sum(band["pairs"] for band in row["by_distance"].values()) == 60 * 59
    assert row["parameters"]["temperature"] in TUNING_TEMPERATURES.tolist()
    assert report.pairs_csv().count("\n") == 60 * 59 + 1
    assert "distance (τ" in str(report)
    assert len(report.to_pandas()) == 1


def test_compare__exact_evaluation_of_a_memory_is_refused():
    with pytest.raises(SpecError, match="no exact evaluation"):
        compare(TASK, [contender("random", "visited")], EvaluationConfig(evaluation="exact"))


def test_compare__nothing_to_compare_is_refused():
    with pytest.raises(SpecError, match="at least one"):
        compare(TASK, [], EvaluationConfig())


@pytest.mark.parametrize(
    "options",
    [
        {"max_hops": 0},
        {"max_hops": 1_000_001},
        {"max_hops": 10.0},
        {"max_hops": True},
        {"episodes_per_pair": 0},
        {"episodes_per_pair": "20"},
        {"split": "tset"},
        {"evaluation": "psychic"},
    ],
)
def test_config__impossible_options_are_refused(options):
    with pytest.raises(SpecError):
        EvaluationConfig(**options)


def test_tune__takes_the_best_temperature_on_validation_targets():
    ratios = validation_ratios(DistanceWalker(), TASK)
    tuned = prepare(DistanceWalker(), TASK)
    assert tuned.parameters["temperature"] == TUNING_TEMPERATURES[ratios.argmin()]
    assert ratios.min() < ratios[0]
    assert ratios.min() < ratios[-1]


def test_tune__never_reads_test_targets():
    other = SearchTask(
        GRAPH,
        TASK.seed,
        TASK.train_targets,
        TASK.validation_targets,
        TASK.test_targets[:1],
        TASK.validation_pairs,
        TASK.test_pairs[TASK.test_pairs[:, 1] == TASK.test_targets[0]],
    )
    for name in WALKERS:
        assert (
            prepare(WALKERS[name](), TASK).parameters == prepare(WALKERS[name](), other).parameters
        )


def test_tune__leaves_a_given_temperature_alone():
    assert prepare(DistanceWalker(temperature=3.0), TASK).parameters == {"temperature": 3.0}
    assert prepare(RandomWalker(), TASK) == RandomWalker()


def test_tune__leaves_a_fitted_strategy_alone():
    fitted = EVNWalker().fit(ego_graphs(GRAPH))
    assert prepare(fitted, TASK) is fitted
    assert prepare(EVNWalker(), TASK).fitted


def test_tune__grid_spans_six_decades_without_gaps():
    assert TUNING_TEMPERATURES[0] == pytest.approx(1e-4)
    assert TUNING_TEMPERATURES[-1] == pytest.approx(100)
    assert (np.diff(np.log10(TUNING_TEMPERATURES)) <= 1 / 3 + 1e-9).all()


def test_tune__estimates_differ_from_exact_ratios_by_rounding_alone():
    for walker in (DistanceWalker(), ConnectionWalker()):
        exact = validation_ratios(walker, TASK)
        estimates = validation_ratios(walker, TASK, ratio_sums=estimated_ratio_sums)
        assert np.allclose(estimates, exact, rtol=1e-10)


def test_tune__equal_ratios_are_decided_by_exact_ones():
    # Without attributes in common, all temperatures say the same: the first of the lowest is taken.
    flat = SearchTask.split(Graph.from_edges(GRAPH.edges(), GRAPH.num_nodes, np.ones((60, 1))))
    ratios = validation_ratios(DistanceWalker(), flat)
    assert best_temperature(DistanceWalker(), flat) == TUNING_TEMPERATURES[ratios.argmin()]
    assert np.allclose(ratios, ratios[0])


def test_tune__asks_exact_ratios_only_of_temperatures_that_can_be_the_best(monkeypatch):
    asked = []

    def counted(graph, scores, *rest):
        asked.append(len(scores))
        return chain_of_scores(graph, scores, *rest)

    monkeypatch.setattr("garden.search.temperature_tuning.chain_of_scores", counted)
    best_temperature(DistanceWalker(), TASK)
    assert len(asked) < len(TUNING_TEMPERATURES) / 2


def test_compare__pairs_are_sorted_by_target_whatever_is_asked_for():
    for config in (
        EvaluationConfig(),
        EvaluationConfig(pairs=50),
        EvaluationConfig(all_pairs=True),
    ):
        pairs = evaluated_pairs(TASK, config)
        assert (np.diff(pairs[:, 1]) >= 0).all()


def test_compare__plays_as_many_pairs_as_asked_for():
    report = garden.evaluate(TASK, "random", config=EvaluationConfig(pairs=17))
    assert report.to_json()["num_pairs"] == 17
    again = garden.evaluate(TASK, "random", config=EvaluationConfig(pairs=17))
    assert again.to_json() == report.to_json()
