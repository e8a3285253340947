"""Compiled forces of a layout: repulsion by a Barnes–Hut tree, attraction along edges.

Importing this module needs numba.
"""

from __future__ import annotations

import numpy as np

from garden.compiled import compiled

_DEPTH = 40  # a cell this deep takes several points: they lie on one another
_STACK = 4 * _DEPTH


@compiled(inline="always")
def quarter_of(x, y, left, bottom, width):  # type: ignore[no-untyped-def]
    """The quarter of a cell that a point lies in: 1 for the right, 2 for the upper, their sum.

    Args:
        x: Of the point.
        y: Of the point.
        left: The cell's left side.
        bottom: The cell's lower side.
        width: Of the cell, which is a square.
    """
    quarter = 0
    if x >= left + width / 2:
        quarter += 1
    if y >= bottom + width / 2:
        quarter += 2
    return quarter


@compiled()
def grow_tree(
    points: np.ndarray,
    masses: np.ndarray,
    children: np.ndarray,
    centres: np.ndarray,
    weights: np.ndarray,
    sizes: np.ndarray,
) -> int:
    """Put points into a quadtree whose cells know their mass and where its centre is.

    Args:
        points: (num_points, 2) float64.
        masses: (num_points,) float64.
        children: (max_cells, 4) int32, filled: a cell, −1 for none, −2 − p for the point p.
        centres: (max_cells, 2), filled: the centre of the mass of each cell.
        weights: (max_cells,), filled: the mass of each cell.
        sizes: (max_cells,), filled: the width of each cell.

    Returns:
        How many cells there are; the first is the root.
    """
    low_x, low_y = points[:, 0].min(), points[:, 1].min()
    size = max(points[:, 0].max() - low_x, points[:, 1].max() - low_y) * 1.0001 + 1e-9
    children[0, :] = -1
    centres[0, :] = 0.0
    weights[0] = 0.0
    sizes[0] = size
    count = 1
    for point in range(len(points)):
        x, y, mass = points[point, 0], points[point, 1], masses[point]
        cell, left, bottom, width = 0, low_x, low_y, size
        depth = 0
        while True:
            weights[cell] += mass
            centres[cell, 0] += mass * x
            centres[cell, 1] += mass * y
            quarter = quarter_of(x, y, left, bottom, width)
            child = children[cell, quarter]
            if child == -1:
                children[cell, quarter] = -2 - point
                break
            depth += 1
            if depth >= _DEPTH or count >= len(children):
                break  # counted in the cell's mass alone
            width /= 2
            left += width * (quarter % 2)
            bottom += width * (quarter // 2)
            if child >= 0:
                cell = child
                continue
            other = -2 - child  # a point: a new cell takes it, then ours goes on
            children[cell, quarter] = count
            children[count, :] = -1
            sizes[count] = width
            weights[count] = masses[other]
            centres[count, 0] = masses[other] * points[other, 0]
            centres[count, 1] = masses[other] * points[other, 1]
            inner = quarter_of(points[other, 0], points[other, 1], left, bottom, width)
            children[count, inner] = -2 - other
            cell = count
            count += 1
    for cell in range(count):
        centres[cell, 0] /= weights[cell]
        centres[cell, 1] /= weights[cell]
    return count


@compiled()
def add_repulsion(
    points: np.ndarray,
    masses: np.ndarray,
    children: np.ndarray,
    centres: np.ndarray,
    weights: np.ndarray,
    sizes: np.ndarray,
    opening: float,
    strength: float,
    forces: np.ndarray,
) -> None:
    """Add to each point ``strength`` × Σ m_j (x_i − x_j) / |x_i − x_j|² over all others.

    Args:
        points: (num_points, 2).
        masses: (num_points,).
        children: As :func:`grow_tree` filled it, and so are the next three.
        centres: (max_cells, 2).
        weights: (max_cells,).
        sizes: (max_cells,).
        opening: A cell whose width is below this share of its distance counts as one point.
        strength: What forces are multiplied by.
        forces: (num_points, 2), added to.
    """
    stack = np.empty(_STACK, dtype=np.int64)
    for point in range(len(points)):
        x, y = points[point, 0], points[point, 1]
        stack[0] = 0
        height = 1
        fx = fy = 0.0
        while height:
            height -= 1
            entry = stack[height]
            if entry <= -2:
                other = -2 - entry
                if other == point:
                    continue
                dx, dy, mass = x - points[other, 0], y - points[other, 1], masses[other]
                square = dx * dx + dy * dy + 1e-9
            else:
                dx, dy, mass = x - centres[entry, 0], y - centres[entry, 1], weights[entry]
                square = dx * dx + dy * dy + 1e-9
                if sizes[entry] * sizes[entry] > opening * opening * square:
                    for quarter in range(4):
                        child = children[entry, quarter]
                        if child != -1 and height < _STACK:
                            stack[height] = child
                            height += 1
                    continue
            fx += mass * dx / square
            fy += mass * dy / square
        forces[point, 0] += strength * fx
        forces[point, 1] += strength * fy


@compiled()
def add_attraction(
    points: np.ndarray, indptr: np.ndarray, indices: np.ndarray, forces: np.ndarray
) -> None:
    """Add to each point the sum of the vectors to its neighbours, divided by their number and one.

    Args:
        points: (num_points, 2).
        indptr: Where the neighbours of each point start in ``indices``.
        indices: The neighbours of all points, one list after another.
        forces: (num_points, 2), added to.
    """
    for point in range(len(points)):
        first, last = indptr[point], indptr[point + 1]
        fx = fy = 0.0
        for edge in range(first, last):
            fx += points[indices[edge], 0] - points[point, 0]
            fy += points[indices[edge], 1] - points[point, 1]
        forces[point, 0] += fx / (last - first + 1)
        forces[point, 1] += fy / (last - first + 1)
