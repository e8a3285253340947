"""The compiled loop of the environments: laying out what holders see.

Importing this module needs numba. Its plain twin stands in :mod:`garden.envs.observations`.
"""

from __future__ import annotations

from garden.compiled import compiled


@compiled()
def fill_observations(indptr, indices, rows, holders, targets, out):  # type: ignore[no-untyped-def]
    """Fill ``out``, (num_holders, (max_degree + 1) · width): neighbours, padding, target.

    A target of −1 stands for no message: its row stays zero.
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
