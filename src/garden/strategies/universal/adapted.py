"""`universal` after fine-tuning on one graph: the same strategy, and what it was trained on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, final

import numpy as np

from garden.graphs.ego import EgoGraphs
from garden.graphs.identity import GraphIdentity
from garden.notebook import properties_as_html
from garden.storage import free_folder
from garden.strategies.base import Selection, Strategy
from garden.strategies.representations import Representations
from garden.strategies.universal.edge_bias import EdgeBias
from garden.strategies.universal.policy import Universal


@final
@dataclass(frozen=True)
class Adapted(Strategy):
    """`universal` fine-tuned on one graph, with the graph and the split that it was tuned on.

    Either the network was fine-tuned as a whole, or the agents of the graph learned edge biases.
    """

    policy: Universal
    trained_graph: str
    """The content hash of the graph."""

    trained_task: str
    """The content hash of the task: graph and split."""

    trained_seed: int
    """The seed of the split."""

    record: Mapping[str, Any] = field(default_factory=dict)
    """How it was adapted: options, time, validation ratios before and after."""

    edge_bias: EdgeBias | None = None
    """What the agents of that graph learned about their neighbours, if they did."""

    marks: Mapping[str, str] = field(default_factory=dict)
    """Hashes by which that graph is recognised in another form (:class:`GraphIdentity`)."""

    name: ClassVar[str] = "adapted"
    selection: ClassVar[Selection] = "softmax"
    shows_links: ClassVar[bool] = True

    @property
    def trained_on(self) -> GraphIdentity:
        """The identity of the graph that it was adapted to."""
        name = str(self.record.get("graph", ""))
        return GraphIdentity.stored(name, self.trained_graph, self.marks)

    @property
    def temperature(self) -> float | None:
        """τ, by which scores are divided; chosen on validation targets."""
        return self.policy.temperature

    @property
    def parameters(self) -> dict[str, Any]:
        """The temperature, and the seed of the split that it was adapted on."""
        return {**self.policy.parameters, "seed": self.trained_seed}

    def with_temperature(self, temperature: float) -> Adapted:
        """The same policy at this temperature."""
        return replace(self, policy=self.policy.with_temperature(temperature))

    def check_attributes(self, names: tuple[str, ...]) -> None:
        """Accept any: the features do not depend on which attribute is which."""

    def represent(self, egos: EgoGraphs) -> Representations:
        """The rows of `universal`: adapting changes how they are scored, not what they hold."""
        return self.policy.represent(egos)

    def score_pairs(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """As `universal` does, (num_pairs,) float64.

        Args:
            candidates: num_pairs rows of `universal`.
            targets: As many: target i goes with candidate i.
        """
        return self.policy.score_pairs(candidates, targets)

    def score(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """As `universal` does, (num_targets, num_candidates) float64.

        Args:
            candidates: num_candidates rows of `universal`.
            targets: num_targets such rows.
        """
        return self.policy.score(candidates, targets)

    def save(self, folder: str | Path, force: bool = False) -> None:
        """Store the policy in a folder of its own.

        Args:
            folder: The folder.
            force: Whether to replace another policy that it holds.
        """
        from garden.strategies.universal.storage import save_adapted

        save_adapted(self, free_folder(folder, force))

    def __repr__(self) -> str:
        graph, way = (
            self.record.get("graph", "?"),
            "as a whole" if self.edge_bias is None else "locally",
        )
        return f"Adapted({way} to {graph!r}, seed {self.trained_seed})"

    def _repr_html_(self) -> str:
        entries = {
            "adapted to": str(self.record.get("graph", "?")),
            "seed": str(self.trained_seed),
            "temperature": str(self.temperature),
            "validation ratio": _number(self.record.get("validation_ratio")),
            "before": _number(self.record.get("validation_ratio_before")),
            "kept": str(self.record.get("kept", "?")),
        }
        return properties_as_html("Adapted", entries)


def _number(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, int | float) else "?"
