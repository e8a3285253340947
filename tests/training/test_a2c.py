import sys

import numpy as np
import pytest
import torch

from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.task import SearchTask
from garden.search.chain import chain_of_scores
from garden.training.methods.a2c import (
    Walks,
    draw_sources,
    episode_losses,
    walk_batch,
    walk_by_tensors,
)
from garden.training.methods.hop_policy import entropies, log_policy
from garden.training.training_graph import make_training_graph

GRAPH = kaiser_hilgetag(n=24, beta=2, seed=3)
PROBLEM = make_training_graph([SearchTask.split(GRAPH, seed=0)])
TARGETS = torch.tensor([3, 11, 20])
SCORES = torch.randn(3, 24, generator=torch.Generator().manual_seed(0))
VALUES = torch.rand(3, 24, generator=torch.Generator().manual_seed(1))


def hop_between(holder, neighbour):
    match = (PROBLEM.holders == holder) & (PROBLEM.neighbours == neighbour)
    return int(match.nonzero()[0])


def some_walks(max_hops=12, num_walks=5):
    generator = torch.Generator().manual_seed(2)
    sources = draw_sources(TARGETS, num_walks, PROBLEM, generator)
    return walk_batch(log_policy(SCORES, PROBLEM), TARGETS, sources, max_hops, PROBLEM, generator)


def test_losses__a_batch_is_the_sum_of_its_episodes():
    walks = some_walks()
    log_probabilities = log_policy(SCORES, PROBLEM)
    together = episode_losses(log_probabilities, VALUES, TARGETS, walks, 0.99, 1e-3, PROBLEM)
    alone = 0.0
    for row in range(3):
        for walk in range(5):
            one = Walks(
                walks.hops[:, row : row + 1, walk : walk + 1],
                walks.walking[:, row : row + 1, walk : walk + 1],
            )
            part = slice(row, row + 1)
            loss = episode_losses(
                log_probabilities[part], VALUES[part], TARGETS[part], one, 0.99, 1e-3, PROBLEM
            )
            assert float(loss.sum()) == pytest.approx(float(together[row, walk]), abs=1e-5)
            alone += float(loss.sum())
    assert float(together.sum()) == pytest.approx(alone, abs=1e-4)


@pytest.mark.parametrize("delivered", [True, False])
def test_losses__match_algorithm_1_worked_by_hand(delivered):
    # Two hops a → b → c; the episode ends in delivery at c, or is truncated there.
    a = 0
    b = int(GRAPH.neighbours(a)[0])
    c = next(int(x) for x in GRAPH.neighbours(b) if int(x) not in (a, b))
    target = c if delivered else next(x for x in range(24) if x not in (a, b, c))
    hops = torch.tensor([hop_between(a, b), hop_between(b, c)]).reshape(2, 1, 1)
    walks = Walks(hops, torch.ones(2, 1, 1, dtype=torch.bool))
    log_probabilities = log_policy(SCORES[:1], PROBLEM)
    loss = episode_losses(
        log_probabilities, VALUES[:1], torch.tensor([target]), walks, 0.9, 0.01, PROBLEM
    )
    v, h = VALUES[0], entropies(log_probabilities, PROBLEM)[0]
    first = 0.9 * v[b] - v[a]
    second = (1.0 if delivered else 0.9 * v[c]) - v[b]
    log_first, log_second = log_probabilities[0, hops[0, 0, 0]], log_probabilities[0, hops[1, 0, 0]]
    expected = (
        -first * log_first - 0.01 * h[a] + first**2 - second * log_second - 0.01 * h[b] + second**2
    )
    assert float(loss) == pytest.approx(float(expected), abs=1e-5)


def test_losses__bootstrap_and_policy_advantage_carry_no_gradient():
    walks = some_walks()
    values = VALUES.clone().requires_grad_()
    scores = SCORES.clone().requires_grad_()
    log_probabilities = log_policy(scores, PROBLEM)
    episode_losses(log_probabilities, values, TARGETS, walks, 0.99, 0.0, PROBLEM).sum().backward()
    expected = torch.zeros_like(VALUES)
    for step in range(len(walks.hops)):
        for row in range(3):
            for walk in range(5):
                if walks.walking[step, row, walk]:
                    hop = walks.hops[step, row, walk]
                    u, w = PROBLEM.holders[hop], PROBLEM.neighbours[hop]
                    onward = 1.0 if w == TARGETS[row] else 0.99 * VALUES[row, w]
                    expected[row, u] -= 2 * (onward - VALUES[row, u])
    assert torch.allclose(values.grad, expected, atol=1e-4)


def test_walks__follow_edges_from_source_to_target():
    generator = torch.Generator().manual_seed(4)
    sources = draw_sources(TARGETS, 50, PROBLEM, generator)
    assert (sources != TARGETS[:, None]).all()
    walks = walk_batch(log_policy(SCORES, PROBLEM), TARGETS, sources, 30, PROBLEM, generator)
    holder = sources
    for step in range(len(walks.hops)):
        hop, walking = walks.hops[step], walks.walking[step]
        assert (PROBLEM.holders[hop] == holder)[walking].all()
        assert (holder != TARGETS[:, None])[walking].all()
        holder = torch.where(walking, PROBLEM.neighbours[hop], holder)


def test_walks__have_the_chains_expected_length():
    generator = torch.Generator().manual_seed(5)
    sources = torch.zeros(3, 4000, dtype=torch.int64)
    walks = walk_batch(log_policy(SCORES, PROBLEM), TARGETS, sources, 50, PROBLEM, generator)
    lengths = walks.walking.sum(dim=0).double()
    expected, _ = chain_of_scores(GRAPH, SCORES.double().numpy(), "softmax", TARGETS.numpy(), 50)
    error = (lengths.std(dim=1) / 4000**0.5).numpy()
    assert (np.abs(lengths.mean(dim=1).numpy() - expected[:, 0]) <= 4.5 * error).all()


@pytest.mark.parametrize("max_hops", [4, 30, 47])
def test_walks__compiled_and_by_tensors_are_hop_for_hop_the_same(max_hops):
    pytest.importorskip("numba")
    probabilities = log_policy(3 * SCORES, PROBLEM)
    sources = draw_sources(TARGETS, 20, PROBLEM, torch.Generator().manual_seed(6))
    streams = [torch.Generator().manual_seed(7) for _ in range(2)]
    compiled = walk_batch(probabilities, TARGETS, sources, max_hops, PROBLEM, streams[0])
    running = probabilities.double().exp().cumsum(dim=1)
    plain = walk_by_tensors(running, TARGETS, sources, max_hops, PROBLEM, streams[1])
    assert torch.equal(compiled.hops, plain.hops)
    assert torch.equal(compiled.walking, plain.walking)
    assert torch.equal(streams[0].get_state(), streams[1].get_state())


def test_walks__without_numba_are_the_same(monkeypatch):
    with_kernel = some_walks()
    monkeypatch.setitem(sys.modules, "garden.training.methods.a2c_kernel", None)
    without = some_walks()
    assert torch.equal(with_kernel.hops, without.hops)
    assert torch.equal(with_kernel.walking, without.walking)
