"""The compiled loop of pruned landmark labelling. Importing this module needs numba."""

from __future__ import annotations

import numpy as np

from garden.compiled import compiled

_FAR = 1 << 30  # more than any distance


@compiled()
def grow_labels(  # type: ignore[no-untyped-def]
    indptr, indices, order, first, hubs, hops, start, room, count, used
):
    """Search from ``order[first:]`` while labels have room to move; the next rank, the room used.

    A label that is full moves to the end, where it has twice the room.

    Args:
        indptr: Where each node's neighbours start in ``indices``, (num_nodes + 1,).
        indices: Neighbours, node after node.
        order: The nodes, the best hub first, (num_nodes,).
        first: The rank of the node that the search goes on with.
        hubs: The entries' hubs, by rank; filled in place.
        hops: The entries' distances; filled in place.
        start: Where each label starts, (num_nodes,); changed in place.
        room: How many entries each label has room for, (num_nodes,); changed in place.
        count: How many entries each label has, (num_nodes,); changed in place.
        used: How much of ``hubs`` is in use or was left behind.
    """
    num_nodes = len(order)
    to_hub = np.full(num_nodes, _FAR, dtype=np.int32)  # by rank: distances on the root's own label
    seen = np.full(num_nodes, -1, dtype=np.int32)
    away = np.empty(num_nodes, dtype=np.int32)
    queue = np.empty(num_nodes, dtype=np.int32)
    all_room = room.sum()
    for rank in range(first, num_nodes):
        if used + 2 * all_room > len(hubs):  # if each of them moved
            return rank, used
        root = order[rank]
        own = count[root]
        for entry in range(start[root], start[root] + own):
            to_hub[hubs[entry]] = hops[entry]
        queue[0] = root
        seen[root] = rank
        away[root] = 0
        head, tail = 0, 1
        while head < tail:
            node = queue[head]
            head += 1
            distance = away[node]
            known = False
            for entry in range(start[node], start[node] + count[node]):
                if to_hub[hubs[entry]] + hops[entry] <= distance:
                    known = True
                    break
            if known:
                continue
            if count[node] == room[node]:
                for entry in range(count[node]):
                    hubs[used + entry] = hubs[start[node] + entry]
                    hops[used + entry] = hops[start[node] + entry]
                start[node] = used
                all_room += room[node]
                room[node] *= 2
                used += room[node]
            hubs[start[node] + count[node]] = rank
            hops[start[node] + count[node]] = distance
            count[node] += 1
            for edge in range(indptr[node], indptr[node + 1]):
                other = indices[edge]
                if seen[other] != rank:
                    seen[other] = rank
                    away[other] = distance + 1
                    queue[tail] = other
                    tail += 1
        for entry in range(start[root], start[root] + own):
            to_hub[hubs[entry]] = _FAR
    return num_nodes, used
