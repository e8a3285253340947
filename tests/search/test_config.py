"""Options of evaluation; what `auto` makes of the limit of hops: no ratio falls below 1 by it."""

import json
import tracemalloc

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import garden
from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.random_attributed import attributed
from garden.datasets.task import SearchTask
from garden.errors import SpecError
from garden.graphs.distances import distances, longest_distance
from garden.graphs.graph import Graph
from garden.resolve import memory_for
from garden.search.compare import Contender, compare
from garden.search.config import EvaluationConfig, limit_of, limit_towards
from garden.search.metrics import win_shares
from garden.search.seed_summary import SeedSummary
from garden.search.temperature_tuning import TUNING_TEMPERATURES, validation_ratios
from garden.strategies.registry import RULES, WALKERS
from garden.strategies.walkers import DistanceWalker


def line(num_nodes):
    edges = np.array([[node, node + 1] for node in range(num_nodes - 1)])
    return Graph.from_edges(edges, num_nodes, np.arange(float(num_nodes))[:, None])


LINE = line(400)
TASK = SearchTask.split(LINE, seed=0)


@pytest.mark.parametrize(
    ("longest", "limit"),
    [(1, 100), (50, 100), (51, 510), (399, 3990), (1000, 10_000), (19_999, 10_000)],
)
def test_limit__grows_with_the_longest_distance_from_51_hops_on(longest, limit):
    assert limit_of("auto", longest) == limit
    assert limit_of(7, longest) == 7


def test_limit__goes_by_all_sources_and_these_targets():
    assert limit_towards("auto", LINE, np.array([200])) == 2000
    assert limit_towards("auto", LINE, np.array([200, 0])) == 3990
    assert limit_towards("auto", line(51), np.array([25, 0])) == 100
    assert limit_towards(30, LINE, np.array([0])) == 30


def test_longest_distance__is_that_of_the_table():
    graph = kaiser_hilgetag(n=300, alpha=30, beta=0.05, seed=0)
    targets = np.arange(0, 300, 7)
    assert longest_distance(graph, targets) == distances(graph, targets).max()
    assert longest_distance(graph, targets[:0]) == 0


@pytest.mark.parametrize(
    "spec",
    [*(f"facebook:{ego}" for ego in (414, 686, 348, 0, 3437)), "twitch:PTBR", "twitch:RU",
     "twitch:ES", "musae-facebook"],
)  # fmt: skip
def test_limit__the_papers_and_the_larger_named_graphs_keep_100(real_data, spec):
    graph = garden.load(spec)
    assert limit_towards("auto", graph, np.arange(graph.num_nodes)[-1:]) == 100
    # Twice the longest distance of one node bounds all: no split has another limit.
    assert 2 * longest_distance(graph, np.array([0])) <= 50


def test_limit__generated_graphs_of_the_experiments_keep_100():
    graphs = [attributed(seed) for seed in range(6)]
    graphs += [kaiser_hilgetag(n=200, alpha=30, beta=b, seed=0) for b in (0.1, 0.3, 1)]
    for graph in graphs:
        assert limit_towards("auto", graph, np.arange(graph.num_nodes)) == 100


def test_evaluate__a_path_of_400_nodes_is_walked_to_its_end():
    report = garden.evaluate(TASK, "greedy")
    result = report.results[0]
    assert (result.oracle_ratio, result.truncation_rate) == (1, 0)
    content = report.to_json()
    assert content["max_hops"] == 10 * report.distances.max()
    assert content["num_pairs_beyond_limit"] == 0
    assert report.columns() == garden.evaluate(kaiser_hilgetag(n=40), "random").columns()


def test_evaluate__pairs_beyond_the_limit_are_counted_and_in_no_ratio():
    report = garden.evaluate(TASK, "greedy", config=EvaluationConfig(max_hops=100))
    far = report.distances > 100
    content = report.to_json()
    row = content["strategies"][0]
    assert content["num_pairs_beyond_limit"] == far.sum() > 0
    assert row["oracle_ratio"] == 1
    assert row["oracle_ratio_ci"] == [1, 1]
    assert row["truncation_rate"] == pytest.approx(far.mean())
    assert row["by_distance"]["100"]["oracle_ratio"] == 1
    beyond = row["by_distance"][str(report.distances.max())]
    assert beyond["oracle_ratio"] is None
    assert beyond["pairs"] == (report.distances == report.distances.max()).sum()
    assert report.columns()[-1] == "beyond the limit"
    assert "beyond the limit" in report._repr_html_()
    assert report.rows()[0][-1] == f"{far.sum()} of 1000"
    assert "at most 100 hops" in str(report)


def test_evaluate__there_is_no_ratio_where_no_pair_is_left():
    pairs = np.array([[0, 399], [1, 399]])
    task = SearchTask(
        LINE, 0, np.array([5]), np.array([9]), np.array([399]), pairs - [0, 390], pairs
    )
    report = garden.evaluate(task, ["random", "greedy"], config=EvaluationConfig(max_hops=50))
    content = json.loads(json.dumps(report.to_json(), allow_nan=False))
    for row in content["strategies"]:
        assert row["oracle_ratio"] is None
        assert row["oracle_ratio_ci"] == [None, None]
        assert row["truncation_rate"] == 1
    assert report.rows()[0][2:4] == ("–", "–")
    summary = SeedSummary((report, report))
    assert summary.to_json()["mean"][0]["oracle_ratio"] is None
    assert summary.rows()[0][2:4] == ("–", "–")
    assert summary.rows()[0][-1] == "4 of 4"


def test_summary__names_the_limits_of_its_seeds():
    reports = tuple(
        garden.evaluate(
            SearchTask.split(LINE, seed=seed), "greedy", config=EvaluationConfig(pairs=5)
        )
        for seed in (0, 1)
    )
    limits = [report.config.max_hops for report in reports]
    summary = SeedSummary(reports)
    assert summary.to_json()["max_hops"] == limits
    assert f"at most {min(limits)} to {max(limits)} hops" in summary.title()


@pytest.mark.parametrize("bad", [0, -3, True, 2.5, "100", "Auto", None])
def test_options__a_limit_is_auto_or_a_whole_number(bad):
    with pytest.raises(SpecError, match="max_hops is"):
        EvaluationConfig(max_hops=bad)


@pytest.mark.parametrize("bad", [0, -1, True, 1.5, "3", 10**12])
def test_options__a_number_of_pairs_is_at_least_one(bad):
    with pytest.raises(SpecError, match="pairs is"):
        EvaluationConfig(pairs=bad)


def test_options__all_pairs_and_some_of_them_exclude_each_other():
    with pytest.raises(SpecError, match="exclude each other"):
        EvaluationConfig(pairs=3, all_pairs=True)


@st.composite
def graphs(draw):
    kind = draw(st.sampled_from(["path", "ring", "tree", "random"]))
    n, seed = draw(st.integers(10, 70)), draw(st.integers(0, 99))
    rng = np.random.default_rng(seed)
    if kind == "path":
        edges = [(node, node + 1) for node in range(n - 1)]
    elif kind == "ring":
        edges = [(node, (node + 1) % n) for node in range(n)]
    elif kind == "tree":
        edges = [(node, int(rng.integers(max(0, node - 4), node))) for node in range(1, n)]
    else:
        edges = [(node, int(rng.integers(node))) for node in range(1, n)]
        edges += list(nx.gnp_random_graph(n, 2 / n, seed=seed).edges)
    attributes = rng.normal(size=(n, 3)) if draw(st.booleans()) else np.eye(n)[:, : n // 2]
    return Graph.from_edges(np.array(edges), n, attributes)


@settings(max_examples=40, deadline=None)
@given(
    graphs(),
    st.lists(st.sampled_from([*WALKERS, "universal"]), min_size=1, max_size=2, unique=True),
    st.sampled_from(["none", *RULES]),
    st.one_of(st.just("auto"), st.integers(1, 60), st.just(700)),
    st.sampled_from(["auto", "sampled"]),
    st.integers(0, 3),
)
def test_evaluate__no_ratio_is_ever_below_one(graph, names, memory, max_hops, evaluation, seed):
    task = SearchTask.split(graph, seed=seed, num_pairs=25)
    config = EvaluationConfig(max_hops=max_hops, evaluation=evaluation, episodes_per_pair=2)
    report = garden.evaluate(task, names, memory=memory, config=config)
    assert report.num_pairs_beyond_limit == (report.distances > report.config.max_hops).sum()
    left = report.num_pairs_beyond_limit < len(report.pairs)
    for result in report.results:
        ratios = [result.oracle_ratio, *(result.oracle_ratio_ci or ())]
        ratios += [band.oracle_ratio for band in result.by_distance.values()]
        assert all(ratio is None or ratio >= 1 for ratio in ratios)
        assert (result.oracle_ratio is not None) == left
        assert result.truncation_rate >= report.num_pairs_beyond_limit / len(report.pairs) - 1e-9


@pytest.mark.parametrize("max_hops", ["auto", 5, 100])
def test_tuning__leaves_out_sources_beyond_the_limit(max_hops):
    ratios = validation_ratios(
        DistanceWalker(), TASK, max_hops, temperatures=TUNING_TEMPERATURES[::8]
    )
    assert ratios.min() == 1  # the coldest walks straight, which counted below 1 at 100 hops
    assert (ratios >= 1).all()


def test_tuning__auto_is_the_papers_limit_where_distances_are_short():
    task = SearchTask.split(kaiser_hilgetag(n=60, beta=1, seed=0), seed=0)
    ratios = [validation_ratios(DistanceWalker(), task, limit) for limit in ("auto", 100)]
    assert ratios[0].tolist() == ratios[1].tolist()


def test_win_shares__a_few_pairs_at_a_time_are_the_same_to_the_last_digit(monkeypatch):
    tables = [np.random.default_rng(i).dirichlet(np.ones(9), size=50) for i in range(3)]
    whole = win_shares(tables)
    monkeypatch.setattr("garden.search.metrics.SHARE_ENTRIES", 100)
    assert win_shares(tables).tolist() == whole.tolist()


def test_compare__memory_does_not_grow_with_pairs_times_limit():
    def peak(num_pairs):
        task = SearchTask.split(line(300), num_pairs=num_pairs)
        contenders = [
            Contender(name, WALKERS[name](), memory_for(WALKERS[name](), memory))
            for name, memory in (("greedy", "none"), ("greedy", "visited"))
        ]
        config = EvaluationConfig(max_hops=10_000, episodes_per_pair=1)
        tracemalloc.start()
        compare(task, contenders, config)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(10)  # what is compiled and imported once
    few, many = peak(300), peak(1500)
    # 1,200 further pairs of 10,001 numbers each would be 96 MB for each of the two.
    assert many - few < 20e6
