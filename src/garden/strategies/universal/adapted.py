"""`universal` after fine-tuning on one graph: the same strategy, and a note of what it has seen."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, final

import numpy as np

from garden.atomic import free_folder, write_file
from garden.errors import DataError
from garden.graphs.ego import EgoGraphs
from garden.graphs.identity import GraphIdentity
from garden.notebook import properties_as_html
from garden.strategies.base import Representations, Selection, Strategy
from garden.strategies.universal.edge_bias import Trust
from garden.strategies.universal.policy import (
    CONFIG_FILE,
    Universal,
    load_universal,
    save_universal,
)

TRUST_FILE = "agents.safetensors"


@final
@dataclass(frozen=True)
class Adapted(Strategy):
    """A network for every graph that was fine-tuned on one, and knows on which split of it."""

    policy: Universal
    trained_graph: str
    """The graph's content hash; the task's hash and seed follow."""

    trained_task: str
    trained_seed: int
    facts: Mapping[str, Any] = field(default_factory=dict)
    """How it was adapted."""

    trust: Trust | None = None
    """What the agents of that graph learned about their neighbours, where they did."""

    marks: Mapping[str, str] = field(default_factory=dict)
    """By what that graph is known again in another form; none in folders of earlier versions."""

    name: ClassVar[str] = "adapted"
    selection: ClassVar[Selection] = "softmax"

    @property
    def trained_on(self) -> GraphIdentity:
        """By what the graph that it was adapted to is known again."""
        name = str(self.facts.get("graph", ""))
        return GraphIdentity.stored(name, self.trained_graph, self.marks)

    @property
    def temperature(self) -> float | None:
        """By which scores are divided; chosen on validation targets."""
        return self.policy.temperature

    @property
    def parameters(self) -> dict[str, Any]:
        """The temperature, and the seed of the split that it was adapted on."""
        return {**self.policy.parameters, "seed": self.trained_seed}

    def with_temperature(self, temperature: float) -> Adapted:
        """The same policy at this temperature."""
        return replace(self, policy=self.policy.with_temperature(temperature))

    def check_attributes(self, names: tuple[str, ...]) -> None:
        """Any will do: no input says which attribute is which."""

    def represent(self, egos: EgoGraphs) -> Representations:
        """As `universal` does."""
        return self.policy.represent(egos)

    def score_pairs(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """What the network says of each pair."""
        return self.policy.score_pairs(candidates, targets)

    def score(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """What the network says of all pairs."""
        return self.policy.score(candidates, targets)

    def save(self, folder: str | Path, force: bool = False) -> None:
        """Store the policy in a folder of its own; another policy's only with ``force``."""
        folder = free_folder(folder, CONFIG_FILE, force)
        seen = {
            "graph_hash": self.trained_graph,
            "graph_marks": dict(self.marks),
            "task_hash": self.trained_task,
            "seed": self.trained_seed,
            "facts": dict(self.facts),
        }
        path = folder / TRUST_FILE
        if self.trust is None:
            path.unlink(missing_ok=True)
        else:
            content = _content_of(self.trust)
            write_file(path, lambda temporary: temporary.write_bytes(content))
            seen["trust_hash"] = hashlib.sha256(content).hexdigest()
        save_universal(self.policy, folder, adapted=seen)

    def __repr__(self) -> str:
        graph, way = self.facts.get("graph", "?"), "as a whole" if self.trust is None else "locally"
        return f"Adapted({way} to {graph!r}, seed {self.trained_seed})"

    def _repr_html_(self) -> str:
        facts = {
            "adapted to": str(self.facts.get("graph", "?")),
            "seed": str(self.trained_seed),
            "temperature": str(self.temperature),
            "validation ratio": _number(self.facts.get("validation_ratio")),
            "before": _number(self.facts.get("validation_ratio_before")),
            "kept": str(self.facts.get("kept", "?")),
        }
        return properties_as_html("Adapted", facts)


def _number(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, int | float) else "?"


def load_universal_or_adapted(folder: Path) -> Universal | Adapted:
    """What a folder holds: a policy for every graph, or one adapted to a graph."""
    policy = load_universal(folder)
    seen = json.loads((folder / CONFIG_FILE).read_text(encoding="utf-8")).get("adapted")
    if seen is None:
        return policy
    try:
        return Adapted(
            policy,
            str(seen["graph_hash"]),
            str(seen["task_hash"]),
            int(seen["seed"]),
            dict(seen["facts"]),
            _load_trust(folder / TRUST_FILE, seen["trust_hash"]) if "trust_hash" in seen else None,
            dict(seen.get("graph_marks", {})),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"{folder}: does not say what it was adapted to ({error})") from None


def _content_of(trust: Trust) -> bytes:
    from safetensors.numpy import save

    content: bytes = save(
        {
            "holders": trust.holders.astype(np.int32),
            "neighbours": trust.neighbours.astype(np.int32),
            "worth": trust.worth.astype(np.float64),
        }
    )
    return content


def _load_trust(path: Path, digest: str) -> Trust:
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != digest:
            raise DataError(f"{path}: not what {CONFIG_FILE} describes")
        return Trust(**load(content))
    except (OSError, TypeError, SafetensorError) as error:
        raise DataError(f"{path}: not readable as what agents learned ({error})") from None
