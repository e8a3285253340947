"""Policies with the weights that they start from: what timing needs, and what learning adds to."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from garden.graphs.graph import Graph
from garden.models.config import ModelConfig

if TYPE_CHECKING:
    from garden.models.policy import Policy


def untrained_policy(model: str, graph: Graph, seed: int) -> Policy:
    """A model of the paper's size for this graph, standardised as a trained one, not trained."""
    from garden.models.policy import Policy, PolicyInfo
    from garden.models.registry import build_model

    size = ModelConfig()
    built = build_model(model, graph.num_attributes, size, (seed,))
    built.standardise_by(graph.attributes)
    info = PolicyInfo(
        model=model,
        model_options=asdict(size),
        method="none",
        trains_value=False,
        graph=graph.name,
        graph_hash=graph.content_hash,
        task_hash="",
        seed=seed,
        attribute_names=graph.attribute_names,
    )
    return Policy(built, info)
