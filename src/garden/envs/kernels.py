"""The compiled loop of the environments: filling observations.

It repeats :func:`garden.envs.observations.fill_observations_plain`. Importing this module needs
numba.
"""

from __future__ import annotations

from garden.compiled import compiled


@compiled()
def fill_observations(indptr, indices, rows, holders, targets, out):  # type: ignore[no-untyped-def]
    """Fill observations: neighbours' rows, zero padding, the target's row.

    Args:
        indptr: Row pointers of the graph's adjacency (CSR), (num_nodes + 1,).
        indices: Neighbours of all nodes, (2 · num_edges,).
        rows: What is observed of each node, (num_nodes, width) float32.
        holders: Who observes, (num_holders,).
        targets: The target of each holder's message, (num_holders,); −1 where it has none, which
            leaves the target's row zero.
        out: Filled, (num_holders, (max_degree + 1) · width).
    """
    width = rows.shape[1]
    last = out.shape[1] - width
    for i in range(len(holders)):
        line = out[i]
        place = 0
        for k in range(indptr[holders[i]], indptr[holders[i] + 1]):
            row = rows[indices[k]]
            for j in range(width):
                line[place + j] = row[j]
            place += width
        for j in range(place, last):
            line[j] = 0
        if targets[i] < 0:
            for j in range(width):
                line[last + j] = 0
        else:
            row = rows[targets[i]]
            for j in range(width):
                line[last + j] = row[j]
