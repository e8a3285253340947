import numpy as np
import pytest
import torch

from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.task import SearchTask
from garden.graphs.distances import distances
from garden.graphs.graph import Graph
from garden.search.chain import chain_of_scores
from garden.training import validation
from garden.training.chain_solvers import (
    return_surrogate,
    solve_by_factors,
    solve_by_squares,
    solve_dense,
    solve_sparse,
    source_weights,
)
from garden.training.methods.a2c import walk_batch
from garden.training.methods.base import is_wide
from garden.training.methods.hop_policy import entropies, log_policy
from garden.training.training_graph import make_training_graph

GRAPH = kaiser_hilgetag(n=24, beta=2, seed=3)
PROBLEM = make_training_graph([SearchTask.split(GRAPH, seed=0)])
TARGETS = torch.tensor([3, 11, 20])
SCORES = torch.randn(3, 24, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def line_problem():
    """A path 0-1-2 as part of a longer line, for hand-solved chains."""
    line = Graph.from_edges(np.array([[i, i + 1] for i in range(9)]), 10, np.eye(10))
    return make_training_graph([SearchTask.split(line, seed=0)])


def test_log_policy__sums_to_one_around_every_holder():
    probabilities = log_policy(SCORES, PROBLEM).exp()
    totals = torch.zeros(3, 24, dtype=torch.float64).index_add(1, PROBLEM.holders, probabilities)
    assert torch.allclose(totals, torch.ones_like(totals))
    around = log_policy(SCORES, PROBLEM)[0, PROBLEM.first_hop[5] : PROBLEM.first_hop[6]]
    expected = torch.log_softmax(SCORES[0, torch.as_tensor(GRAPH.neighbours(5).copy())], dim=0)
    assert torch.allclose(around, expected)


def spread_out(scale):
    """Scores that fall by ``scale`` with every hop from the target, as a sure policy's do."""
    return -scale * torch.as_tensor(distances(GRAPH, TARGETS.numpy()), dtype=torch.float64)


@pytest.mark.parametrize("scale", [1.0, 60.0, 100.0, 1e4, 1e6])
def test_log_policy__sums_to_one_however_far_scores_lie_apart(scale):
    for scores in (spread_out(scale), scale * SCORES, (scale * SCORES).float()):
        log_probabilities = log_policy(scores, PROBLEM)
        probabilities = log_probabilities.double().exp()
        totals = torch.zeros(3, 24, dtype=torch.float64).index_add(
            1, PROBLEM.holders, probabilities
        )
        assert torch.allclose(totals, torch.ones_like(totals), atol=1e-4)
        assert not log_probabilities.isnan().any()


def test_log_policy__a_wide_table_has_the_gradient_of_a_narrow_one():
    # A node that nobody chooses, at −500 or at −10⁴, changes nothing for the others.
    others = PROBLEM.neighbours != 7
    weights = torch.randn(3, len(PROBLEM.holders), generator=torch.Generator().manual_seed(1))
    found = []
    for lowest in (-500.0, -1e4):
        scores = SCORES.clone()
        scores[:, 7] = lowest
        assert is_wide(scores) == (lowest < -600)
        scores.requires_grad_()
        log_probabilities = log_policy(scores, PROBLEM)
        (log_probabilities * weights * others).sum().backward()
        found.append((log_probabilities.detach()[:, others], scores.grad))
    assert torch.allclose(found[0][0], found[1][0])
    assert torch.allclose(found[0][1], found[1][1])


@pytest.mark.parametrize("nodes_of_dense_solves", [0, validation.DENSE_NODES])
@pytest.mark.parametrize("scale", [1.0, 60.0, 1e4])
def test_validation__the_gpus_way_equals_the_cpus_at_any_spread(
    scale, nodes_of_dense_solves, monkeypatch
):
    monkeypatch.setattr(validation, "DENSE_NODES", nodes_of_dense_solves)
    for scores in (spread_out(scale), scale * SCORES):
        ours = validation.hops_by_products(scores, TARGETS, 100, PROBLEM)
        theirs = chain_of_scores(GRAPH, scores.numpy(), "softmax", TARGETS.numpy(), 100)
        assert np.allclose(ours[0], theirs[0])
        assert np.allclose(ours[1], theirs[1])
    sure, _ = validation.hops_by_products(spread_out(1e4), TARGETS, 100, PROBLEM)
    assert np.allclose(sure, distances(GRAPH, TARGETS.numpy()))


def test_entropies__of_an_even_choice_are_log_degrees():
    even = entropies(log_policy(torch.zeros(1, 24, dtype=torch.float64), PROBLEM), PROBLEM)
    assert torch.allclose(even[0], torch.tensor(np.log(GRAPH.degrees)))


def test_values__match_a_hand_solved_line():
    # Target 0, even probabilities: V(1) = 1/2 + γ/2 V(2), V(2) = γ/2 (V(1) + V(3)), V(9) = γ V(8).
    training_graph = line_problem()
    probabilities = log_policy(torch.zeros(1, 10, dtype=torch.float64), training_graph).exp()
    weights = torch.full((1, 10), 0.1, dtype=torch.float64)
    values, _ = solve_dense(probabilities, torch.tensor([0]), weights, 0.9, training_graph)
    v = values[0]
    assert float(v[0]) == 0
    assert float(v[1]) == pytest.approx(0.5 + 0.45 * float(v[2]))
    assert float(v[2]) == pytest.approx(0.45 * float(v[1] + v[3]))
    assert float(v[9]) == pytest.approx(0.9 * float(v[8]))


def test_solvers__dense_and_sparse_agree_on_values_and_occupancy():
    probabilities = log_policy(SCORES, PROBLEM).exp()
    weights = source_weights(PROBLEM.distances_to(TARGETS), "inverse-distance").double()
    dense = solve_dense(probabilities, TARGETS, weights, 0.97, PROBLEM)
    sparse = solve_sparse(probabilities, TARGETS, weights, 0.97, PROBLEM, tolerance=1e-8)
    for ours, theirs in zip(dense, sparse, strict=True):
        assert torch.allclose(ours, theirs, atol=1e-6)


@pytest.mark.parametrize("gamma", [0.5, 0.95, 0.99])
def test_squares_and_factors_solve_the_same_systems(gamma):
    generator = torch.Generator().manual_seed(3)
    moves = torch.rand(3, 20, 20, generator=generator, dtype=torch.float64)
    moves = gamma * moves / moves.sum(dim=2, keepdim=True)  # nobody delivers: the slowest case
    arrivals, weights = torch.rand(2, 3, 20, generator=generator, dtype=torch.float64)
    expected = solve_by_factors(moves, arrivals, weights)
    for found, exact in zip(
        solve_by_squares(moves, arrivals, weights, gamma), expected, strict=True
    ):
        assert torch.allclose(found, exact, rtol=1e-6)


@pytest.mark.parametrize("kind", ["inverse-distance", "uniform"])
def test_gradient__surrogate_equals_differentiating_through_the_solve(kind):
    weights = source_weights(PROBLEM.distances_to(TARGETS), kind).double()
    gradients = []
    for dense in (True, False):
        scores = SCORES.clone().requires_grad_()
        surrogate, returns = return_surrogate(
            log_policy(scores, PROBLEM), TARGETS, weights, 0.97, PROBLEM, dense=dense
        )
        surrogate.sum().backward()
        gradients.append(scores.grad)
    scores = SCORES.clone().requires_grad_()
    probabilities = log_policy(scores, PROBLEM).exp()
    total = torch.zeros((), dtype=torch.float64)
    for row, target in enumerate(TARGETS.tolist()):
        keep = (PROBLEM.holders != target) & (PROBLEM.neighbours != target)
        system = torch.eye(24, dtype=torch.float64).index_put(
            (PROBLEM.holders, PROBLEM.neighbours),
            -0.97 * probabilities[row] * keep,
            accumulate=True,
        )
        arriving = torch.zeros(24, dtype=torch.float64).index_add(
            0, PROBLEM.holders, probabilities[row] * (PROBLEM.neighbours == target)
        )
        total = total + (weights[row] * torch.linalg.solve(system, arriving)).sum()
    total.backward()
    assert float(returns.sum()) == pytest.approx(float(total.detach()), abs=1e-6)
    for gradient in gradients:
        assert torch.allclose(gradient, scores.grad, atol=1e-5)


def test_gradient__agrees_with_monte_carlo_within_its_error():
    """Σ γ^t G_t ∇log π over sampled episodes, whose mean is the exact gradient."""
    gamma, target, walks = 0.9, 11, 40_000
    targets = torch.tensor([target])
    scores = 0.5 * SCORES[1:2]
    weights = source_weights(PROBLEM.distances_to(targets), "uniform").double()
    exact = scores.clone().requires_grad_()
    surrogate, _ = return_surrogate(
        log_policy(exact, PROBLEM), targets, weights, gamma, PROBLEM, dense=True
    )
    surrogate.sum().backward()
    generator = torch.Generator().manual_seed(1)
    others = torch.tensor([node for node in range(24) if node != target])
    sources = others[torch.randint(23, (1, walks), generator=generator)]
    log_probabilities = log_policy(scores, PROBLEM)
    batch = walk_batch(log_probabilities, targets, sources, 400, PROBLEM, generator)
    hops = batch.walking.sum(dim=0)[0]  # an episode of h hops returns γ^(h−1) from its start
    # G_t = γ^(h−1−t), so γ^t G_t is the same at every hop of an episode.
    worth = gamma ** (hops - 1).double() * (hops < 400)
    probabilities = log_probabilities[0].exp()
    samples = torch.zeros(walks, 24, dtype=torch.float64)
    for step in range(int(hops.max())):
        walking, hop = batch.walking[step, 0], batch.hops[step, 0]
        holder = PROBLEM.holders[hop]
        own = torch.zeros(walks, 24, dtype=torch.float64)
        own[torch.arange(walks), PROBLEM.neighbours[hop]] += 1
        policy = torch.zeros(24, 24, dtype=torch.float64)
        policy[PROBLEM.holders, PROBLEM.neighbours] = probabilities
        samples += (walking * worth)[:, None] * (own - policy[holder])
    mean, error = samples.mean(dim=0), samples.std(dim=0) / walks**0.5
    assert ((mean - exact.grad[0]).abs() <= 4.5 * error + 1e-9).all()


def test_source_weights__sum_to_one_and_follow_the_distance():
    hops = PROBLEM.distances_to(TARGETS)
    for kind in ("inverse-distance", "uniform"):
        weights = source_weights(hops, kind)
        assert torch.allclose(weights.sum(dim=1), torch.ones(3))
        assert (weights[torch.arange(3), TARGETS] == 0).all()
    near, far = (hops[0] == 1).nonzero()[0], hops[0].argmax()
    weights = source_weights(hops, "inverse-distance")[0]
    assert float(weights[near] / weights[far]) == pytest.approx(float(hops[0, far]))


def test_validation__torch_chains_equal_the_exact_evaluation(monkeypatch):
    expected, truncation = chain_of_scores(GRAPH, SCORES.numpy(), "softmax", TARGETS.numpy(), 40)
    for dense_nodes in (1000, 1):
        monkeypatch.setattr(validation, "DENSE_NODES", dense_nodes)
        hops, late = validation.hops_by_products(SCORES, TARGETS, 40, PROBLEM)
        assert np.allclose(hops, expected)
        assert np.allclose(late, truncation)
    hops, _ = validation.validation_hops(SCORES, TARGETS, 40, PROBLEM)
    assert np.allclose(hops, expected)


def test_problem__distances_are_the_oracles_with_and_without_a_table(monkeypatch):
    table = torch.as_tensor(distances(GRAPH)[TARGETS.numpy()]).float()
    assert torch.equal(PROBLEM.distances_to(TARGETS), table)
    monkeypatch.setattr("garden.training.training_graph.MAX_TABLE_NODES", 5)
    lazy = make_training_graph([SearchTask.split(GRAPH, seed=0)])
    assert lazy.distance_table is None
    assert torch.equal(lazy.distances_to(TARGETS), table)


def test_problem__draws_only_training_targets_and_none_twice():
    task = SearchTask.split(GRAPH, seed=0)
    drawn = PROBLEM.draw_targets(10, torch.Generator().manual_seed(0))
    assert drawn.shape == (1, 10)
    assert len(set(drawn[0].tolist())) == 10
    assert set(drawn[0].tolist()) <= set(task.train_targets.tolist())


def test_solvers__dense_is_right_after_the_number_of_threads_was_set():
    threads = torch.get_num_threads()
    graph = kaiser_hilgetag(n=330, beta=2, seed=0)
    training_graph = make_training_graph([SearchTask.split(graph, seed=0)])
    targets = torch.arange(8)
    probabilities = log_policy(torch.zeros(8, 330), training_graph).exp()
    weights = source_weights(training_graph.distances_to(targets), "uniform")
    torch.set_num_threads(2)
    try:
        dense = solve_dense(probabilities, targets, weights, 0.95, training_graph)
    finally:
        torch.set_num_threads(threads)
    sparse = solve_sparse(probabilities, targets, weights, 0.95, training_graph)
    for ours, theirs in zip(dense, sparse, strict=True):
        assert torch.allclose(ours, theirs, atol=1e-4)
