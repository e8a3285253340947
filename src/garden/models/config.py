"""Options of the models, with one default each. Free of torch, so that `--help` stays quick."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from garden.errors import SpecError

ModelName = Literal["trellis", "garden", "mlpa2c", "mlpa2cwd"]
MODELS: tuple[ModelName, ...] = get_args(ModelName)


@dataclass(frozen=True)
class ModelConfig:
    """The size of a model. The defaults are the paper's."""

    hidden: int = 64
    """Width of hidden layers."""

    embedding: int = 32
    """Width of a node embedding (`garden` only)."""

    layers: int = 3
    """Graph attention layers, all within the ego graph (`garden` only)."""

    def __post_init__(self) -> None:
        for name in ("hidden", "embedding", "layers"):
            if getattr(self, name) < 1:
                raise SpecError(f"{name} is {getattr(self, name)}: it must be at least 1")


def check_model_name(name: str) -> ModelName:
    """The name as it is, or an error that lists the models."""
    for known in MODELS:
        if name == known:
            return known
    raise SpecError(f"unknown model {name!r}: choose from {', '.join(MODELS)}")
