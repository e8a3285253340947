"""Many messages towards one target, one hop of each at a time, for memories that work in batches.

Hop for hop it repeats :func:`garden.search.walk.walk`; its arguments are those of the compiled
kernels in :mod:`garden.search.kernels`.
"""

from __future__ import annotations

import numpy as np

from garden.graphs.ego import ragged_rows
from garden.search.episode_rng import next_streams, uniforms_of
from garden.strategies.memory import BatchMemory


def walk_batch(
    indptr: np.ndarray,
    indices: np.ndarray,
    scores: np.ndarray,
    argmax: bool,
    target: int,
    sources: np.ndarray,
    streams: np.ndarray,
    max_hops: int,
    hops: np.ndarray,
    paths: np.ndarray,
    memory: BatchMemory,
) -> None:
    """Walk one message per source towards ``target``.

    Args:
        indptr: Row pointers of the graph's adjacency (CSR), (num_nodes + 1,).
        indices: Neighbours of all nodes, (2 · num_edges,).
        scores: The target's row of scores, (num_nodes,) float64.
        argmax: Whether the best neighbour is chosen, uniformly among equals; softmax otherwise.
        target: The position of the target.
        sources: Where each message starts, (num_messages,).
        streams: Each message's random state, (num_messages,) uint64.
        max_hops: The hop at which a message is given up.
        hops: Filled with hops made, (num_messages,); max_hops + 1 where truncated.
        paths: Filled with the nodes of each walk, (num_messages, max_hops + 1); or empty.
        memory: Changes scores by what each message remembers.
    """
    hops[:] = max_hops + 1
    if len(paths):
        paths[:, 0] = sources
    active = np.arange(len(sources))  # the messages under way
    holders = sources
    memory = memory.towards(target)
    states = memory.start_many(len(sources))
    for hop in range(max_hops + 1):
        arrived = holders == target
        hops[active[arrived]] = hop
        active, holders, streams = active[~arrived], holders[~arrived], streams[~arrived]
        states = states[~arrived]
        if hop == max_hops or len(active) == 0:
            return
        positions, offsets = ragged_rows(indptr, holders)
        candidates = indices[positions]
        owner = np.repeat(np.arange(len(active)), np.diff(offsets))
        adjusted, states = memory.recall_many(
            states, holders, candidates, scores[candidates], owner
        )
        streams = next_streams(streams)
        chosen = _choices(adjusted, argmax, offsets, owner, uniforms_of(streams))
        holders = candidates[chosen].astype(np.int64)
        if len(paths):
            paths[active, hop + 1] = holders


def _choices(
    scores: np.ndarray, argmax: bool, offsets: np.ndarray, owner: np.ndarray, uniforms: np.ndarray
) -> np.ndarray:
    """The index of each message's chosen candidate among all candidates, (num_messages,)."""
    best = np.maximum.reduceat(scores, offsets[:-1])[owner]
    weights = (scores == best).astype(np.float64) if argmax else np.exp(scores - best)
    running = np.cumsum(weights)
    before = np.concatenate([[0.0], running])[offsets[:-1]]
    threshold = before + uniforms * (running[offsets[1:] - 1] - before)
    exceeds = running > threshold[owner]
    exceeds[offsets[1:] - 1] = True  # the last candidate is the answer where rounding leaves none
    indices = np.flatnonzero(exceeds)
    return indices[np.unique(owner[indices], return_index=True)[1]]
