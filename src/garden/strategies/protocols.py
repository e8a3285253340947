"""What some strategies have beyond `represent` and `score`: a temperature, a fit, a training.

A strategy needs none of these. One that has the methods named here is recognised by them
(``isinstance``), without a base class: search then tunes it, fits it, or asks what it was trained
on.
"""

from __future__ import annotations

from typing import Protocol, Self, runtime_checkable

from garden.graphs.ego import EgoGraphs
from garden.graphs.identity import GraphIdentity


@runtime_checkable
class Tempered(Protocol):
    """A strategy whose score is inversely proportional to a temperature that can be tuned.

    Attributes:
        temperature: τ; None where it is to be tuned on validation targets.

    """

    temperature: float | None

    def with_temperature(self, temperature: float) -> Self:
        """The same strategy at this temperature."""
        ...


@runtime_checkable
class Fitted(Protocol):
    """A strategy that learns something from the ego graphs of the training nodes."""

    @property
    def fitted(self) -> bool:
        """Whether it has learned already; if so, it is left as it is."""
        ...

    def fit(self, egos: EgoGraphs) -> Self:
        """The strategy as it is after learning from these ego graphs; self stays unfitted."""
        ...


@runtime_checkable
class Trained(Protocol):
    """A strategy that was trained on a graph, and records which targets it may have seen.

    Attributes:
        trained_graph: The content hash of the graph.
        trained_task: The content hash of the task: graph and split.
        trained_seed: The seed of the split.

    """

    trained_graph: str
    trained_task: str
    trained_seed: int

    @property
    def trained_on(self) -> GraphIdentity:
        """The identity of the graph, also under other attributes or in another order."""
        ...

    def check_attributes(self, names: tuple[str, ...]) -> None:
        """Refuse attributes other than those it was trained on."""
        ...
