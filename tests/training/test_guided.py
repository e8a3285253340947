import json
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch

import garden
from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.task import SearchTask
from garden.errors import StrategyError
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.models.layers import Dropout
from garden.models.registry import ModelConfig, build_model
from garden.strategies.ego_matching import key_representations, match_indicators, matched_table
from garden.training.config import TrainingOptions
from garden.training.methods import base, guided
from garden.training.methods.base import (
    embedded_rows,
    mask_links,
    masked_distances,
    match_indicator_table,
    scores_towards,
    target_context_of,
    with_all_links,
)
from garden.training.methods.guided import imitation_losses, sampled_imitation_losses
from garden.training.state import step_share
from garden.training.training_graph import make_training_graph
from garden.training.validation import HANDOVER_TEMPERATURES, best_temperature

GRAPH = kaiser_hilgetag(n=40, beta=2, seed=1)
TASK = SearchTask.split(GRAPH, seed=0)
PROBLEM = make_training_graph([TASK])
DEGREES = torch.tensor(GRAPH.degrees)


def shortest(targets):
    return PROBLEM.distances_to(targets)


def test_imitation__is_the_log_probability_of_coming_nearer():
    targets = torch.tensor([5, 17])
    scores = torch.randn(2, 40, generator=torch.Generator().manual_seed(0))
    distances = shortest(targets)
    losses, totals = imitation_losses(scores, distances, targets, PROBLEM)
    for row in range(2):
        total = 0.0
        for node in range(40):
            context = torch.as_tensor(GRAPH.neighbours(node).astype(np.int64))
            if node != targets[row]:
                expected = torch.logsumexp(scores[row, context], dim=0)
                assert float(totals[row, node]) == pytest.approx(float(expected), abs=1e-5)
                probabilities = torch.softmax(scores[row, context], dim=0)
                total -= float(
                    probabilities[distances[row, context] < distances[row, node]].sum().log()
                )
        assert float(losses[row]) == pytest.approx(total / 39, abs=1e-4)


def test_imitation__of_the_oracle_itself_is_nothing():
    targets = torch.tensor([5, 17])
    losses, _ = imitation_losses(-50 * shortest(targets), shortest(targets), targets, PROBLEM)
    assert losses.abs().max() < 1e-4


def partial_targets(rate=1.0, seed=0):
    generator = torch.Generator().manual_seed(seed)
    targets = torch.tensor([[5, 17, 30, 2], [8, 9, 21, 39]])
    return mask_links(targets, rate, PROBLEM, generator)


def test_masking__every_target_shows_at_least_one_of_its_own_neighbours():
    masked = partial_targets()
    flat = masked.targets.flatten().tolist()
    table = masked.table(40)
    for row, target in enumerate(flat):
        members = table[row].nonzero().flatten().tolist()
        assert members
        assert set(members) <= set(GRAPH.neighbours(target).tolist())
    everything = with_all_links(masked.targets, PROBLEM)
    assert len(masked.owner) < len(everything.owner)
    assert torch.equal(partial_targets(rate=0).members, everything.members)


def test_masking__distances_are_those_of_the_graph_without_hidden_links():
    masked = partial_targets()
    found, table = masked_distances(PROBLEM, masked), masked.table(40)
    for row, target in enumerate(masked.targets.flatten().tolist()):
        graph = nx.Graph(GRAPH.edges().tolist())
        hidden = [n for n in GRAPH.neighbours(target).tolist() if not table[row, n]]
        graph.remove_edges_from([(target, node) for node in hidden])
        expected = nx.single_source_shortest_path_length(graph, target)
        assert found[row].tolist() == [float(expected.get(n, np.inf)) for n in range(40)]
    complete = with_all_links(masked.targets, PROBLEM)
    flat = masked.targets.flatten()
    assert torch.equal(masked_distances(PROBLEM, complete), PROBLEM.distances_to(flat))


def test_masking__indicators_of_unmasked_targets_are_what_a_policy_finds():
    targets = torch.tensor([[3, 11, 25]])
    keys = key_representations(ego_graphs(GRAPH))
    expected = match_indicators(matched_table(keys, keys.take(targets[0].numpy())))
    found = match_indicator_table(PROBLEM, with_all_links(targets, PROBLEM))
    assert found.numpy() == pytest.approx(expected)


def test_masking__partial_targets_are_drawn_in_their_share():
    drawn = torch.arange(2000).reshape(1, -1) % len(TASK.train_targets)
    targets = torch.as_tensor(TASK.train_targets)[drawn]
    masked = mask_links(targets, 0.8, PROBLEM, torch.Generator().manual_seed(1))
    whole = masked.unmasked(PROBLEM)
    assert torch.equal(torch.bincount(masked.owner) == DEGREES[targets[0]], whole[0])
    by_chance = torch.where(DEGREES == 1, 1.0, 1 / (DEGREES + 1))[targets]  # a part that is all
    expected = float((0.2 + 0.8 * by_chance).mean())
    assert float(whole.float().mean()) == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_imitation__sampled_holders_agree_with_all_sources(rate):
    masked = partial_targets(rate)
    flat, distances = masked.targets.flatten(), masked_distances(PROBLEM, masked)
    scores = torch.randn(8, 40, generator=torch.Generator().manual_seed(3))
    expected, _ = imitation_losses(scores, distances, flat, PROBLEM)

    def sampled(holders):
        hops = PROBLEM.hops_of(holders)
        of_hops = scores[:, PROBLEM.neighbours[hops]]
        return sampled_imitation_losses(of_hops, hops, distances, flat, PROBLEM)

    assert torch.allclose(sampled(torch.arange(40)), expected, atol=1e-5)
    # The mean over single holders, each weighted by the targets it has a say in, is the whole.
    away = (distances > 0) & distances.isfinite()
    alone = torch.stack([sampled(torch.tensor([node])) for node in range(40)], dim=1)
    assert torch.allclose((alone * away).sum(1) / away.sum(1), expected, atol=1e-5)


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_imitation__of_scores_far_apart_is_that_of_each_holders_own_softmax(rate):
    masked = partial_targets(rate)
    flat, distances = masked.targets.flatten(), masked_distances(PROBLEM, masked)
    scores = -1e3 * PROBLEM.distances_to(flat) + torch.randn(
        8, 40, generator=torch.Generator().manual_seed(4)
    )
    scores.requires_grad_()
    losses, _ = imitation_losses(scores, distances, flat, PROBLEM)
    losses.sum().backward()
    assert scores.grad.isfinite().all()
    for row, target in enumerate(flat.tolist()):
        found = []
        for node in range(40):
            if 0 < distances[row, node] < torch.inf:
                context = torch.as_tensor(GRAPH.neighbours(node).astype(np.int64))
                visible = (context != target) | (distances[row, node] == 1)
                probabilities = torch.softmax(
                    scores.detach()[row, context[visible]].double(), dim=0
                )
                nearer = distances[row, context[visible]] < distances[row, node]
                found.append(-float(probabilities[nearer].sum().clamp(min=1e-6).log()))
        assert losses[row].item() == pytest.approx(np.mean(found), rel=1e-4, abs=1e-6)


def test_guided__sampled_form_trains_as_well():
    options = TrainingOptions(model="trellis", updates=60, holders_per_update=8)
    policy = garden.train(TASK, options=options, device="cpu", quiet=True)
    report = garden.evaluate(TASK, ["random", policy])
    assert report["trellis"].oracle_ratio < 0.5 * report["random"].oracle_ratio


def test_trellis__hidden_targets_keep_their_neighbours_and_lose_their_own_embedding():
    model = build_model("trellis", 2, ModelConfig())
    rows = model.embed(PROBLEM.egos)
    targets = torch.tensor([[3, 9]])
    masked = model.target_rows(rows, targets)
    hidden = model.target_rows(rows, targets, Dropout(0, torch.Generator()), 0.999999)
    assert torch.equal(masked, rows[:, [3, 9]])
    assert torch.equal(hidden[..., 32:], masked[..., 32:])
    assert torch.equal(hidden[0, 0, :32], hidden[0, 1, :32])


def test_trellis__scores_need_the_target_context():
    model = build_model("trellis", 2, ModelConfig())
    rows = model.embed(PROBLEM.egos)
    with pytest.raises(StrategyError, match="ego graphs show"):
        model.score_table(rows, rows[:, :2])


def test_trellis__problem_and_policy_find_the_same_scores():
    policy = garden.train(
        TASK, options=TrainingOptions(model="trellis", updates=3), device="cpu", quiet=True
    )
    representations = policy.represent(ego_graphs(GRAPH))
    expected = policy.score(representations, representations.take(np.array([4, 30])))
    masked = with_all_links(torch.tensor([[4, 30]]), PROBLEM)
    with torch.no_grad():
        rows = policy.model.embed(PROBLEM.egos)
        found = scores_towards(policy.model, PROBLEM, rows, masked)[0]
        some = torch.tensor([7, 8, 20])
        few = scores_towards(policy.model, PROBLEM, rows, masked, candidates=some)[0]
    assert found.numpy() == pytest.approx(expected, abs=1e-4)
    assert few.numpy() == pytest.approx(expected[:, [7, 8, 20]], abs=1e-4)


def test_guided__trellis_learns_near_shortest_paths_by_imitation_alone():
    task = SearchTask.split(kaiser_hilgetag(n=60, beta=2, seed=1), seed=0)
    options = TrainingOptions(model="trellis", updates=150, dropout=0.0)
    assert options.resolved().return_coef == 0
    policy = garden.train(task, options=options, device="cpu", quiet=True)
    report = garden.evaluate(task, ["bidirectional+visited", policy])
    assert report["trellis"].oracle_ratio < 1.05
    assert report["trellis"].oracle_ratio < report["bidirectional"].oracle_ratio


def test_guided__trellis_learns_near_shortest_paths_on_two_rings():
    # Two rings joined by one bridge; a profile says which arc of which ring a node lies on.
    size = 40
    edges = [[i, (i + 1) % size] for i in range(size)]
    edges += [[size + a, size + b] for a, b in edges] + [[0, size]]
    edges += [[i, (i + 2) % size] for i in range(size)]
    arcs = np.repeat(np.eye(20), 4, axis=0)
    noise = np.random.default_rng(0).integers(0, 2, (80, 12))
    graph = Graph.from_edges(np.array(edges), 80, np.hstack([arcs, noise]))
    task = SearchTask.split(graph, seed=0)
    # One attribute says it all, and is not to be left out. Ways are long, and so few updates must
    # learn from the return what a wrong turn costs.
    options = TrainingOptions(model="trellis", updates=200, dropout=0.0, return_coef=1.0)
    policy = garden.train(task, options=options, device="cpu", quiet=True)
    report = garden.evaluate(task, ["bidirectional+visited", policy])
    assert report["trellis"].oracle_ratio < 1.5
    assert report["trellis"].oracle_ratio < report["bidirectional"].oracle_ratio


def test_trellis__states_its_bytes_per_row():
    policy = garden.train(
        TASK, options=TrainingOptions(model="trellis", updates=1), device="cpu", quiet=True
    )
    rows = policy.represent(ego_graphs(GRAPH))
    assert rows.bytes_per_row.tolist() == (4 * 98 + 8 + 140 * GRAPH.degrees).tolist()


def test_options__trellis_is_guided_unless_told_otherwise():
    assert TrainingOptions().resolved().method == "guided"
    assert TrainingOptions(model="garden").resolved().method == "exact"


def test_trellis__learns_values_by_a2c():
    options = TrainingOptions(method="a2c", updates=100, learning_rate=3e-3, gamma=0.9)
    policy = garden.train(TASK, options=options, device="cpu", quiet=True)
    representations = policy.represent(ego_graphs(GRAPH))
    values = policy.value(representations, representations)
    distances = PROBLEM.distances_to(torch.arange(40)).numpy()
    others = distances > 0
    assert np.corrcoef(values[others], distances[others])[0, 1] < -0.7


@pytest.mark.parametrize("parts", ["embeddings", "matching"])
def test_trellis__a_part_reads_nothing_of_the_other(parts):
    model = build_model("trellis", 2, ModelConfig(parts=parts))
    masked = with_all_links(torch.tensor([[4, 30]]), PROBLEM)
    rows = model.embed(PROBLEM.egos)
    context = target_context_of(model, PROBLEM, rows, masked)
    target_rows = model.target_rows(rows, masked.targets)
    scores = model.score_table(rows, target_rows, context=context)
    moved = torch.cat([rows[..., :64] + torch.randn(1, 40, 64), rows[..., 64:]], dim=-1)
    elsewhere = replace(context, neighbours=context.neighbours + 1)
    by_embedding = model.score_table(moved, target_rows, context=elsewhere)
    by_match = model.score_table(
        rows, target_rows, context=replace(context, indicators=context.indicators + 1)
    )
    unread, read = (by_match, by_embedding) if parts == "embeddings" else (by_embedding, by_match)
    assert torch.equal(scores, unread)
    assert not torch.allclose(scores, read, atol=1e-3)


def test_schedule__cosine_falls_from_one_to_nothing():
    config = TrainingOptions(model="trellis", updates=100).resolved()
    assert step_share(0, config) == 1
    assert step_share(50, config) == pytest.approx(0.5)
    assert step_share(100, config) == pytest.approx(0)
    assert step_share(70, TrainingOptions(model="garden").resolved()) == 1


def test_temperature__is_the_highest_within_a_standard_error_of_the_best():
    even = torch.tensor([[1.0, 1.0, 1.0, 1.0]])
    assert best_temperature(torch.cat([even + 0.1, even, even + 0.1])) == 1
    noisy = torch.tensor([[1.0, 1.0, 1.0, 2.0]])  # its standard error is 0.22
    assert best_temperature(torch.cat([noisy + 0.1, noisy, noisy + 0.2, noisy + 0.3])) == 2


def test_temperature__is_not_chosen_by_less_than_half_a_percent():
    even = torch.tensor([[1.0, 1.0, 1.0, 1.0]])  # its standard error is nothing
    assert best_temperature(torch.cat([even, even + 0.004, even + 0.006])) == 1


def test_temperature__is_chosen_once_stored_and_divides_scores(tmp_path):
    options = TrainingOptions(model="trellis", updates=60)
    policy = garden.train(TASK, options=options, device="cpu", quiet=True, out=tmp_path / "run")
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    chosen = float(policy.model.temperature)
    assert chosen in HANDOVER_TEMPERATURES
    assert summary["temperature"] == pytest.approx(chosen)
    rows = policy.represent(ego_graphs(GRAPH))
    scores = policy.score(rows, rows.take(np.array([4])))
    policy.model.temperature.mul_(2)
    assert policy.score(rows, rows.take(np.array([4]))) == pytest.approx(scores / 2, abs=1e-5)


@pytest.fixture
def as_if_large(monkeypatch):
    """Has a graph of 40 nodes trained and validated as very large ones are."""
    monkeypatch.setattr(base, "LARGE_NODES", 10)
    monkeypatch.setattr(guided, "LARGE_NODES", 10)
    monkeypatch.setattr(base, "NODES_AT_ONCE", 7)


def trellis():
    return build_model("trellis", GRAPH.num_attributes, ModelConfig(), (0,))


def test_large_graphs__embed_block_by_block_to_the_same_rows(as_if_large):
    model = trellis()
    with torch.no_grad():
        by_blocks = embedded_rows(model, PROBLEM)
        assert torch.allclose(by_blocks, model.embed(PROBLEM.egos), atol=1e-5)


def test_large_graphs__embed_the_nodes_that_are_needed_and_no_others(as_if_large):
    model, needed = trellis(), torch.tensor([3, 9, 31])
    rows = embedded_rows(model, PROBLEM, needed=needed)
    assert torch.allclose(rows[:, needed], model.embed(PROBLEM.egos)[:, needed], atol=1e-5)
    others = [node for node in range(40) if node not in needed.tolist()]
    assert not rows[:, others].any()


def test_large_graphs__have_the_loss_and_the_gradient_of_small_ones(monkeypatch, request):
    config = TrainingOptions(holders_per_update=6, targets_per_update=4, dropout=0.0).resolved()

    def loss_and_gradient():
        model = trellis()
        generator = torch.Generator().manual_seed(1)
        loss = guided.guided_loss(model, PROBLEM, config, Dropout(0.0, generator), generator).loss
        torch.autograd.backward(loss.sum())
        return loss.detach(), [p.grad for p in model.parameters() if p.grad is not None]

    loss, gradients = loss_and_gradient()
    request.getfixturevalue("as_if_large")
    same, others = loss_and_gradient()
    assert torch.allclose(loss, same, rtol=1e-4)
    assert len(gradients) == len(others)
    for one, other in zip(gradients, others, strict=True):
        assert torch.allclose(one, other, rtol=1e-3, atol=1e-5)
