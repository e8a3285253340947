import numpy as np
import pytest
import torch

from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.task import SearchTask
from garden.experiments.run.jobs import Training
from garden.models.base import TargetContext
from garden.models.layers import KEEP_ALL, Dropout, with_gaps
from garden.models.registry import ModelConfig, build_model
from garden.models.trellis.distance_codes import (
    CODE_WIDTH,
    DistanceCodeNetwork,
    aligned_log_hops,
    log_hops,
)
from garden.models.trellis.features import EMBEDDING
from garden.training.config import TrainingOptions
from garden.training.methods.base import (
    MaskedTargets,
    mask_links,
    scores_towards,
    target_context_of,
    with_all_links,
)
from garden.training.trainer import Trainer
from garden.training.training_graph import make_training_graph

GRAPH = kaiser_hilgetag(n=40, beta=2, seed=1)
TASK = SearchTask.split(GRAPH, seed=0)
PROBLEM = make_training_graph([TASK])
TARGETS = PROBLEM.train_targets[:, :6]


def model_and_rows(parts="all"):
    model = build_model("trellis", GRAPH.num_attributes, ModelConfig(parts=parts))
    return model, model.embed(PROBLEM.egos)


def distance_loss(model, *arguments, **options):
    _, loss = model.auxiliary_loss(*arguments, **options)
    return loss


def distances():
    return PROBLEM.distances_to(TARGETS.flatten())


def test_log_hops__of_a_table_are_those_of_its_pairs_and_finite_at_home():
    draws = torch.Generator().manual_seed(0)
    codes = torch.randn(2, 5, CODE_WIDTH, generator=draws)
    others = torch.randn(2, 7, CODE_WIDTH, generator=draws)
    table = log_hops(codes, others)
    assert table.shape == (2, 5, 7)
    pairs = aligned_log_hops(codes.unsqueeze(2), others.unsqueeze(1))
    assert torch.allclose(table, pairs, atol=1e-4)
    assert torch.allclose(table, log_hops(others, codes).transpose(1, 2), atol=1e-5)
    assert bool(log_hops(codes, codes).isfinite().all())


def test_scores__read_distance_codes_and_never_teach_them():
    model, rows = model_and_rows()
    generator = torch.Generator().manual_seed(1)
    masked = mask_links(TARGETS, 0.5, PROBLEM, generator)
    dropout = Dropout(0.0, generator)
    scores = scores_towards(model, PROBLEM, rows, masked, dropout, embedding_dropout=0.5)
    context = target_context_of(model, PROBLEM, rows, masked)
    values = model.value_table(rows, model.target_rows(rows, TARGETS), context)
    (scores.square().sum() + values.sum()).backward()
    assert bool(model.first.weight.grad.any())
    assert not any(p.grad is not None and bool(p.grad.any()) for p in model.codes.parameters())


def test_scores__of_pairs_never_teach_distance_codes_either():
    model, rows = model_and_rows()
    masked = with_all_links(TARGETS, PROBLEM)
    target_rows = model.target_rows(rows, TARGETS)
    places = model.neighbour_values(rows[:, masked.members])
    context = TargetContext(places, masked.owner, torch.zeros(1, 6, 4))
    model.score_aligned(rows[:, :6], target_rows, context).sum().backward()
    assert not any(p.grad is not None and bool(p.grad.any()) for p in model.codes.parameters())


def test_scores__of_a_target_that_shows_nobody_are_finite_and_the_same_in_both_forms():
    model, rows = model_and_rows()
    with torch.no_grad():
        model.codes.last.bias[..., CODE_WIDTH] = 20.0  # a log_variance beyond what is read
        rows = model.embed(PROBLEM.egos)
        target_rows = model.target_rows(rows, TARGETS[:, :1])
        nobody = model.neighbour_values(rows[:, :0])
        table = TargetContext(nobody, torch.zeros(1, 1, 0), torch.zeros(1, 1, 40, 4))
        pairs = TargetContext(nobody, torch.zeros(0, dtype=torch.int64), torch.zeros(1, 40, 4))
        scores = model.score_table(rows, target_rows, context=table)[0, 0]
        aligned = model.score_aligned(rows, target_rows.expand(-1, 40, -1), pairs)[0]
    assert bool(scores.isfinite().all())
    assert torch.allclose(scores, aligned, atol=1e-4)


def test_embed_one__of_a_node_without_neighbours_is_finite():
    model, _ = model_and_rows()
    profile = torch.tensor(GRAPH.attributes[:1], dtype=torch.float32)
    assert bool(model.embed_one(profile, torch.ones(1, 1, dtype=torch.bool)).isfinite().all())


def test_scores__follow_the_range_of_each_candidate():
    model, rows = model_and_rows()
    masked = with_all_links(TARGETS, PROBLEM)
    node = next(n for n in range(GRAPH.num_nodes) if n not in TARGETS[0].tolist())
    before = scores_towards(model, PROBLEM, rows, masked)
    moved = rows.detach().clone()
    moved[:, node, EMBEDDING : EMBEDDING + CODE_WIDTH] += 1
    changed = (scores_towards(model, PROBLEM, moved, masked) - before).detach().abs()[0].amax(dim=0)
    assert changed[node] > 1e-3
    assert float(changed.sum() - changed[node]) < 1e-5


def test_no_distance_codes__leaves_them_out_of_rows_and_losses():
    model, rows = model_and_rows("no-distance-codes")
    assert model.row_width == rows.shape[-1] == 65
    assert model.distance_codes(rows) is None
    assert model.auxiliary_loss(rows, TARGETS, distances()) is None


def test_distance_loss__is_the_squared_error_of_log_hops_near_ways_counting_more():
    model, rows = model_and_rows()
    codes, log_variances = model.distance_codes(rows)
    with torch.no_grad():
        guessed = log_hops(codes[0, TARGETS[0]], codes[0])
        hops = distances()
        errors = (guessed - hops.log()).square()
        unsure = errors * torch.exp(-log_variances[0].T) + log_variances[0].T
        expected = (3 * errors / hops + 0.05 * unsure)[hops > 0].mean()
    loss = distance_loss(model, rows, TARGETS, distances())
    assert loss.shape == (1,)
    assert float(loss[0].detach()) == pytest.approx(float(expected), rel=1e-5)


def test_distance_loss__teaches_the_codes_of_both_ends_of_a_way():
    model, rows = model_and_rows()
    rows = rows.detach().requires_grad_()
    distance_loss(model, rows, TARGETS[:, :1], distances()[:1]).sum().backward()
    assert bool(rows.grad[0, :, EMBEDDING : EMBEDDING + CODE_WIDTH].any(dim=1).all())


def test_distance_loss__measures_from_some_sources_alone_where_told():
    model, rows = model_and_rows()
    every = torch.arange(GRAPH.num_nodes)
    whole = distance_loss(model, rows, TARGETS, distances())
    assert torch.allclose(
        whole, distance_loss(model, rows, TARGETS, distances(), sources=every), atol=1e-6
    )
    total = torch.zeros(1)
    for part in (every[:20], every[20:]):
        ways = (distances()[:, part] > 0).sum()
        total = total + ways * distance_loss(model, rows, TARGETS, distances(), sources=part)
    assert torch.allclose(whole, total / (distances() > 0).sum(), atol=1e-5)


def test_distance_loss__leaves_out_targets_that_hide_links_and_nodes_out_of_reach():
    model, rows = model_and_rows()
    hops = distances()
    kept = torch.tensor([[True, False, True, True, True, True]])
    spoilt = hops.clone()
    spoilt[1] = 99.0
    assert torch.equal(
        distance_loss(model, rows, TARGETS, hops, kept),
        distance_loss(model, rows, TARGETS, spoilt, kept),
    )
    lost, far = hops.clone(), hops.clone()
    lost[:, 3], far[:, 3] = -1, torch.inf
    there = torch.tensor([node for node in range(GRAPH.num_nodes) if node != 3])
    without = distance_loss(model, rows, TARGETS, hops, sources=there)
    for unreached in (lost, far):
        assert torch.allclose(distance_loss(model, rows, TARGETS, unreached), without, atol=1e-6)


def test_whole__is_said_of_targets_that_are_reached_by_all_of_their_links():
    masked = with_all_links(TARGETS, PROBLEM)
    assert bool(masked.unmasked(PROBLEM).all())
    kept = torch.ones(len(masked.owner), dtype=torch.bool)
    kept[(masked.owner == 2).nonzero()[0]] = False
    fewer = MaskedTargets(TARGETS, masked.owner[kept], masked.members[kept])
    assert fewer.unmasked(PROBLEM).tolist() == [[True, True, False, True, True, True]]


def test_waves__tell_apart_profiles_that_differ_in_one_attribute():
    torch.manual_seed(0)
    network = DistanceCodeNetwork(1, 100)
    profiles = torch.zeros(2, 100)
    profiles[:, :30], profiles[1, 30] = 1, 1
    phases = network._phases(profiles, KEEP_ALL)[0].detach()
    assert abs(float(torch.cosine_similarity(*torch.sin(phases), dim=0))) < 0.3
    assert torch.cosine_similarity(*profiles, dim=0) > 0.98


def test_gaps__of_sparse_profiles_are_those_of_dense_ones_on_what_is_there():
    profiles = (torch.rand(50, 40, generator=torch.Generator().manual_seed(0)) < 0.3).float()
    kept = with_gaps(profiles.to_sparse(), Dropout(0.5, torch.Generator().manual_seed(1)))
    assert kept.is_sparse
    kept = kept.to_dense()
    assert bool(((kept == 0) | (kept == 2 * profiles)).all())
    assert 0.4 < float((kept > 0).sum() / profiles.sum()) < 0.6


def test_fourier_features__of_some_profiles_are_corrupted_in_training_alone():
    network, profiles = DistanceCodeNetwork(2, 5), torch.rand(1000, 5)
    true = network._phases(profiles, Dropout(0.0, torch.Generator()))
    generator = torch.Generator().manual_seed(0)
    mixed = network._phases(profiles, Dropout(0.2, generator))
    corrupted = (mixed != true).any(dim=-1)
    assert torch.equal(corrupted[0], corrupted[1])
    assert float(corrupted[0].float().mean()) == pytest.approx(0.15, abs=0.04)


@pytest.mark.parametrize(("method", "rate"), [("guided", 0.1), ("exact", 0.0), ("a2c", 0.0)])
def test_distance_loss__teaches_how_far_targets_are_that_were_never_targets(method, rate):
    options = TrainingOptions(model="trellis", method=method, dropout=rate, learning_rate=3e-3)
    trainer = Trainer([TASK], options.resolved(), ModelConfig())
    for _ in range(150):
        trainer._update()
    codes, _ = trainer.state.model.distance_codes(trainer.state.model.embed(PROBLEM.egos))
    unseen = torch.as_tensor(np.array(TASK.test_targets))
    guessed = log_hops(codes[0, unseen], codes[0]).detach().numpy()
    hops = PROBLEM.distances_to(unseen).numpy()
    away = hops > 0
    assert np.corrcoef(guessed[away], np.log(hops[away]))[0, 1] > 0.8


def test_address__tells_a_model_that_computes_otherwise_from_what_it_was():
    plain = Training("facebook:414", 0, TrainingOptions(model="garden")).to_json()
    assert "revision" not in plain
    assert Training("facebook:414", 0, TrainingOptions(model="trellis")).to_json()["revision"] == 3
