"""Compiled loops over CSR arrays: edges inside ego graphs, and bit-parallel breadth-first search.

Importing this module needs numba. Each kernel has a plain NumPy or SciPy twin beside its caller,
which defines it and serves where numba is missing.
"""

from __future__ import annotations

import numpy as np

from garden.compiled import compiled, inlined

_FEW = 4  # below a quarter of the nodes, pushing from them beats pulling by all


@compiled()
def edges_among_members(indptr, indices, offsets, members):  # type: ignore[no-untyped-def]
    """Edges among the members of each ego graph, as positions in ``members``.

    Twice over all ego graphs: once to count the edges, once to fill them in. It equals
    :func:`garden.graphs.ego_extraction.edges_among_members_plain`.

    Args:
        indptr: CSR offsets of the graph, (num_nodes + 1,).
        indices: CSR neighbours of the graph, (2 * num_edges,).
        offsets: Where the members of each ego graph stand, (num_egos + 1,).
        members: Nodes of the graph, (num_members,), the centre of each ego graph first.

    Returns:
        Offsets of the edges, (num_egos + 1,), and the edges in both directions, (2, num_ego_edges).
    """
    num_egos = len(offsets) - 1
    position_of = np.full(len(indptr) - 1, -1, dtype=np.int64)
    edge_offsets = np.zeros(num_egos + 1, dtype=np.int64)
    edges = np.empty((2, 0), dtype=np.int32)
    for filling in (False, True):
        count = 0
        for ego in range(num_egos):
            for position in range(offsets[ego], offsets[ego + 1]):
                position_of[members[position]] = position
            for position in range(offsets[ego], offsets[ego + 1]):
                member = members[position]
                for k in range(indptr[member], indptr[member + 1]):
                    head = position_of[indices[k]]
                    if head >= 0:
                        if filling:
                            edges[0, count] = position
                            edges[1, count] = head
                        count += 1
            for position in range(offsets[ego], offsets[ego + 1]):
                position_of[members[position]] = -1
            edge_offsets[ego + 1] = count
        if not filling:
            edges = np.empty((2, count), dtype=np.int32)
    return edge_offsets, edges


@compiled()
def word_of_distances(indptr, indices, sources, distances, totals):  # type: ignore[no-untyped-def]
    """Hops from at most 64 sources to all nodes, filled in or added up.

    Bit b of a node's word says whether the search from source b has met it, so that one pass
    over the edges advances all searches by a hop. Where most nodes moved in the last hop, each
    node pulls from its neighbours; where few did, those push, so that a long thin graph costs no
    pass over all nodes per hop.

    Args:
        indptr: CSR offsets of the graph.
        indices: CSR neighbours of the graph.
        sources: Positions of nodes, (≤ 64,).
        distances: Filled with hops where it has rows, (num_sources, num_nodes) int32 of −1.
        totals: Filled with the sum of each source's hops, (num_sources,) int64 of 0; or empty.

    Returns:
        The sum of all hops, how many pairs have a path, and the most hops of one.
    """
    met, frontier, arriving, active, reached, everybody, num_reached = begun(
        len(indptr) - 1, sources
    )
    bytes_met = np.zeros((8 if len(totals) else 0, 256), dtype=np.int64)
    hops, total, num_paths = 0, 0, 0
    while num_reached:
        active, reached = reached, active
        num_active = num_reached
        num_met = meet(active[:num_active], arriving, frontier, met, distances, bytes_met, hops)
        total += num_met * hops
        num_paths += num_met
        if len(totals):
            add_hops(bytes_met, hops, totals)
        num_reached = advance(
            indptr, indices, active[:num_active], frontier, met, everybody, arriving, reached
        )
        hops += 1
    return total, num_paths, hops - 1


@compiled()
def word_of_pair_distances(indptr, indices, ends, starts, bits, hops_of):  # type: ignore[no-untyped-def]
    """Fill ``hops_of``, (num_pairs,) int32 of -1, with the hops of each pair that has a path.

    The searches go out from ``ends``, (≤ 64,), and stop when all pairs are met: no table of
    distances is made, and nodes beyond the furthest pair are not looked at.

    Args:
        indptr: CSR offsets of the graph.
        indices: CSR neighbours of the graph.
        ends: Where the searches begin.
        starts: (num_pairs,) the other node of each pair.
        bits: (num_pairs,) which of ``ends`` a pair has.
        hops_of: The result.

    """
    met, frontier, arriving, active, reached, everybody, num_reached = begun(len(indptr) - 1, ends)
    no_table, no_bytes = np.empty((0, 0), dtype=np.int32), np.empty((0, 256), dtype=np.int64)
    hops, missing = 0, len(starts)
    while num_reached and missing:
        active, reached = reached, active
        num_active = num_reached
        meet(active[:num_active], arriving, frontier, met, no_table, no_bytes, hops)
        for pair in range(len(starts)):
            bit = np.uint64(1) << np.uint64(bits[pair])
            if hops_of[pair] < 0 and met[starts[pair]] & bit:
                hops_of[pair] = hops
                missing -= 1
        num_reached = advance(
            indptr, indices, active[:num_active], frontier, met, everybody, arriving, reached
        )
        hops += 1


@compiled()
def begun(num_nodes, sources):  # type: ignore[no-untyped-def]
    """The state of searches that arrive at their sources.

    Args:
        num_nodes: How many nodes the graph has.
        sources: Positions of nodes, (≤ 64,).

    Returns:
        Words of each node (met, frontier, arriving), two lists of nodes (active, reached), the word
        of all sources, and how many nodes were reached.
    """
    met = np.zeros(num_nodes, dtype=np.uint64)
    frontier = np.zeros(num_nodes, dtype=np.uint64)
    arriving = np.zeros(num_nodes, dtype=np.uint64)
    active = np.empty(num_nodes, dtype=np.int64)
    reached = np.empty(num_nodes, dtype=np.int64)
    num_reached = 0
    everybody = np.uint64(0)
    for b in range(len(sources)):
        bit = np.uint64(1) << np.uint64(b)
        everybody |= bit
        if not arriving[sources[b]]:
            reached[num_reached] = sources[b]
            num_reached += 1
        arriving[sources[b]] |= bit
    return met, frontier, arriving, active, reached, everybody, num_reached


@compiled()
def advance(  # type: ignore[no-untyped-def]
    indptr, indices, active, frontier, met, everybody, arriving, reached
):
    """One hop of all searches from the active nodes.

    Args:
        indptr: CSR offsets of the graph.
        indices: CSR neighbours of the graph.
        active: The nodes that moved in the last hop.
        frontier: Which searches reached each node in the last hop, (num_nodes,) uint64; cleared.
        met: Which searches have met each node, (num_nodes,) uint64.
        everybody: The word of all searches.
        arriving: Filled: which searches reach each node now.
        reached: Filled with the nodes that some search reaches.

    Returns:
        How many nodes were reached.
    """
    if len(active) * _FEW > len(indptr) - 1:
        num_reached = pull(indptr, indices, frontier, met, everybody, arriving, reached)
    else:
        num_reached = push(indptr, indices, active, frontier, met, arriving, reached)
    for i in range(len(active)):
        frontier[active[i]] = 0
    return num_reached


@compiled()
def meet(active, arriving, frontier, met, distances, bytes_met, hops):  # type: ignore[no-untyped-def]
    """Note that searches arrived at these nodes.

    Args:
        active: The nodes.
        arriving: Which searches reach each node, (num_nodes,) uint64; cleared at these.
        frontier: Set to the same at these.
        met: Which searches have met each node; grows.
        distances: Filled with ``hops`` where it has rows, (num_sources, num_nodes).
        bytes_met: Counts the values of each byte of the words that arrived, (8, 256); or empty.
        hops: How far the nodes are from those searches' sources.

    Returns:
        How many arrivals there were.
    """
    num_met = 0
    for i in range(len(active)):
        node = active[i]
        word = arriving[node]
        frontier[node] = word
        arriving[node] = 0
        met[node] |= word
        num_met += number_of_bits(word)
        for place in range(len(bytes_met)):
            bytes_met[place, (word >> np.uint64(8 * place)) & np.uint64(255)] += 1
        b = 0
        while word and len(distances):
            if word & np.uint64(1):
                distances[b, node] = hops
            word >>= np.uint64(1)
            b += 1
    return num_met


@compiled()
def add_hops(bytes_met, hops, totals):  # type: ignore[no-untyped-def]
    """Add ``hops`` to each search's total, as often as its bit was counted; clear the counts.

    Args:
        bytes_met: The counts of :func:`meet`, (8, 256).
        hops: The present distance.
        totals: (num_sources,) int64, changed.
    """
    for b in range(len(totals)):
        place, bit = b >> 3, b & 7
        for value in range(256):
            if (value >> bit) & 1:
                totals[b] += hops * bytes_met[place, value]
    bytes_met[:] = 0


@inlined
def number_of_bits(word):  # type: ignore[no-untyped-def]
    """How many bits are set: sums of neighbouring 2, 4 and 8 bits, then of all bytes."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    pairs = np.uint64(0x3333333333333333)
    word = (word & pairs) + ((word >> np.uint64(2)) & pairs)
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@compiled()
def pull(  # type: ignore[no-untyped-def]
    indptr, indices, frontier, met, everybody, arriving, reached
):
    """Each node that some search has not met reads its neighbours.

    Args:
        indptr: CSR offsets of the graph.
        indices: CSR neighbours of the graph.
        frontier: Which searches reached each node in the last hop.
        met: Which searches have met each node.
        everybody: The word of all searches.
        arriving: Filled: which searches reach each node now.
        reached: Filled with the nodes that some search reaches.

    Returns:
        How many nodes were reached.
    """
    num_reached = 0
    for node in range(len(indptr) - 1):
        if met[node] == everybody:
            continue
        word = np.uint64(0)
        for k in range(indptr[node], indptr[node + 1]):
            word |= frontier[indices[k]]
            if word | met[node] == everybody:  # no other neighbour can add to it
                break
        word &= ~met[node]
        if word:
            arriving[node] = word
            reached[num_reached] = node
            num_reached += 1
    return num_reached


@compiled()
def push(  # type: ignore[no-untyped-def]
    indptr, indices, active, frontier, met, arriving, reached
):
    """The nodes of the frontier write to their neighbours.

    Args:
        indptr: CSR offsets of the graph.
        indices: CSR neighbours of the graph.
        active: The nodes of the frontier.
        frontier: Which searches reached each node in the last hop.
        met: Which searches have met each node.
        arriving: Filled: which searches reach each node now.
        reached: Filled with the nodes that some search reaches.

    Returns:
        How many nodes were reached.
    """
    num_reached = 0
    for i in range(len(active)):
        for k in range(indptr[active[i]], indptr[active[i] + 1]):
            node = indices[k]
            word = frontier[active[i]] & ~met[node]
            if word:
                if not arriving[node]:
                    reached[num_reached] = node
                    num_reached += 1
                arriving[node] |= word
    return num_reached
