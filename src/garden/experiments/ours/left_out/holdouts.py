"""Trainings of `universal` without some graphs."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from garden.experiments.ours.universal_holdout import UniversalTraining
from garden.experiments.run.jobs import address_of
from garden.strategies.universal.policy import Universal
from garden.training.universal.config import UniversalConfig
from garden.training.universal.training_set import (
    TRAINING_SET,
    Source,
    shares,
    sources,
    training_graphs,
)

if TYPE_CHECKING:
    from garden.training.universal.train import GraphBatch

FEWEST_NODES = 10


@final
@dataclass(frozen=True)
class LeftOutTraining(UniversalTraining):
    """How one policy is trained: on all graphs but some."""

    kind: ClassVar[str] = "left-out-training"

    without: tuple[str, ...]
    """Specs of the graphs that it neither trains nor validates on."""

    config: UniversalConfig

    def to_json(self) -> dict[str, Any]:
        """Every option with its value, and the graphs trained on."""
        left = [source.spec for source in sources() if source.spec not in self.without]
        return {"graphs": address_of(left), "config": asdict(self.config)}

    def trained(self) -> Universal:
        """The policy, trained now on every source that is not left out, at its best temperature."""
        from garden.training.universal.train import train_universal, with_best_temperature

        kept = [one for one in all_batches() if one[0].spec not in self.without]
        batches = [batch for _, batch in kept]
        probabilities = shares([source for source, _ in kept]).tolist()
        network = train_universal(batches, self.config, probabilities=probabilities)
        policy = with_best_temperature(network, batches)
        return replace(policy, training=self.record([source for source, _ in kept]))

    def record(self, kept: Sequence[Source]) -> dict[str, object]:
        """How the policy was trained, as it is stored with it.

        Args:
            kept: The sources of its training graphs.

        """
        return {
            "set": TRAINING_SET,
            "kinds": sorted({source.spec.partition(":")[0] for source in kept}),
            "without": list(self.without),
            "options": asdict(self.config),
            "time": time.strftime("%Y-%m-%d", time.gmtime()),
        }


@lru_cache(maxsize=1)
def all_batches() -> tuple[tuple[Source, GraphBatch], ...]:
    """All training graphs with their sources, made once per process: some gigabytes."""
    return tuple((source, batch) for source in sources() for batch in batches_of(source))


def batches_of(source: Source) -> Iterator[GraphBatch]:
    """What is trained or validated on of one source, with targets drawn by its name."""
    from garden.training.universal.train import graph_batch

    for number, entry in enumerate(training_graphs(source)):
        graph = entry.graph
        if graph.num_nodes < FEWEST_NODES:
            continue
        rng = np.random.default_rng([zlib.crc32(source.spec.encode()), number])
        count = min(entry.num_targets, graph.num_nodes)
        targets = np.sort(rng.choice(graph.num_nodes, count, replace=False))
        yield graph_batch(graph, targets, entry.kind, entry.validates)
