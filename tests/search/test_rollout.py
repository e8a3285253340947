import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from garden import process_settings
from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.task import SearchTask, every_source
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.resolve import memory_named
from garden.search.chain import hop_distributions
from garden.search.episode_rng import episode_streams, uniforms_of
from garden.search.metrics import expected_hops
from garden.search.rollout import rollout, sampled_distributions
from garden.search.temperature_tuning import prepare
from garden.search.walk import walk
from garden.strategies.registry import BY_SCORE, RULES, WALKERS
from garden.strategies.walkers import DistanceWalker, RandomWalker

GRAPH = kaiser_hilgetag(n=40, beta=1, seed=2)
TASK = SearchTask.split(GRAPH, seed=0)
GENERAL = ("none", *RULES)  # memories for every strategy


def ready(name):
    strategy = prepare(WALKERS[name](), TASK)
    return strategy, strategy.represent(ego_graphs(GRAPH))


@pytest.mark.parametrize("name", WALKERS)
@pytest.mark.parametrize(
    "memory", [*map(memory_named, GENERAL), BY_SCORE], ids=[*GENERAL, "by-score"]
)
def test_rollout__compiled_walks_equal_the_plain_walk_hop_for_hop(name, memory):
    strategy, rows = ready(name)
    pairs = TASK.test_pairs[:20]
    walks = rollout(GRAPH, strategy, rows, pairs, memory, 30, 2, seed=7, keep_paths=True)
    streams = episode_streams(7, 0, 40).reshape(20, 2)
    for row, (source, target) in enumerate(pairs):
        for episode in range(2):
            plain = walk(
                GRAPH,
                strategy,
                rows,
                int(source),
                int(target),
                memory,
                30,
                int(streams[row, episode]),
            )
            path = walks.paths[row, episode]
            assert path[path >= 0].tolist() == list(plain.nodes)
            assert walks.hops[row, episode] == (plain.hops if plain.delivered else 31)


@pytest.mark.parametrize("name", WALKERS)
@pytest.mark.parametrize(
    "graph",
    [GRAPH, kaiser_hilgetag(n=60, beta=0.1, seed=1), kaiser_hilgetag(n=30, beta=5, d=3, alpha=5)],
    ids=["middling", "sparse", "dense"],
)
def test_rollout__sampled_agrees_with_exact_within_its_interval(name, graph):
    task = SearchTask.split(graph, seed=1)
    strategy = prepare(WALKERS[name](), task)
    rows = strategy.represent(ego_graphs(graph))
    pairs = task.test_pairs[:60]
    walks = rollout(graph, strategy, rows, pairs, memory_named("none"), 50, 400, seed=3)
    sampled = sampled_distributions(walks.hops, 50)
    exact = hop_distributions(graph, strategy, rows, pairs, 50)
    lengths = np.minimum(np.arange(1, 52), 50)
    variance = (exact @ lengths**2 - (exact @ lengths) ** 2).clip(min=0)
    error = np.sqrt(variance.sum() / 400) / len(pairs)
    difference = expected_hops(sampled).mean() - expected_hops(exact).mean()
    assert abs(difference) <= 4.5 * error + 1e-9
    spread = np.sqrt((exact[:, -1] * (1 - exact[:, -1])).sum() / 400) / len(pairs)
    assert abs(sampled[:, -1].mean() - exact[:, -1].mean()) <= 4.5 * spread + 1e-9


@pytest.mark.parametrize("memory", GENERAL)
def test_rollout__neither_batches_nor_threads_change_a_walk(memory, monkeypatch):
    strategy, rows = ready("distance")
    pairs = TASK.test_pairs[:50]
    monkeypatch.setattr(process_settings, "usable_threads", lambda: 3)
    whole = rollout(GRAPH, strategy, rows, pairs, memory_named(memory), 40, 3, seed=1).hops
    parts = [
        rollout(
            GRAPH, strategy, rows, pairs[a:b], memory_named(memory), 40, 3, 1, first_episode=3 * a
        ).hops
        for a, b in ((0, 7), (7, 33), (33, 50))
    ]
    monkeypatch.setattr(process_settings, "usable_threads", lambda: 1)
    alone = rollout(GRAPH, strategy, rows, pairs, memory_named(memory), 40, 3, seed=1).hops
    assert np.array_equal(whole, np.concatenate(parts))
    assert np.array_equal(whole, alone)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31), st.sampled_from(sorted(GENERAL)))
def test_rollout__every_hop_follows_an_edge_and_walks_end_at_the_target(seed, memory):
    graph = kaiser_hilgetag(n=25, beta=0.5, seed=seed)
    strategy = DistanceWalker(temperature=0.1)
    rows = strategy.represent(ego_graphs(graph))
    pairs = every_source(np.array([3, 8]), 25)
    walks = rollout(
        graph, strategy, rows, pairs, memory_named(memory), 20, 1, seed=seed, keep_paths=True
    )
    linked = graph.adjacency().toarray() > 0
    for (source, target), path, hops in zip(
        pairs, walks.paths[:, 0], walks.hops[:, 0], strict=True
    ):
        path = path[path >= 0]
        assert path[0] == source
        assert linked[path[:-1], path[1:]].all()
        assert target not in path[:-1]
        assert (path[-1] == target) == (hops <= 20)
        assert len(path) - 1 == min(hops, 20)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31), st.sampled_from(sorted(WALKERS)))
def test_backtrack__always_delivers_within_twice_the_other_nodes(seed, name):
    graph = kaiser_hilgetag(n=30, beta=0.3, seed=seed)
    strategy = prepare(WALKERS[name](), SearchTask.split(graph, seed=0))
    rows = strategy.represent(ego_graphs(graph))
    pairs = every_source(np.arange(0, 30, 7), 30)
    limit = 2 * (graph.num_nodes - 1)
    walks = rollout(graph, strategy, rows, pairs, memory_named("backtrack"), limit, 1, seed=seed)
    assert walks.hops.max() <= limit


def test_visited__crosses_a_ring_without_turning_back():
    ring = Graph.from_edges(np.array([[i, (i + 1) % 20] for i in range(20)]), 20)
    strategy = RandomWalker()
    rows = strategy.represent(ego_graphs(ring))
    walks = rollout(ring, strategy, rows, np.array([[0, 10]]), memory_named("visited"), 50, 30, 0)
    assert (walks.hops == 10).all()


def test_streams__are_uniform_and_differ_between_episodes():
    states = episode_streams(0, 0, 20000)
    assert len(np.unique(states)) == 20000
    numbers = uniforms_of(states)
    assert abs(numbers.mean() - 0.5) < 0.01
    assert abs(np.corrcoef(numbers[:-1], numbers[1:])[0, 1]) < 0.03


@pytest.mark.parametrize("memory", ["none", "visited", "backtrack", "frontier"])
@pytest.mark.parametrize("name", ["distance", "random", "bidirectional"])
def test_rollout__without_numba_gives_the_same_walks(monkeypatch, memory, name):
    strategy, rows = ready(name)
    pairs = TASK.test_pairs[:10]
    fast = rollout(GRAPH, strategy, rows, pairs, memory_named(memory), 25, 2, 4, keep_paths=True)
    for missing in ("kernels", "frontier_kernel"):
        monkeypatch.setitem(sys.modules, f"garden.search.{missing}", None)
    plain = rollout(GRAPH, strategy, rows, pairs, memory_named(memory), 25, 2, 4, keep_paths=True)
    assert np.array_equal(fast.hops, plain.hops)
    assert np.array_equal(fast.paths, plain.paths)
