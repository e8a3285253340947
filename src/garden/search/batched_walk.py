"""Many messages towards one target, a hop of each at a time, for memories that recall in batches.

Hop for hop it is :func:`garden.search.walk.walk`; it has the arguments of the compiled kernels.
"""

from __future__ import annotations

import numpy as np

from garden.graphs.ego import ragged_rows
from garden.search.episode_rng import next_streams, uniforms_of
from garden.strategies.memory import BatchMemory


def walk_together(
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
    """Walk all messages; ``hops`` and, unless empty, ``paths`` are filled in."""
    hops[:] = max_hops + 1
    if len(paths):
        paths[:, 0] = sources
    here = np.arange(len(sources))  # the messages under way
    holders, streams = sources, streams
    states = memory.start_many(len(sources))
    for hop in range(max_hops + 1):
        arrived = holders == target
        hops[here[arrived]] = hop
        here, holders, streams = here[~arrived], holders[~arrived], streams[~arrived]
        states = states[~arrived]
        if hop == max_hops or len(here) == 0:
            return
        positions, offsets = ragged_rows(indptr, holders)
        candidates = indices[positions]
        owner = np.repeat(np.arange(len(here)), np.diff(offsets))
        seen, states = memory.recall_many(states, holders, candidates, scores[candidates], owner)
        streams = next_streams(streams)
        chosen = _choices(seen, argmax, offsets, owner, uniforms_of(streams))
        holders = candidates[chosen].astype(np.int64)
        if len(paths):
            paths[here, hop + 1] = holders


def _choices(
    scores: np.ndarray, argmax: bool, offsets: np.ndarray, owner: np.ndarray, uniforms: np.ndarray
) -> np.ndarray:
    """The place of each message's chosen candidate in the list of all."""
    best = np.maximum.reduceat(scores, offsets[:-1])[owner]
    weights = (scores == best).astype(np.float64) if argmax else np.exp(scores - best)
    running = np.cumsum(weights)
    before = np.concatenate([[0.0], running])[offsets[:-1]]
    threshold = before + uniforms * (running[offsets[1:] - 1] - before)
    passed = running > threshold[owner]
    passed[offsets[1:] - 1] = True  # whatever rounding says, the last is the end of the list
    places = np.flatnonzero(passed)
    return places[np.unique(owner[places], return_index=True)[1]]
