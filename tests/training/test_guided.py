import numpy as np
import pytest
import torch

import garden
from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.task import SearchTask
from garden.errors import SpecError, StrategyError
from garden.graphs.graph import Graph
from garden.graphs.views import ego_graphs
from garden.models.config import ModelConfig
from garden.models.layers import Dropout
from garden.models.registry import build_model
from garden.training.config import TrainingOptions
from garden.training.exact import scores_towards
from garden.training.guided import imitation_losses
from garden.training.problem import make_problem
from garden.training.trainer import step_share
from garden.training.transitions import log_policy

GRAPH = kaiser_hilgetag(n=40, beta=2, seed=1)
TASK = SearchTask.split(GRAPH, seed=0)
PROBLEM = make_problem([TASK])


def test_imitation__is_the_log_probability_of_coming_nearer():
    targets = torch.tensor([5, 17])
    scores = torch.randn(2, 40, generator=torch.Generator().manual_seed(0))
    distances = PROBLEM.distances_to(targets)
    losses = imitation_losses(log_policy(scores, PROBLEM), distances, PROBLEM)
    for row in range(2):
        total = 0.0
        for node in range(40):
            if distances[row, node] == 0:
                continue
            around = torch.as_tensor(GRAPH.neighbours(node).astype(np.int64))
            chances = torch.softmax(scores[row, around], dim=0)
            total -= float(chances[distances[row, around] < distances[row, node]].sum().log())
        assert float(losses[row]) == pytest.approx(total / 39, abs=1e-4)


def test_imitation__of_the_oracle_itself_is_nothing():
    targets = torch.tensor([5, 17])
    distances = PROBLEM.distances_to(targets)
    losses = imitation_losses(log_policy(-50 * distances, PROBLEM), distances, PROBLEM)
    assert losses.abs().max() < 1e-4


def test_trellis__hidden_targets_keep_their_surroundings_and_lose_their_own_place():
    model = build_model("trellis", 2, ModelConfig())
    rows = model.embed(PROBLEM.egos)
    targets = torch.tensor([[3, 9]])
    shown = model.target_rows(rows, targets)
    hidden = model.target_rows(rows, targets, Dropout(0, torch.Generator(), own_rate=0.999999))
    assert torch.equal(shown, rows[:, [3, 9]])
    assert torch.equal(hidden[..., 128:], shown[..., 128:])
    assert torch.equal(hidden[0, 0, :128], hidden[0, 1, :128])


def test_trellis__scores_need_matches():
    model = build_model("trellis", 2, ModelConfig())
    rows = model.embed(PROBLEM.egos)
    with pytest.raises(StrategyError, match="need the matches"):
        model.score_table(rows, rows[:, :2])


def test_trellis__problem_and_policy_find_the_same_scores(monkeypatch):
    policy = garden.train(
        TASK, options=TrainingOptions(model="trellis", updates=3), device="cpu", quiet=True
    )
    representations = policy.represent(ego_graphs(GRAPH))
    expected = policy.score(representations, representations.take(np.array([4, 30])))
    targets = torch.tensor([[4, 30]])
    with torch.no_grad():
        rows = policy.model.embed(PROBLEM.egos)
        found = scores_towards(policy.model, PROBLEM, rows, targets)[0]
        monkeypatch.setattr("garden.training.problem.MAX_TABLE_NODES", 5)
        lazy = scores_towards(policy.model, make_problem([TASK]), rows, targets)[0]
    assert found.numpy() == pytest.approx(expected, abs=1e-4)
    assert lazy.numpy() == pytest.approx(expected, abs=1e-4)


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
    policy = garden.train(
        task, options=TrainingOptions(model="trellis", updates=200), device="cpu", quiet=True
    )
    report = garden.evaluate(task, ["bidirectional+visited", policy])
    assert report["trellis"].oracle_ratio < 1.5
    assert report["trellis"].oracle_ratio < report["bidirectional"].oracle_ratio


def test_trellis__states_its_bytes_per_row():
    policy = garden.train(
        TASK, options=TrainingOptions(model="trellis", updates=1), device="cpu", quiet=True
    )
    rows = policy.represent(ego_graphs(GRAPH))
    assert rows.bytes_per_row.tolist() == (4 * 257 + 8 * (GRAPH.degrees + 1)).tolist()


def test_options__trellis_is_guided_unless_told_otherwise_and_has_no_critic():
    assert TrainingOptions(model="trellis").resolved().method == "guided"
    assert TrainingOptions(model="garden").resolved().method == "exact"
    with pytest.raises(SpecError, match="no critic"):
        TrainingOptions(model="trellis", method="a2c").resolved()


def test_schedule__cosine_falls_from_one_to_nothing():
    config = TrainingOptions(model="trellis", updates=100).resolved()
    assert step_share(0, config) == 1
    assert step_share(50, config) == pytest.approx(0.5)
    assert step_share(100, config) == pytest.approx(0)
    assert step_share(70, TrainingOptions(model="garden").resolved()) == 1
