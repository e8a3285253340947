import numpy as np

from garden.datasets.random_graphs import power_law
from garden.datasets.task import SearchTask
from garden.graphs.graph import Graph
from garden.resolve import contenders_named
from garden.search.compare import compare
from garden.search.config import EvaluationConfig
from garden.search.evaluation_choice import evaluation_of
from garden.search.lazy_rows import LazyRows
from garden.search.play import Games, Player
from garden.search.spread import units_of
from garden.strategies.walkers import GreedyWalker

PAIRS = np.array([[0, 1], [2, 1], [3, 5]])


def attributed(num_nodes: int) -> Graph:
    plain = power_law(num_nodes, 8)
    table = np.random.default_rng(0).integers(0, 2, (num_nodes, 12)).astype(np.float32)
    names = tuple(f"x{column}" for column in range(12))
    return Graph(plain.indptr, plain.indices, table, plain.node_names, names)


def test_spread__a_report_from_ray_is_the_same_to_the_last_digit(home_for_ray):
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    task = SearchTask.split(attributed(21_000), seed=3)
    contenders = contenders_named(["greedy", "greedy+backtrack", "beacons"], "none")
    config = EvaluationConfig(pairs=500, episodes_per_pair=2, max_hops=20, evaluation="sampled")
    exact = EvaluationConfig(pairs=500, max_hops=20)  # tables, in blocks of 199 targets
    try:
        for options, chosen in ((config, contenders), (exact, contenders[:1])):
            here = compare(task, chosen, options, cache=False)
            spread = compare(task, chosen, options, cache=False, executor="ray")
            assert spread.to_json() == here.to_json()
            assert spread.pairs_csv() == here.pairs_csv()
    finally:
        ray.shutdown()


def test_units__cover_all_pairs_and_end_where_a_target_and_a_table_of_scores_ends():
    graph = power_law(50_000, 4)
    targets = np.repeat(np.arange(300), 2)
    rows = GreedyWalker()
    player = Player(None, rows, None, "exact", "", False, 0)  # type: ignore[arg-type]
    units = list(units_of([player], Games(graph, np.stack([targets, targets], axis=1), 100, 1), 2))
    assert [unit.start for unit in units[1:]] == [unit.stop for unit in units[:-1]]
    assert (units[0].start, units[-1].stop) == (0, 600)
    assert all(len(np.unique(targets[unit])) == 83 for unit in units[:-1])  # 2²² // 50,000


def test_lazy_rows__nodes_that_copies_represent_count_once():
    rows = LazyRows(attributed(100), GreedyWalker())
    rows.prepare(np.array([3, 4]))
    rows.note_represented(np.array([4, 5]))
    assert rows.num_represented == 3


def test_evaluation__auto_says_what_chains_would_cost():
    graph = power_law(1000, 16)
    cheap = evaluation_of("greedy", "none", "auto", graph, PAIRS, 100)
    assert cheap.evaluation == "exact"
    assert "2 targets take about a second" in cheap.reason
    dear = evaluation_of("greedy", "none", "auto", graph, PAIRS, 1_000_000)
    assert dear.evaluation == "sampled"
    assert "more than the 20 s" in dear.reason
    assert "backtrack" in evaluation_of("x", "backtrack", "auto", graph, PAIRS, 100).reason
    assert evaluation_of("x", "none", "sampled", graph, PAIRS, 9).reason == "asked for"
