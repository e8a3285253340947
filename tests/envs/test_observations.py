from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from garden.api import load_policy
from garden.datasets.task import SearchTask
from garden.envs.kernels import fill_observations
from garden.envs.observations import Observer, fill_observations_plain, observer_of
from garden.envs.vector_env import Buffers
from garden.errors import StrategyError
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.strategies.duck_typed import as_strategy
from garden.strategies.gossip.beacons import Beacons
from garden.strategies.lookahead import LookaheadWalker
from garden.strategies.representations import Representations
from garden.strategies.walkers import ConnectionWalker, DistanceWalker


def test_observe__lays_out_neighbours_padding_and_target(small_graph: Graph) -> None:
    observer = observer_of(small_graph, None)
    seen = observer.observe(np.array([4]), np.array([0])).reshape(observer.max_degree + 1, -1)
    log = np.log1p(small_graph.degrees)
    assert seen[0] == pytest.approx([1, log[3], 3, 0.5])
    assert seen[1] == pytest.approx([1, log[5], 5, 3])
    assert (seen[2] == 0).all()
    assert seen[3] == pytest.approx([1, log[0], 0, -1])


def test_observe__without_a_message_the_target_is_not_shown(small_graph: Graph) -> None:
    observer = observer_of(small_graph, None)
    with_message = observer.observe(np.array([4]), np.array([0]))[0]
    without = observer.observe(np.array([4]), np.array([-1]))[0]
    assert (without[-observer.width :] == 0).all()
    assert (without[: -observer.width] == with_message[: -observer.width]).all()


def test_observe__holds_nothing_from_further_away(grown_task: SearchTask) -> None:
    """Other edges and attributes beyond the ego graphs in sight leave an observation as it is."""
    graph = grown_task.graph
    holder, target = 0, int(grown_task.test_targets[0])
    egos = ego_graphs(graph, np.array([*graph.neighbours(holder), target]))
    outside = np.setdiff1d(np.arange(graph.num_nodes), egos.members)
    assert len(outside) > 2
    attributes = np.array(graph.attributes)
    attributes[outside] += 7
    edges = np.concatenate([graph.edges(), [outside[:2]]])
    other = Graph.from_edges(edges, graph.num_nodes, attributes=attributes)
    assert other.degrees.max() == graph.degrees.max()
    seen = [
        observer_of(one, None).observe(np.array([holder]), np.array([target]))
        for one in (graph, other)
    ]
    assert (seen[0] == seen[1]).all()


def test_observe__tells_neither_ids_nor_the_holder(small_graph: Graph) -> None:
    """Nodes under other numbers, in the same order among neighbours, are seen the same."""
    shifted = Graph.from_edges(
        small_graph.edges() + 1,
        7,
        attributes=np.concatenate([[[9, 9]], np.asarray(small_graph.attributes)]),
    )
    ours = observer_of(small_graph, None).observe(np.array([3]), np.array([5]))
    theirs = observer_of(shifted, None).observe(np.array([4]), np.array([6]))
    assert (ours == theirs).all()


def test_observer__shows_representations_where_a_strategy_is_given(small_graph: Graph) -> None:
    observer = observer_of(small_graph, ConnectionWalker())
    assert observer.width == 3
    assert (observer.rows[:, 2] == small_graph.degrees).all()
    profiles = observer_of(small_graph, DistanceWalker())
    assert (profiles.rows == observer_of(small_graph, None).rows).all()


def test_observer__sparse_attributes_are_shown_as_dense_ones(small_graph: Graph) -> None:
    import scipy.sparse as sp

    sparse = replace(small_graph, attributes=sp.csr_array(small_graph.attributes))
    assert (observer_of(sparse, None).rows == observer_of(small_graph, None).rows).all()
    shown = observer_of(sparse, DistanceWalker())
    assert (shown.rows == observer_of(small_graph, None).rows).all()


def test_observer__shows_distances_to_the_best_ranked_beacons(small_graph: Graph) -> None:
    observer = observer_of(small_graph, Beacons(k=2))
    own = observer_of(small_graph, None).rows[:, :2]
    assert (observer.rows[:, :2] == own).all()
    assert set(np.argmin(observer.rows[:, 2:], axis=0)) == {1, 3}  # those of highest degree
    assert (observer.rows[:, 2:].min(axis=0) == 0).all()


def test_observer__shows_settled_rows_of_one_length_as_they_are(small_graph: Graph) -> None:
    class Reach:
        """How many hops an agent has heard of so far, up to three."""

        needs_attributes = False

        def begin(self, egos, keys):  # type: ignore[no-untyped-def]
            return Representations({"hops": np.ones(len(egos))})

        def hear(self, own, neighbours, owner):  # type: ignore[no-untyped-def]
            return Representations({"hops": np.minimum(own.arrays["hops"] + 1, 3)})

        def score(self, candidates, targets):  # type: ignore[no-untyped-def]
            return np.zeros((len(targets), len(candidates)))

    assert (observer_of(small_graph, as_strategy(Reach())).rows[:, 2] == 3).all()


def test_observer__refuses_representations_of_differing_length(small_graph: Graph) -> None:
    with pytest.raises(StrategyError, match="differ in length"):
        observer_of(small_graph, LookaheadWalker())


def test_observer__shows_the_rows_of_a_policy_trained_on_such_attributes(
    grown_task: SearchTask, small_graph: Graph
) -> None:
    policy = load_policy("garden-quickstart")
    observer = observer_of(grown_task.graph, policy)
    rows = policy.represent(ego_graphs(grown_task.graph)).arrays["row"]
    assert observer.rows[:, 2:] == pytest.approx(np.asarray(rows))
    with pytest.raises(StrategyError, match="other attributes"):
        observer_of(small_graph, policy)


def test_bounds__hold_every_observation_and_leave_room(grown_task: SearchTask) -> None:
    graph = grown_task.graph
    table = np.concatenate([np.array(graph.attributes), np.zeros((graph.num_nodes, 1))], axis=1)
    flat = Graph.from_edges(graph.edges(), graph.num_nodes, attributes=table)
    observer = observer_of(flat, None)
    low, high = observer.bounds
    nodes = np.arange(graph.num_nodes)
    seen = observer.observe(nodes, nodes[::-1].copy())
    assert (low <= seen).all()
    assert (seen <= high).all()
    assert (low < high).all()


def test_fill__kernel_equals_its_plain_twin(grown_task: SearchTask) -> None:
    observer: Observer = observer_of(grown_task.graph, None)
    rng = np.random.default_rng(0)
    holders = rng.integers(0, 60, 200)
    targets = rng.integers(-1, 60, 200)
    made = [np.full((200, observer.size), 9, dtype=np.float32) for _ in range(2)]
    graph = grown_task.graph
    for fill, out in zip((fill_observations, fill_observations_plain), made, strict=True):
        fill(graph.indptr, graph.indices, observer.rows, holders, targets, out)
    assert (made[0] == made[1]).all()
    assert (made[0] != 9).all()


def test_fill__lines_laid_out_once_are_what_is_laid_out_each_time(
    grown_task: SearchTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    holders, targets = rng.integers(0, 60, 200), rng.integers(-1, 60, 200)
    once = observer_of(grown_task.graph, None)
    assert once.lines is not None
    monkeypatch.setattr("garden.envs.observations.MAX_CACHED_BYTES", 0)
    each_time = observer_of(grown_task.graph, None)
    assert each_time.lines is None
    assert (once.observe(holders, targets) == each_time.observe(holders, targets)).all()


def test_fill__two_threads_fill_as_one_does(
    grown_task: SearchTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("garden.envs.observations.MAX_CACHED_BYTES", 0)
    observer = observer_of(grown_task.graph, None)
    many = (1 << 22) // (4 * observer.size) + 3  # just enough for a second thread, and odd
    holders = np.arange(many) % 60
    targets = (holders + 1) % 60
    seen = observer.observe(holders, targets)
    assert seen.nbytes > 1 << 22
    for part in (slice(0, 100), slice(many // 2 - 50, many // 2 + 50), slice(many - 100, many)):
        assert (seen[part] == observer.observe(holders[part], targets[part])).all()


def test_buffers__memory_is_used_again_only_when_nobody_holds_a_part_of_it() -> None:
    buffers = Buffers((4, 3))
    first = buffers.take()
    place = first.ctypes.data
    part = first[2:]
    del first
    second = buffers.take()
    assert second.ctypes.data != place
    tensor = torch.from_numpy(part)
    del part
    third = buffers.take()
    assert third.ctypes.data not in {place, second.ctypes.data}
    del tensor
    assert buffers.take().ctypes.data == place
