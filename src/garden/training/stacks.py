"""How many seeds train as one batch."""

from __future__ import annotations

import torch

from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph

_BYTES_PER_LISTENING = 4 * 64 * 40  # activations that one ego edge costs in a pass, generously
_SHARE_OF_MEMORY = 0.5


def seeds_per_stack(graph: Graph, device: torch.device, num_seeds: int) -> int:
    """All seeds where a GPU has room for them; one at a time on a CPU, where stacking buys nothing.

    Seeds in one stack share a random stream, so the number is part of a run's record.

    Args:
        graph: the graph to train on.
        device: where to train.
        num_seeds: how many seeds there are.
    """
    if device.type != "cuda":
        return 1
    egos = ego_graphs(graph)
    listening = egos.edges.shape[1] + len(egos.members)
    free, _ = torch.cuda.mem_get_info(device)
    return max(1, min(num_seeds, int(_SHARE_OF_MEMORY * free / (listening * _BYTES_PER_LISTENING))))
