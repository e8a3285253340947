"""Where the nodes of a graph stand on the page: pivot MDS, refined by forces.

Distances to p = 50 pivots, chosen far from one another, give a first picture: with D the
(num_nodes, p) hops and C the doubly centred −D²/2, coordinates are C V, where V holds the two
leading eigenvectors of CᵀC. Then forces move each node i for a fixed number of steps, ever more
slowly,

    F_i = Σ_{j ∈ N(i)} (x_j − x_i) / m_i  +  Σ_j (m_j / M) (x_i − x_j) / |x_i − x_j|²,

m_i = degree + 1, M = Σ m_j, the second sum by a Barnes–Hut tree. The same graph and seed give the
same picture; it is kept in the user's cache by content.

References: U. Brandes and C. Pich, "Eigensolver methods for progressive multidimensional scaling
of large data", GD 2006. J. Barnes and P. Hut, "A hierarchical O(N log N) force-calculation
algorithm", Nature 324 (1986). Forces and masses follow M. Jacomy et al., "ForceAtlas2", PLoS ONE 9
(2014).
"""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np

from garden.datasets.snap import cache_folder
from garden.errors import DataError, one_line
from garden.graphs.distances import UNREACHABLE, distances
from garden.graphs.graph import Graph
from garden.storage import write_file

NUM_PIVOTS = 50
NUM_STEPS = 120
FIRST_STEP, LAST_STEP = 0.12, 0.004  # the furthest a node moves; the picture is about 1 wide
OPENING = 1.0
_FORMAT = 1
_LOG = logging.getLogger("garden")


def layout(graph: Graph, seed: int = 0, cache: bool = True) -> np.ndarray:
    """Coordinates of each node, within −1 … 1.

    Args:
        graph: The graph; nodes of other components than the first pivot's stand around it.
        seed: Fixes the first pivot and the small shifts that part nodes which coincide.
        cache: Whether the picture is read from the user's cache, and kept there.

    Returns:
        (num_nodes, 2) float32.
    """
    path = _cache_file(graph, seed) if cache else None
    kept = None if path is None else _read(path, graph.num_nodes)
    if kept is not None:
        return kept
    points = _unit(refined(graph, pivot_coordinates(graph, seed), seed)).astype(np.float32)
    if path is not None:
        _write(path, points)
    return points


def pivot_coordinates(graph: Graph, seed: int = 0) -> np.ndarray:
    """The picture by distances to pivots alone, (num_nodes, 2) float64, within −1 … 1.

    Args:
        graph: The graph.
        seed: Fixes the first pivot.
    """
    hops = _pivot_distances(graph, seed).astype(np.float64)  # (num_nodes, num_pivots)
    squares = -0.5 * hops**2
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1, keepdims=True) + squares.mean()
    _, vectors = np.linalg.eigh(centred.T @ centred)
    leading = vectors[:, ::-1][:, :2]
    if leading.shape[1] < 2:
        leading = np.pad(leading, ((0, 0), (0, 1)))
    signs = np.sign(leading[np.abs(leading).argmax(axis=0), [0, 1]])  # eigenvectors have none
    return _unit(centred @ (leading * np.where(signs == 0, 1.0, signs)))


def refined(graph: Graph, points: np.ndarray, seed: int = 0) -> np.ndarray:
    """The picture after forces have moved its nodes.

    Args:
        graph: The graph.
        points: Where its nodes stand, (num_nodes, 2).
        seed: Of the shifts that part nodes which coincide.

    Returns:
        (num_nodes, 2) float64.
    """
    try:
        from garden.plots.layout_kernels import add_attraction, add_repulsion, grow_tree
    except ImportError:  # no numba on this machine
        _LOG.info("without numba the picture is by pivots alone")
        return points
    num_nodes = graph.num_nodes
    rng = np.random.default_rng(seed)
    points = points + rng.normal(scale=0.01, size=points.shape)
    masses = graph.degrees + 1.0
    room = 8 * num_nodes + 64
    tree = (
        np.empty((room, 4), dtype=np.int32),
        np.empty((room, 2)),
        np.empty(room),
        np.empty(room),
    )
    strength = 0.5 / masses.sum()
    for furthest in np.geomspace(FIRST_STEP, LAST_STEP, NUM_STEPS):
        forces = np.zeros_like(points)
        grow_tree(points, masses, *tree)
        add_repulsion(points, masses, *tree, OPENING, strength, forces)
        add_attraction(points, graph.indptr, graph.indices, forces)
        lengths = np.linalg.norm(forces, axis=1, keepdims=True)
        points += forces * np.minimum(1.0, furthest / np.maximum(lengths, 1e-12))
    return points


def _pivot_distances(graph: Graph, seed: int) -> np.ndarray:
    """Hops to pivots, each the node that is furthest from those before it."""
    first = int(np.random.default_rng(seed).integers(graph.num_nodes))
    columns = []
    nearest = np.full(graph.num_nodes, np.iinfo(np.int32).max)
    pivot = first
    for _ in range(min(NUM_PIVOTS, graph.num_nodes)):
        hops = distances(graph, np.array([pivot]))[0]
        hops = np.where(hops == UNREACHABLE, hops.max() + 2, hops)
        columns.append(hops)
        nearest = np.minimum(nearest, hops)
        pivot = int(nearest.argmax())
    return np.stack(columns, axis=1)


def _unit(points: np.ndarray) -> np.ndarray:
    """Points moved and scaled to −1 … 1, the middle of their box at 0."""
    low, high = points.min(axis=0), points.max(axis=0)
    scale = max(float((high - low).max()) / 2, 1e-12)
    scaled: np.ndarray = (points - (low + high) / 2) / scale
    return scaled


def _cache_file(graph: Graph, seed: int) -> Path | None:
    folder = cache_folder()
    if folder is None:
        return None
    return folder / "layouts" / f"{graph.content_hash[:40]}-{seed}-{_FORMAT}.npy"


def _read(path: Path, num_nodes: int) -> np.ndarray | None:
    try:
        points = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    sound = points.shape == (num_nodes, 2) and points.dtype == np.float32
    return points if sound and np.isfinite(points).all() else None


def _write(path: Path, points: np.ndarray) -> None:
    def save(temporary: Path) -> None:
        with temporary.open("wb") as stream:
            np.save(stream, points, allow_pickle=False)

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, save)
    except (OSError, DataError) as error:
        _LOG.info("the picture is not kept (%s)", one_line(error))
