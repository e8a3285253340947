"""Generated graphs by name: which function makes which family, and what its spec may say.

Families that may have attributes share the keys of
:class:`~garden.datasets.generated_attributes.AttributeModel`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from inspect import signature
from typing import Any

from garden.datasets.generated_attributes import AttributeModel
from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.random_graphs import block_model, geometric, power_law, small_world
from garden.errors import SpecError
from garden.graphs.graph import Graph

Parameters = Mapping[str, Callable[[str], Any]]

_ATTRIBUTES: Parameters = {field.name: type(field.default) for field in fields(AttributeModel)}


@dataclass(frozen=True)
class Generator:
    """A family of generated graphs."""

    generate: Callable[..., Graph]
    """Makes one; where it takes a ``model``, the keys of an :class:`AttributeModel` may follow."""
    own_blocks: bool = False
    """Whether ``blocks`` says something without attributes too."""

    @cached_property
    def attributed(self) -> bool:
        """Whether its graphs may have attributes."""
        return "model" in signature(self.generate).parameters

    @cached_property
    def own(self) -> Parameters:
        """The parameters of its links, each with what reads it from text."""
        given = signature(self.generate).parameters.items()
        return {key: type(one.default) for key, one in given if key != "model"}

    @property
    def parameters(self) -> Parameters:
        """Every key that a spec may name."""
        return {**self.own, **(_ATTRIBUTES if self.attributed else {})}

    def graph(self, spec: str, options: Mapping[str, Any]) -> Graph:
        """The graph with these options.

        Args:
            spec: What errors begin with.
            options: Some of :attr:`parameters`, with their values.

        Raises:
            SpecError: If attributes are described of which there are none.
            GraphError: If a value makes no sense.
        """
        own = {key: value for key, value in options.items() if key in self.own}
        if not self.attributed:
            return self.generate(**own)
        described = {key: value for key, value in options.items() if key in _ATTRIBUTES}
        idle = [key for key in described if not (self.own_blocks and key == "blocks")]
        if idle and not described.get("attributes"):
            raise SpecError(
                f"{spec}: {idle[0]} says nothing without attributes: say how many, such as "
                "attributes=64"
            )
        if described.get("kind", "binary") != "categorical" and "levels" in described:
            raise SpecError(f"{spec}: levels goes with kind=categorical: leave it out")
        return self.generate(**own, model=AttributeModel(**described))


def _attributed(seed: int = 0) -> Graph:
    from garden.datasets.random_attributed import attributed  # NetworkX is slow to import

    return attributed(seed)


GENERATORS: Mapping[str, Generator] = {
    "kaiser-hilgetag": Generator(kaiser_hilgetag),
    "power-law": Generator(power_law),
    "small-world": Generator(small_world),
    "block-model": Generator(block_model, own_blocks=True),
    "geometric": Generator(geometric),
    "attributed": Generator(_attributed),
}
"""Every family that a seed determines, by the name that stands before the colon."""
