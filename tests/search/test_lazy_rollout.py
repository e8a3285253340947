import numpy as np
import pytest

from garden import evaluate, load, route
from garden.datasets.random_graphs import power_law
from garden.datasets.task import SearchTask
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.resolve import contender_named
from garden.search import compare as comparison
from garden.search import lazy_rollout as lazy
from garden.search.config import EvaluationConfig
from garden.search.lazy_rollout import few_are_met, lazy_rollout
from garden.search.lazy_rows import LazyRows
from garden.search.rollout import compiled_kernel, rollout
from garden.search.rounds import settle
from garden.strategies.protocols import Fitted, Tempered
from garden.strategies.registry import MEMORIES, RULES, WALKERS

pytest.importorskip("numba", reason="lazy walks run by compiled kernels")

GRAPH = load("kaiser-hilgetag:n=120,beta=1,seed=2")
TASK = SearchTask.split(GRAPH, seed=0)


def with_attributes(num_nodes, seed=0):
    """A power-law graph whose nodes have eight random binary attributes."""
    bare = power_law(n=num_nodes, degree=16, seed=seed)
    table = np.random.default_rng(seed).integers(0, 2, (num_nodes, 8)).astype(np.float32)
    return Graph(
        bare.indptr, bare.indices, table, bare.node_names, tuple("abcdefgh"), f"grown-{num_nodes}"
    )


@pytest.mark.parametrize("memory", ["none", *RULES])
@pytest.mark.parametrize("name", [*WALKERS, "universal", "beacons"])
def test_lazy_walks__are_the_eager_ones_hop_for_hop(name, memory):
    contender = contender_named(name, memory)
    strategy = contender.strategy
    if isinstance(strategy, Fitted):
        strategy = strategy.fit(ego_graphs(GRAPH, TASK.train_targets))
    if isinstance(strategy, Tempered):
        strategy = strategy.with_temperature(0.5)
    eager_rows = settle(GRAPH, strategy).rows
    rows = LazyRows(GRAPH, strategy) if strategy.knows == "ego" else eager_rows
    walks = (TASK.test_pairs[:40], contender.memory, 60, 3, 11, 5)
    eager = rollout(GRAPH, strategy, eager_rows, *walks, keep_paths=True)
    lazily = lazy_rollout(GRAPH, strategy, rows, *walks)
    assert np.array_equal(lazily.hops, eager.hops)
    assert np.array_equal(lazily.paths, eager.paths)


def test_lazy_walks__are_not_for_memories_without_a_compiled_kernel():
    assert compiled_kernel(contender_named("directory", "none").memory) is None


def test_lazy_walks__of_a_second_memory_reuse_what_the_first_one_met():
    strategy = contender_named("greedy", "none").strategy
    rows, met = LazyRows(GRAPH, strategy), {}
    pairs = TASK.test_pairs[:5]
    lazy_rollout(GRAPH, strategy, rows, pairs, MEMORIES["backtrack"], 60, 1, 0, met=met)
    scored = {target: np.isfinite(part.scores).sum() for target, part in met.items()}
    again = lazy_rollout(GRAPH, strategy, rows, pairs, MEMORIES["backtrack"], 60, 1, 0, met=met)
    assert {target: np.isfinite(part.scores).sum() for target, part in met.items()} == scored
    eager = settle(GRAPH, strategy).rows
    expected = rollout(GRAPH, strategy, eager, pairs, MEMORIES["backtrack"], 60, 1, 0)
    assert np.array_equal(again.hops, expected.hops)


def test_lazy_walks__are_chosen_where_few_nodes_can_be_met(monkeypatch):
    graph = power_law(n=5000, degree=4, seed=0)
    pairs = SearchTask.split(graph, seed=0).test_pairs[:20]
    assert not few_are_met(graph, pairs, 1, 10)
    monkeypatch.setattr(lazy, "MIN_NODES", 100)
    assert few_are_met(graph, pairs, 1, 10)
    assert not few_are_met(graph, pairs, 1000, 10)


@pytest.mark.parametrize("name", ["greedy+backtrack", "bidirectional+visited", "beacons+visited"])
def test_evaluate__of_a_large_graph_says_how_many_nodes_were_represented(name, monkeypatch):
    task = SearchTask.split(with_attributes(20_000), seed=0)
    config = EvaluationConfig(pairs=4, episodes_per_pair=1, evaluation="sampled", max_hops=20)
    (lazily,) = evaluate(task, [name], config=config, cache=False).results
    monkeypatch.setattr(comparison, "few_are_met", lambda *_: False)
    (eager,) = evaluate(task, [name], config=config, cache=False).results
    assert np.array_equal(lazily.outcomes.hops, eager.outcomes.hops)
    assert eager.represented_nodes is None
    assert "represented_nodes" not in eager.to_json()
    everyone = lazily.knows == "gossip"
    assert (lazily.to_json()["represented_nodes"] == 20_000) == everyone


def test_evaluate__exact_chains_are_not_lazy():
    task = SearchTask.split(with_attributes(20_000), seed=0)
    config = EvaluationConfig(pairs=2, episodes_per_pair=1, max_hops=4)
    names = ["greedy", "greedy+backtrack", "lookahead+backtrack"]
    report = evaluate(task, names, config=config)
    assert [result.evaluation for result in report.results] == ["exact", "sampled", "sampled"]
    # Walks of a strategy that has chains beside them share the chains' tables.
    assert [result.represented_nodes is None for result in report.results] == [True, True, False]
    assert "nodes represented" in report.columns()
    assert all(len(row) == len(report.columns()) for row in report.rows())


def test_route__on_a_large_graph_represents_what_the_message_meets():
    graph = with_attributes(20_000)
    message = route(graph, "greedy+backtrack", source=7, target=19_000, max_hops=8)
    met = {int(node) for holder in message.walk.nodes[:-1] for node in graph.neighbours(holder)}
    assert message.to_json()["represented_nodes"] == len(met | {19_000})


def test_route__on_a_small_graph_represents_all_nodes():
    assert route(GRAPH, "greedy", source=0, target=9).represented_nodes == 120
