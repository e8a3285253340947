"""Options of the models, with one default each. Free of torch, so that `--help` stays quick."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Literal, get_args

from garden.errors import SpecError, did_you_mean, expect

ModelName = Literal["trellis", "garden", "mlpa2c", "mlpa2cwd"]
MODELS: tuple[ModelName, ...] = get_args(ModelName)
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

    def __post_init__(self) -> None:
        for name in ("hidden", "embedding", "layers"):
            expect(name, getattr(self, name), Integral, otherwise="a whole number")
            if getattr(self, name) < 1:
                raise SpecError(f"{name} is {getattr(self, name)}: it must be at least 1")
        if self.parts not in get_args(Parts):
            choices = ", ".join(get_args(Parts))
            raise SpecError(f"unknown parts {self.parts!r}: choose from {choices}")

    @property
    def distance_codes(self) -> bool:
        """Whether `trellis` learns distance codes."""
        return self.parts in ("all", "embeddings")


def check_model_name(name: str) -> ModelName:
    """The name as it is, or an error that lists the models."""
    for known in MODELS:
        if name == known:
            return known
    raise SpecError(
        f"unknown model {name!r}: {did_you_mean(name, MODELS)}choose from {', '.join(MODELS)}"
    )
