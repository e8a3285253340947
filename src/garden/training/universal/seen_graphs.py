"""Sketches of the training graphs of `universal`, stored beside its weights.

Hashes of links alone are stored, nothing that a graph could be made of again. For a policy in a
folder, and with the real data at hand::

    python -c "from garden.training.universal.seen_graphs import store_seen_graphs
    store_seen_graphs('src/garden/weights/universal')"
"""

from __future__ import annotations

from pathlib import Path

from garden.graphs.link_sketches import GraphSketch, write_sketches
from garden.strategies.universal.storage import MET_FILE, load_universal
from garden.training.universal.curriculum import source_graphs
from garden.training.universal.training_set import TRAINING_SET, graph_of_source, sources


def store_seen_graphs(folder: str | Path) -> None:
    """Write the sketches of all graphs that the policy in a folder was trained or validated on."""
    training = load_universal(Path(folder)).training
    if training.get("set") == TRAINING_SET:
        left_out = training.get("without", ())
        kept = [source for source in sources() if source.spec not in left_out]
        sketches = [GraphSketch.of(graph_of_source(source)) for source in kept]
    else:
        sketches = [GraphSketch.of(graph) for graph in source_graphs(training["kinds"])]
    write_sketches(sketches, Path(folder) / MET_FILE)
