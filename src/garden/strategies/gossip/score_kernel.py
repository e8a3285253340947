"""The compiled scores of ``beacons``: equal to :func:`.beacons.plain_scores`.

Importing this module needs numba.
"""

from __future__ import annotations

import numpy as np

from garden.compiled import compiled
from garden.strategies.gossip.beacons import BOUND, HOP, MOST_COUNTED, NO_COMMON_ENTRY, TIE
from garden.strategies.gossip.sketches import MAX_DISTANCE
from garden.strategies.representations import Representations

_FAR = 1 << 30  # more than any sum
_FREE = 0xFFFF_FFFF  # a slot without an entry


def score_table(candidates: Representations, cards: Representations) -> np.ndarray:
    """The scores of all pairs, (num_targets, num_candidates) float64.

    Args:
        candidates: num_candidates rows.
        cards: num_targets rows, cut to what a message carries.

    """
    table = np.empty((len(cards), len(candidates)))
    _fill_table(*_arrays(candidates), *_arrays(cards), table)
    return table


def _arrays(rows: Representations) -> tuple[np.ndarray, ...]:
    keys, others = rows.ragged["keys"], rows.ragged["neighbours"]
    distances = rows.ragged["distances"].values
    return keys.values, distances, keys.offsets, others.values, others.offsets


@compiled()
def _fill_table(  # type: ignore[no-untyped-def]
    keys,
    distances,
    at,
    others,
    others_at,
    goal_keys,
    goal_distances,
    goal_at,
    goal_others,
    goal_others_at,
    table,
):
    longest = 1
    for target in range(len(goal_at) - 1):
        size = goal_at[target + 1] - goal_at[target]
        size += goal_others_at[target + 1] - goal_others_at[target]
        longest = max(longest, size)
    num_slots = 2
    while num_slots < 2 * longest:
        num_slots *= 2
    slot_keys = np.empty(num_slots, dtype=np.uint64)
    slot_distances = np.empty(num_slots, dtype=np.uint32)
    for target in range(len(goal_at) - 1):
        slot_distances[:] = _FREE
        for entry in range(goal_at[target], goal_at[target + 1]):
            _put(slot_keys, slot_distances, goal_keys[entry], np.uint32(goal_distances[entry]))
        for entry in range(goal_others_at[target], goal_others_at[target + 1]):
            _put(slot_keys, slot_distances, goal_others[entry], np.uint32(1))
        for row in range(len(at) - 1):
            best, bound, reach, nearly = _FAR, 0, 0, 0
            for entry in range(at[row], at[row + 1]):
                found = _distance(slot_keys, slot_distances, keys[entry])
                if found != _FREE:
                    best, bound, reach, nearly = with_entry(
                        best, bound, reach, nearly, np.int64(distances[entry]), np.int64(found)
                    )
            for entry in range(others_at[row], others_at[row + 1]):
                found = _distance(slot_keys, slot_distances, others[entry])
                if found != _FREE:
                    best, bound, reach, nearly = with_entry(
                        best, bound, reach, nearly, np.int64(1), np.int64(found)
                    )
            table[target, row] = score_of(best, bound, reach, nearly)


@compiled(inline="always")
def with_entry(best, bound, reach, nearly, near, far):  # type: ignore[no-untyped-def]
    """What common entries say, with one more.

    Args:
        best: The least sum of distances so far.
        bound: The greatest difference so far.
        reach: How many entries reach that sum.
        nearly: How many reach one hop more.
        near: The entry's distance to the candidate.
        far: Its distance to the target.

    Returns:
        The first four, brought up to date.
    """
    total = near + far
    bound = max(bound, abs(near - far))
    if total < best:
        return total, bound, 1, reach if total == best - 1 else 0
    if total == best:
        return best, bound, reach + 1, nearly
    if total == best + 1:
        return best, bound, reach, nearly + 1
    return best, bound, reach, nearly


@compiled(inline="always")
def score_of(best, bound, reach, nearly):  # type: ignore[no-untyped-def]
    """The score of a candidate by what its common entries with the target say.

    Args:
        best: The least sum of their distances.
        bound: The greatest difference.
        reach: How many reach that sum; with 0 there is no common entry.
        nearly: How many reach one hop more.
    """
    if reach == 0:
        return NO_COMMON_ENTRY
    ties = min(reach, MOST_COUNTED) * TIE + min(nearly, MOST_COUNTED)
    return ties + (MAX_DISTANCE - bound) * BOUND - best * HOP


@compiled(inline="always")
def _put(slot_keys, slot_distances, key, distance):  # type: ignore[no-untyped-def]
    mask = np.uint64(len(slot_keys) - 1)
    slot = (key ^ (key >> np.uint64(32))) & mask
    while slot_distances[slot] != _FREE:
        slot = (slot + np.uint64(1)) & mask
    slot_keys[slot] = key
    slot_distances[slot] = distance


@compiled(inline="always")
def _distance(slot_keys, slot_distances, key):  # type: ignore[no-untyped-def]
    """The distance of a key in the table of slots; _FREE where it is not there."""
    mask = np.uint64(len(slot_keys) - 1)
    slot = (key ^ (key >> np.uint64(32))) & mask
    while slot_distances[slot] != _FREE and slot_keys[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return slot_distances[slot]
