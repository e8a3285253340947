"""Walks with the memory `explore`: compiled, plain, lazy, and with biases, all the same."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import garden
from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.task import SearchTask, every_source
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.process_settings import kernels_wanted
from garden.resolve import contender_named, contender_of
from garden.search import compare as comparison
from garden.search.episode_rng import episode_streams
from garden.search.lazy_rollout import lazy_rollout
from garden.search.lazy_rows import LazyRows
from garden.search.rollout import rollout
from garden.search.walk import walk
from garden.strategies.base import Strategy
from garden.strategies.lookahead import BidirectionalWalker, LookaheadWalker

UNIVERSAL = contender_named("universal").strategy


class Rounded(Strategy):
    """`universal` with rounded scores: equal rows score alike in blocks of every size."""

    shows_links = True

    def represent(self, egos):
        return UNIVERSAL.represent(egos)

    def score(self, candidates, targets):
        return np.round(UNIVERSAL.score(candidates, targets), 2)


STRATEGIES = (Rounded(), LookaheadWalker(), BidirectionalWalker())
NAMES = ("rounded", "lookahead", "bidirectional")


def clashing(num_nodes, seed, num_profiles):
    """A graph whose nodes share a few profiles."""
    bare = kaiser_hilgetag(n=num_nodes, beta=0.5, seed=seed)
    kinds = np.random.default_rng(seed).integers(0, num_profiles, num_nodes)
    table = np.eye(num_profiles, dtype=np.float32)[kinds]
    names = tuple(f"kind {one}" for one in range(num_profiles))
    return Graph(bare.indptr, bare.indices, table, bare.node_names, names, "clashing")


def played(strategy, graph, limit, keep_paths=False, seed=5):
    contender = contender_of("it", strategy, "explore")
    rows = contender.strategy.represent(ego_graphs(graph))
    pairs = every_source(np.arange(0, graph.num_nodes, 7), graph.num_nodes)
    numbers = (pairs, contender.memory, limit, 1, seed)
    return (
        contender,
        rows,
        rollout(graph, contender.strategy, rows, *numbers, keep_paths=keep_paths),
    )


@pytest.mark.parametrize("strategy", STRATEGIES, ids=NAMES)
@pytest.mark.parametrize("num_profiles", [1, 3, 30])
def test_explore__compiled_walks_equal_the_plain_walk_hop_for_hop(strategy, num_profiles):
    graph = clashing(40, 2, num_profiles)
    contender, rows, walks = played(strategy, graph, 60, keep_paths=True)
    pairs = every_source(np.arange(0, 40, 7), 40)
    streams = episode_streams(5, 0, len(pairs))
    lengths = set()
    for number in range(0, len(pairs), 5):
        source, target = pairs[number].tolist()
        plain = walk(
            graph, contender.strategy, rows, source, target, contender.memory, 60,
            int(streams[number]),
        )  # fmt: skip
        path = walks.paths[number, 0]
        assert path[path >= 0].tolist() == list(plain.nodes)
        assert walks.hops[number, 0] == (plain.hops if plain.delivered else 61)
        lengths.add(plain.hops)
    assert max(lengths) > 5  # some turn back


@pytest.mark.parametrize("strategy", STRATEGIES, ids=NAMES)
@pytest.mark.skipif(not kernels_wanted(), reason="lazy walks run by compiled kernels")
def test_explore__lazy_walks_are_the_eager_ones_hop_for_hop(strategy):
    pytest.importorskip("numba", reason="lazy walks run by compiled kernels")
    graph = clashing(120, 3, 4)
    contender = contender_of("it", strategy, "explore")
    rows = contender.strategy.represent(ego_graphs(graph))
    walks = (SearchTask.split(graph, seed=0).test_pairs[:40], contender.memory, 80, 2, 11, 5)
    eager = rollout(graph, contender.strategy, rows, *walks, keep_paths=True)
    lazily = lazy_rollout(graph, contender.strategy, LazyRows(graph, contender.strategy), *walks)
    assert np.array_equal(lazily.hops, eager.hops)
    assert np.array_equal(lazily.paths, eager.paths)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**31), st.integers(1, 12), st.sampled_from(STRATEGIES))
def test_explore__always_delivers_within_four_times_the_other_nodes(seed, num_profiles, strategy):
    graph = clashing(30, seed, num_profiles)
    limit = 4 * (graph.num_nodes - 1)
    assert played(strategy, graph, limit, seed=seed)[2].hops.max() <= limit


def test_explore__neither_batches_nor_a_second_memory_change_a_walk():
    graph = clashing(60, 4, 5)
    together = garden.evaluate(graph, ["universal+backtrack", "universal+explore"])
    alone = garden.evaluate(graph, ["universal+explore"])
    assert np.array_equal(together.results[1].outcomes.hops, alone.results[0].outcomes.hops)


def test_explore__needs_fewer_hops_than_backtrack_where_leaves_abound():
    # Twenty hubs in a line, each with ten leaves: leaves have no links to the unseen.
    line = [(hub, hub + 1) for hub in range(19)]
    leaves = [(hub, 20 + 10 * hub + leaf) for hub in range(20) for leaf in range(10)]
    table = np.random.default_rng(0).integers(0, 2, (220, 16)).astype(np.float32)
    graph = Graph.from_edges(np.array([*line, *leaves]), 220, table)
    report = garden.evaluate(graph, ["universal+backtrack", "universal+explore"])
    backtrack, explore = (result.mean_hops for result in report.results)
    assert explore < 0.7 * backtrack


def test_explore__lazy_evaluation_on_a_large_graph_is_the_eager_one(monkeypatch):
    graph = clashing(300, 6, 40)
    eager = garden.evaluate(graph, [Rounded()], memory="explore")
    monkeypatch.setattr(comparison, "MIN_NODES", 100)
    monkeypatch.setattr(comparison, "few_are_met", lambda *_: True)
    lazily = garden.evaluate(graph, [Rounded()], memory="explore")
    assert lazily.results[0].represented_nodes is not None
    assert np.array_equal(lazily.results[0].outcomes.hops, eager.results[0].outcomes.hops)


def test_explore__routes_one_message():
    graph = clashing(60, 4, 5)
    names = graph.node_names
    trip = garden.route(graph, source=names[3], target=names[50], strategy="universal+explore")
    assert trip.delivered
