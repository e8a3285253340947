"""Models by name: which there are, the options of their size, and a new one of each.

Importing this loads no torch, so that `--help` stays quick; building a model does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, get_args

from garden.errors import (
    SpecError,
    StrategyError,
    expect_choice,
    expect_count,
    expect_weight,
    known_name,
)

if TYPE_CHECKING:
    from garden.models.base import Model

ModelName = Literal["trellis", "garden", "mlpa2c", "mlpa2cwd"]
MODELS: tuple[ModelName, ...] = get_args(ModelName)
DEFAULT_MODEL: ModelName = "trellis"
Parts = Literal["all", "embeddings", "matching", "no-distance-codes"]

REVISIONS: Mapping[str, int] = {"trellis": 3}
"""Models that once came out otherwise under the same options. trellis: 1 got distance codes, 2
chose temperatures by half a percent at least, 3 got Fourier features and one code per node."""


@dataclass(frozen=True)
class ModelConfig:
    """The size of a model. The defaults are the paper's."""

    hidden: int = 64
    """Width of hidden layers."""

    embedding: int = 32
    """Width of a node embedding (`garden` only)."""

    layers: int = 3
    """Graph attention layers, all within the ego graph (`garden` only)."""

    parts: Parts = "all"
    """What `trellis` reads of two ego graphs: embeddings and distance codes (embeddings), match
    indicators (matching), or all of them; no-distance-codes is all but distance codes."""

    known_profiles: int = 0
    """Profiles of the training graph that `trellis` can tell from others, where it is trained for
    newcomers (`hidden_node_rate`); 0 tells none."""

    def __post_init__(self) -> None:
        expect_weight("known_profiles", self.known_profiles)
        for name in ("hidden", "embedding", "layers"):
            expect_count(name, getattr(self, name))
        expect_choice("parts", self.parts, get_args(Parts))

    @property
    def distance_codes(self) -> bool:
        """Whether `trellis` learns distance codes."""
        return self.parts in ("all", "embeddings")

    def to_json(self) -> dict[str, Any]:
        """The options as run folders and addresses hold them, without later ones that are off."""
        later = {"known_profiles": 0}
        return {name: value for name, value in vars(self).items() if later.get(name) != value}


SIZE_MODELS: Mapping[str, tuple[ModelName, ...]] = {
    "embedding": ("garden",),
    "layers": ("garden",),
    "parts": ("trellis",),
}
"""Options of :class:`ModelConfig` that only some models have."""


def check_model_name(name: str) -> ModelName:
    """The name as it is, or an error that lists the models."""
    return known_name("model", name, MODELS)


def check_size(size: ModelConfig, model: str | None) -> None:
    """Refuse options of a model's size that the model does not have.

    Args:
        size: the options.
        model: the model's name; the default model where it is left open.
    """
    name, usual = check_model_name(model or DEFAULT_MODEL), ModelConfig()
    for option, models in SIZE_MODELS.items():
        if name not in models and getattr(size, option) != getattr(usual, option):
            raise SpecError(f"{option} does nothing with model {name}: it belongs to {models[0]}")


def build_model(
    name: str, num_attributes: int, config: ModelConfig, seeds: tuple[int, ...] = (0,)
) -> Model:
    """A stack of freshly initialised models, the one of each seed as if it were alone.

    Args:
        name: trellis, garden, mlpa2c or mlpa2cwd.
        num_attributes: the width of a profile.
        config: the size of the model.
        seeds: one initialisation each.

    Returns:
        The stack, whose parameters have a leading axis of ``len(seeds)``.
    """
    import torch

    model_class = _class_named(check_model_name(name))
    if num_attributes == 0:
        raise StrategyError(f"{name} learns from attributes and this graph has none")
    alone = []
    for seed in seeds:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            alone.append(model_class(1, num_attributes, config))
    stack = model_class(len(seeds), num_attributes, config)
    with torch.no_grad():
        for parts in zip(stack.parameters(), *(model.parameters() for model in alone), strict=True):
            parts[0].copy_(torch.cat(parts[1:], dim=0))
    return stack


def _class_named(name: ModelName) -> Callable[[int, int, ModelConfig], Model]:
    from garden.models.paper_agents import AttributeModel, GardenModel
    from garden.models.trellis.model import TrellisModel

    classes: Mapping[ModelName, Callable[[int, int, ModelConfig], Model]] = {
        "trellis": TrellisModel,
        "garden": GardenModel,
        "mlpa2c": partial(AttributeModel, with_degree=False),
        "mlpa2cwd": partial(AttributeModel, with_degree=True),
    }
    return classes[name]
