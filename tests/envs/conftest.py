"""Tasks that the environments' tests share."""

from __future__ import annotations

import numpy as np
import pytest

from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.task import SearchTask
from garden.graphs.graph import Graph

# 0 – 1 – 2 – 3, 1 – 3, 3 – 4 – 5
EDGES = np.array([[0, 1], [1, 2], [2, 3], [1, 3], [3, 4], [4, 5]])


@pytest.fixture(scope="session")
def small_graph() -> Graph:
    attributes = np.array([[0, -1], [1, 0], [2, 1], [3, 0.5], [4, 2], [5, 3]], dtype=np.float32)
    return Graph.from_edges(EDGES, 6, attributes=attributes)


@pytest.fixture(scope="session")
def small_task(small_graph: Graph) -> SearchTask:
    """Targets 4 (train), 3 (validation) and 5 (test)."""
    return SearchTask(
        graph=small_graph,
        seed=0,
        train_targets=np.array([4]),
        validation_targets=np.array([3]),
        test_targets=np.array([5]),
        validation_pairs=np.array([[0, 3]]),
        test_pairs=np.array([[0, 5]]),
    )


@pytest.fixture(scope="session")
def grown_task() -> SearchTask:
    return SearchTask.split(kaiser_hilgetag(n=60, alpha=30, beta=1, seed=1), seed=0)
