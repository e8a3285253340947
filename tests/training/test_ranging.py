import numpy as np
import pytest
import torch

from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.task import SearchTask
from garden.experiments.work import Training
from garden.models.base import Surroundings
from garden.models.config import ModelConfig
from garden.models.ranges import RANGE, aligned_log_hops, log_hops
from garden.models.registry import build_model
from garden.training.config import TrainingOptions
from garden.training.exact import scores_towards
from garden.training.problem import make_problem
from garden.training.ranging import ranging_losses
from garden.training.shown import Shown, neighbours_of, some_neighbours_of
from garden.training.trainer import Trainer

GRAPH = kaiser_hilgetag(n=40, beta=2, seed=1)
TASK = SearchTask.split(GRAPH, seed=0)
PROBLEM = make_problem([TASK])
TARGETS = PROBLEM.train_targets[:, :6]


def model_and_rows(reads="both"):
    model = build_model("trellis", GRAPH.num_attributes, ModelConfig(reads=reads))
    return model, model.embed(PROBLEM.egos)


def distances():
    return PROBLEM.distances_to(TARGETS.flatten())


def test_log_hops__of_a_table_are_those_of_its_pairs_and_finite_at_home():
    draws = torch.Generator().manual_seed(0)
    departures = torch.randn(2, 5, RANGE, generator=draws)
    arrivals = torch.randn(2, 7, RANGE, generator=draws)
    table = log_hops(departures, arrivals)
    assert table.shape == (2, 5, 7)
    pairs = aligned_log_hops(departures.unsqueeze(2), arrivals.unsqueeze(1))
    assert torch.allclose(table, pairs, atol=1e-4)
    assert bool(log_hops(departures, departures).isfinite().all())


def test_scores__read_ranges_and_never_teach_them():
    model, rows = model_and_rows()
    shown = some_neighbours_of(TARGETS, 0.0, 0.9, PROBLEM, torch.Generator().manual_seed(1))
    assert bool(shown.hanging.any())
    scores = scores_towards(model, PROBLEM, rows, shown)
    scores.square().sum().backward()
    taught = {name for name, parameter in model.named_parameters() if parameter.grad is not None}
    assert {"ranges.unknown", "first.weight"} <= taught
    for name, parameter in model.ranges.named_parameters():
        silent = parameter.grad is None or not bool(parameter.grad.any())
        assert silent == (name != "unknown"), name


def test_scores__of_pairs_never_teach_ranges_either():
    model, rows = model_and_rows()
    shown = neighbours_of(TARGETS, PROBLEM)
    owner, members = shown.told
    goals = model.target_rows(rows, TARGETS)
    around = Surroundings(model.places_in(rows[:, members]), owner, torch.zeros(1, 6, 4))
    model.score_aligned(rows[:, :6], goals, around).sum().backward()
    assert not any(p.grad is not None and bool(p.grad.any()) for p in model.ranges.parameters())


def test_scores__of_a_target_that_shows_nobody_are_finite_and_the_same_in_both_forms():
    model, rows = model_and_rows()
    with torch.no_grad():
        model.ranges.last.bias[..., RANGE] = 20.0  # a doubt beyond what is read
        rows = model.embed(PROBLEM.egos)
        goals = model.target_rows(rows, TARGETS[:, :1])
        nobody = model.places_in(rows[:, :0])
        table = Surroundings(nobody, torch.zeros(1, 1, 0), torch.zeros(1, 1, 40, 4))
        pairs = Surroundings(nobody, torch.zeros(0, dtype=torch.int64), torch.zeros(1, 40, 4))
        scores = model.score_table(rows, goals, around=table)[0, 0]
        aligned = model.score_aligned(rows, goals.expand(-1, 40, -1), pairs)[0]
    assert bool(scores.isfinite().all())
    assert torch.allclose(scores, aligned, atol=1e-4)


def test_embed_one__of_a_node_without_neighbours_is_finite():
    model, _ = model_and_rows()
    profile = torch.tensor(GRAPH.attributes[:1], dtype=torch.float32)
    assert bool(model.embed_one(profile, torch.ones(1, 1, dtype=torch.bool)).isfinite().all())


def test_scores__follow_the_range_from_the_target():
    model, rows = model_and_rows()
    shown = neighbours_of(TARGETS, PROBLEM)
    before = scores_towards(model, PROBLEM, rows, shown)
    with torch.no_grad():
        model.ranges.last.bias.add_(0.5 * torch.randn(model.ranges.last.bias.shape))
    after = scores_towards(model, PROBLEM, model.embed(PROBLEM.egos), shown)
    assert not torch.allclose(before, after)


def test_no_ranges__leaves_them_out_of_rows_and_losses():
    model, rows = model_and_rows("no-ranges")
    assert model.row_width == rows.shape[-1] == 65
    assert model.ranged(rows) is None
    assert ranging_losses(model, rows, TARGETS, distances()) is None


def test_ranging__is_the_squared_error_of_log_hops_near_ways_counting_more():
    model, rows = model_and_rows()
    departures, doubts, arrivals = model.ranged(rows)
    with torch.no_grad():
        guessed = log_hops(arrivals[0, TARGETS[0]], departures[0])
        hops = distances()
        errors = (guessed - hops.clamp(min=0.5).log()).square()
        unsure = errors * torch.exp(-doubts[0].T) + doubts[0].T
        expected = (3 * errors / hops.clamp(min=1) + 0.05 * unsure).mean()
    loss = ranging_losses(model, rows, TARGETS, distances())
    assert loss.shape == (1,)
    assert float(loss[0].detach()) == pytest.approx(float(expected), rel=1e-5)


def test_ranging__measures_from_some_sources_alone_where_told():
    model, rows = model_and_rows()
    every = torch.arange(GRAPH.num_nodes)
    whole = ranging_losses(model, rows, TARGETS, distances())
    assert torch.allclose(
        whole, ranging_losses(model, rows, TARGETS, distances(), sources=every), atol=1e-6
    )
    halves = [
        ranging_losses(model, rows, TARGETS, distances(), sources=part)
        for part in (every[:20], every[20:])
    ]
    assert torch.allclose(whole, (halves[0] + halves[1]) / 2, atol=1e-5)


def test_ranging__leaves_out_targets_that_hide_links_and_nodes_out_of_reach():
    model, rows = model_and_rows()
    hops = distances()
    kept = torch.tensor([[True, False, True, True, True, True]])
    spoilt = hops.clone()
    spoilt[1] = 99.0
    assert torch.equal(
        ranging_losses(model, rows, TARGETS, hops, kept),
        ranging_losses(model, rows, TARGETS, spoilt, kept),
    )
    lost, far = hops.clone(), hops.clone()
    lost[:, 3], far[:, 3] = -1, torch.inf
    there = torch.tensor([node for node in range(GRAPH.num_nodes) if node != 3])
    without = ranging_losses(model, rows, TARGETS, hops, sources=there)
    for unreached in (lost, far):
        assert torch.allclose(ranging_losses(model, rows, TARGETS, unreached), without, atol=1e-6)


def test_whole__is_said_of_targets_that_are_reached_by_all_of_their_links():
    shown = neighbours_of(TARGETS, PROBLEM)
    assert bool(shown.whole(PROBLEM).all())
    kept = torch.ones(len(shown.owner), dtype=torch.bool)
    kept[(shown.owner == 2).nonzero()[0]] = False
    fewer = Shown(TARGETS, shown.owner[kept], shown.members[kept], shown.hanging)
    assert fewer.whole(PROBLEM).tolist() == [[True, True, False, True, True, True]]


@pytest.mark.parametrize("method", ["guided", "exact", "a2c"])
def test_ranging__teaches_how_far_targets_are_that_were_never_targets(method):
    options = TrainingOptions(model="trellis", method=method, dropout=0.0, learning_rate=3e-3)
    trainer = Trainer([TASK], options.resolved(), ModelConfig())
    for _ in range(150):
        trainer._update()
    departures, _, arrivals = trainer.state.model.ranged(trainer.state.model.embed(PROBLEM.egos))
    unseen = torch.as_tensor(np.array(TASK.test_targets))
    guessed = log_hops(departures[0, unseen], arrivals[0]).detach().numpy()
    hops = PROBLEM.distances_to(unseen).numpy()
    away = hops > 0
    assert np.corrcoef(guessed[away], np.log(hops[away]))[0, 1] > 0.8


def test_address__tells_a_model_that_computes_otherwise_from_what_it_was():
    plain = Training("facebook:414", 0, TrainingOptions(model="garden")).to_json()
    assert "revision" not in plain
    assert Training("facebook:414", 0, TrainingOptions(model="trellis")).to_json()["revision"] == 2
