"""Models by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import torch

from garden.errors import StrategyError
from garden.models.base import Model
from garden.models.config import ModelConfig, check_model_name
from garden.models.paper_agents import AttributeModel, GardenModel
from garden.models.trellis.model import TrellisModel

_CLASSES: Mapping[str, Callable[[int, int, ModelConfig], Model]] = {
    "trellis": TrellisModel,
    "garden": GardenModel,
    "mlpa2c": partial(AttributeModel, with_degree=False),
    "mlpa2cwd": partial(AttributeModel, with_degree=True),
}


def build_model(
    name: str, num_attributes: int, config: ModelConfig, seeds: tuple[int, ...] = (0,)
) -> Model:
    """A stack of freshly initialised models, the one of each seed as if it were alone.

    Args:
        name: trellis, garden, mlpa2c or mlpa2cwd.
        num_attributes: the width of a profile.
        config: the size of the model.
        seeds: one initialisation each.
    """
    check_model_name(name)
    if num_attributes == 0:
        raise StrategyError(f"{name} learns from attributes and this graph has none")
    alone = [_build_one(name, num_attributes, config, seed) for seed in seeds]
    stack = _CLASSES[name](len(seeds), num_attributes, config)
    with torch.no_grad():
        for parts in zip(stack.parameters(), *(model.parameters() for model in alone), strict=True):
            parts[0].copy_(torch.cat(parts[1:], dim=0))
    return stack


def _build_one(name: str, num_attributes: int, config: ModelConfig, seed: int) -> Model:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return _CLASSES[name](1, num_attributes, config)
