"""The GPU path equals the CPU path within tolerance. Needs a CUDA device and nothing but torch."""

import pytest
import torch

from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.task import SearchTask
from garden.models.config import ModelConfig
from garden.training.config import TrainingOptions
from garden.training.exact import exact_loss
from garden.training.problem import Problem
from garden.training.trainer import Trainer, validation_metrics

TASK = SearchTask.split(kaiser_hilgetag(n=30, beta=2, seed=1), seed=0)
CONFIG = TrainingOptions(model="garden", updates=6, targets_per_update=5, dropout=0.0).resolved()
SIZE = ModelConfig(hidden=8, embedding=4, layers=2)


def gradients_on(device, monkeypatch):
    trainer = Trainer([TASK], CONFIG, SIZE, device)
    drawn = torch.as_tensor(TASK.train_targets[:5], device=device)[None]
    monkeypatch.setattr(Problem, "draw_targets", lambda *_: drawn)
    state = trainer.state
    loss = exact_loss(state.model, trainer.problem, CONFIG, trainer.dropout, state.generator)
    torch.autograd.backward(loss.loss.sum())
    return [p.grad.cpu() for p in state.model.parameters() if p.grad is not None]


@pytest.mark.gpu
def test_gpu__one_updates_gradient_equals_the_cpus(monkeypatch):
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    ours, theirs = (gradients_on(device, monkeypatch) for device in ("cpu", "cuda"))
    for on_cpu, on_gpu in zip(ours, theirs, strict=True):
        assert torch.allclose(on_cpu, on_gpu, atol=1e-5)


@pytest.mark.gpu
def test_gpu__validation_equals_the_cpus():
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    metrics = []
    for device in ("cpu", "cuda"):
        trainer = Trainer([TASK], CONFIG, SIZE, device)
        metrics.append(validation_metrics(trainer.state.model, trainer.problem, 100))
    for on_cpu, on_gpu in zip(*metrics, strict=True):
        assert torch.allclose(on_cpu, on_gpu, atol=1e-4)
