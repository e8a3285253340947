import sys
from dataclasses import replace

import numpy as np
import pytest
import torch

from garden.cli.train import Train
from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.task import SearchTask
from garden.errors import GardenError, SpecError
from garden.graphs.distances import distances
from garden.models.layers import KEEP_ALL
from garden.models.registry import ModelConfig, build_model
from garden.search.chain import chain_of_scores
from garden.training.config import PAPER_PROTOCOL, TrainingOptions
from garden.training.methods.a2c import a2c_loss
from garden.training.methods.base import scores_towards, with_all_links
from garden.training.trainer import Trainer
from garden.training.training_graph import make_training_graph
from garden.training.validation import validation_metrics

GRAPH = kaiser_hilgetag(n=40, beta=2, seed=3)
TASK = SearchTask.split(GRAPH, seed=0)
PAPER = TrainingOptions(protocol="paper")
SIZE = ModelConfig(hidden=16, embedding=8)


def gradients(training_graph):
    """The loss of one episode and its gradient by every parameter."""
    model = build_model("garden", GRAPH.num_attributes, SIZE)
    generator = torch.Generator().manual_seed(5)
    config = replace(PAPER.resolved(), max_hops=100)
    update = a2c_loss(model, training_graph, config, KEEP_ALL, generator)
    update.loss.sum().backward()
    return update.loss.detach(), {name: p.grad for name, p in model.named_parameters()}


def test_update__compiled_and_by_tensors_have_the_same_gradient(monkeypatch):
    pytest.importorskip("numba")
    training_graph = make_training_graph([TASK])
    loss, compiled = gradients(training_graph)
    for kernel in ("garden.training.methods.a2c_kernel", "garden.models.gat_kernels"):
        monkeypatch.setitem(sys.modules, kernel, None)
    slow_loss, plain = gradients(training_graph)
    assert torch.allclose(loss, slow_loss, rtol=1e-4)
    for name, gradient in plain.items():
        scale = float(gradient.abs().max())
        assert torch.allclose(compiled[name], gradient, atol=1e-4 * scale + 1e-7), name


def test_attention__a_gradient_at_compiled_edges_matches_that_of_float64(monkeypatch):
    pytest.importorskip("numba")
    training_graph = make_training_graph([TASK])
    layer = build_model("garden", 4, SIZE).attentions[1]
    shape = (1, len(training_graph.egos.members), 16)
    left, right = (torch.randn(shape, generator=torch.Generator().manual_seed(k)) for k in (1, 2))
    weights = torch.randn(shape, generator=torch.Generator().manual_seed(3))
    found = {}
    for dtype in (torch.float32, torch.float64):
        layer = layer.to(dtype)
        inputs = [one.to(dtype).requires_grad_() for one in (left, right)]
        attended = layer.attend(*inputs, training_graph.egos.heads, training_graph.egos.tails)
        sums = torch.autograd.grad((attended * weights).sum(), [*inputs, layer.attention])
        found[dtype] = [attended.detach().double(), *(one.double() for one in sums)]
    for ours, exact in zip(*found.values(), strict=True):
        assert torch.allclose(ours, exact, rtol=1e-4, atol=1e-4 * float(exact.abs().max()))


def test_protocol__is_the_papers_and_what_is_given_comes_before_it():
    config = PAPER.resolved()
    values = {"method": config.method, **{name: getattr(config, name) for name in vars(config)}}
    assert {name: values[name] for name in PAPER_PROTOCOL} == PAPER_PROTOCOL
    assert config.targets_per_update * config.walks_per_target == 1
    assert replace(PAPER, updates=7).resolved().updates == 7
    assert replace(PAPER, model="mlpa2c").resolved().model == "mlpa2c"
    assert TrainingOptions(protocol="ours").resolved() == TrainingOptions().resolved()


def test_protocol__a_resumed_run_keeps_the_options_that_it_was_begun_with():
    begun = replace(PAPER, updates=7, patience=3).resolved()
    assert PAPER.resolved(begun.to_json()) == begun


@pytest.mark.parametrize("wrong", [{"method": "exact"}, {"model": "trellis"}])
def test_protocol__what_the_paper_has_not_is_refused(wrong):
    with pytest.raises(SpecError, match="the paper"):
        replace(PAPER, **wrong).resolved()
    with pytest.raises(GardenError, match="protocol"):
        TrainingOptions(protocol="theirs").resolved()


def test_validation__on_serialized_pairs_is_the_mean_over_those_pairs():
    training_graph = make_training_graph([TASK], serialized=True)
    model = build_model("garden", GRAPH.num_attributes, SIZE)
    ratios, late = validation_metrics(model, training_graph, 100)
    with torch.no_grad():
        rows = model.embed(training_graph.egos)
        masked = with_all_links(training_graph.validation_targets, training_graph)
        scores = scores_towards(model, training_graph, rows, masked)[0].double().numpy()
    targets = training_graph.validation_targets[0].numpy()
    hops, truncated = chain_of_scores(GRAPH, scores, "softmax", targets, 100)
    place = {int(target): row for row, target in enumerate(targets)}
    table = distances(GRAPH)
    pairs = [(place[int(t)], int(s), table[int(s), int(t)]) for s, t in TASK.validation_pairs]
    expected = np.mean([hops[row, s] / d for row, s, d in pairs])
    assert float(ratios.mean()) == pytest.approx(expected, rel=1e-6)
    assert float(late.mean()) == pytest.approx(
        np.mean([truncated[row, s] for row, s, _ in pairs]), rel=1e-6
    )


def test_validation__by_all_sources_is_recorded_as_before():
    assert "validation_pairs" not in TrainingOptions(model="garden").resolved().to_json()
    assert PAPER.resolved().to_json()["validation_pairs"] == "serialized"


def test_protocol__trains_by_single_episodes(tmp_path):
    options = replace(PAPER, updates=3)
    trainer = Trainer([TASK], options.resolved(), SIZE)
    assert trainer.run().stopped == "finished"
    assert trainer.training_graph.pair_counts is not None
    assert int(trainer.training_graph.pair_counts.sum()) == len(TASK.validation_pairs)


@pytest.mark.parametrize(
    ("spec", "protocol", "trained_on"),
    [
        ("facebook:414", "paper", "facebook:414,attributes=as-published"),
        ("facebook:414,attributes=by-id", "paper", "facebook:414,attributes=by-id"),
        ("facebook:414", None, "facebook:414"),
        ("twitch:PTBR", "paper", "twitch:PTBR"),
    ],
)
def test_cli__the_papers_protocol_takes_attributes_as_published(spec, protocol, trained_on):
    verb = Train(spec)
    verb.flags.model_and_method.__dict__["protocol"] = protocol
    assert verb.graph_spec == trained_on
