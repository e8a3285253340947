"""Options of the models, with one default each. Free of torch, so that `--help` stays quick."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Literal, get_args

from garden.errors import SpecError, did_you_mean, expect

ModelName = Literal["trellis", "garden", "mlpa2c", "mlpa2cwd"]
MODELS: tuple[ModelName, ...] = get_args(ModelName)
Reads = Literal["both", "position", "matching", "no-ranges"]

REVISIONS: Mapping[str, int] = {"trellis": 3}
"""Models that once came out otherwise under the same options: trellis, before ranges, before
temperatures were chosen by half a percent at least, and before profiles were read as waves and
nodes had one code."""


@dataclass(frozen=True)
class ModelConfig:
    """The size of a model. The defaults are the paper's."""

    hidden: int = 64
    """Width of hidden layers."""

    embedding: int = 32
    """Width of a node embedding (`garden` only)."""

    layers: int = 3
    """Graph attention layers, all within the ego graph (`garden` only)."""

    reads: Reads = "both"
    """What `trellis` reads of two ego graphs: learned places and ranges (position), common profiles
    (matching), or both; no-ranges is both without ranges."""

    def __post_init__(self) -> None:
        for name in ("hidden", "embedding", "layers"):
            expect(name, getattr(self, name), Integral, otherwise="a whole number")
            if getattr(self, name) < 1:
                raise SpecError(f"{name} is {getattr(self, name)}: it must be at least 1")
        if self.reads not in get_args(Reads):
            raise SpecError(f"unknown reads {self.reads!r}: choose from {get_args(Reads)}")

    @property
    def ranges(self) -> bool:
        """Whether `trellis` learns ranges."""
        return self.reads in ("both", "position")


def check_model_name(name: str) -> ModelName:
    """The name as it is, or an error that lists the models."""
    for known in MODELS:
        if name == known:
            return known
    raise SpecError(
        f"unknown model {name!r}: {did_you_mean(name, MODELS)}choose from {', '.join(MODELS)}"
    )
