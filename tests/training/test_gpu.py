"""The GPU path equals the CPU path within tolerance. Needs a CUDA device and nothing but torch."""

from dataclasses import replace

import pytest
import torch

from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.task import SearchTask
from garden.models.registry import ModelConfig
from garden.training.config import TrainingOptions
from garden.training.methods import guided
from garden.training.methods.base import with_all_links
from garden.training.methods.exact import exact_loss
from garden.training.trainer import Trainer
from garden.training.training_graph import TrainingGraph
from garden.training.validation import validation_metrics

TASK = SearchTask.split(kaiser_hilgetag(n=30, beta=2, seed=1), seed=0)
CONFIG = TrainingOptions(model="garden", updates=6, targets_per_update=5, dropout=0.0).resolved()
SIZE = ModelConfig(hidden=8, embedding=4, layers=2)


GUIDED = TrainingOptions(
    model="trellis",
    updates=6,
    targets_per_update=5,
    dropout=0.0,
    hidden_link_rate=0.0,
    target_embedding_dropout=0.0,
    return_coef=1.0,
).resolved()


def parts_of(targets, part_rate, training_graph, generator):
    """Every other target shows its first neighbour alone, whatever the device's random numbers."""
    shown = with_all_links(targets, training_graph)
    places = torch.arange(len(shown.owner), device=targets.device)
    kept = (shown.owner % 2 == 0) | (places == torch.searchsorted(shown.owner, shown.owner))
    return replace(shown, owner=shown.owner[kept], members=shown.members[kept])


def gradients_on(device, config, loss_of, monkeypatch):
    trainer = Trainer([TASK], config, SIZE, device)
    drawn = torch.as_tensor(TASK.train_targets[:5], device=device)[None]
    monkeypatch.setattr(TrainingGraph, "draw_targets", lambda *_: drawn)
    monkeypatch.setattr(guided, "mask_links", parts_of)
    state = trainer.state
    loss = loss_of(state.model, trainer.training_graph, config, trainer.dropout, state.generator)
    torch.autograd.backward(loss.loss.sum())
    return [p.grad.cpu() for p in state.model.parameters() if p.grad is not None]


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("config", "loss_of"),
    [
        (CONFIG, exact_loss),
        (GUIDED, guided.guided_loss),
        (replace(GUIDED, holders_per_update=30 - 1), guided.guided_loss),
    ],
    ids=["exact", "guided", "guided, sampled"],
)
def test_gpu__one_updates_gradient_equals_the_cpus(config, loss_of, monkeypatch):
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    monkeypatch.setattr(
        guided, "draw_holders", lambda count, training_graph, _: holders(count, training_graph)
    )
    ours, theirs = (gradients_on(d, config, loss_of, monkeypatch) for d in ("cpu", "cuda"))
    assert ours
    for on_cpu, on_gpu in zip(ours, theirs, strict=True):
        assert torch.allclose(on_cpu, on_gpu, atol=1e-5)


def holders(count, training_graph):
    return torch.arange(count, device=training_graph.device) if count else None


@pytest.mark.gpu
def test_gpu__validation_equals_the_cpus():
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    metrics = []
    for device in ("cpu", "cuda"):
        trainer = Trainer([TASK], CONFIG, SIZE, device)
        metrics.append(validation_metrics(trainer.state.model, trainer.training_graph, 100))
    for on_cpu, on_gpu in zip(*metrics, strict=True):
        assert torch.allclose(on_cpu, on_gpu, atol=1e-4)
