"""Match indicators: what two ego graphs have in common, recognised by profile keys.

With k(·) the key of a profile, N(·) neighbours, v a candidate and t a target:

- own: k(v) = k(t)
- same: own, and the multisets k(N(v)) and k(N(t)) are equal
- seen: k(t) ∈ k(N(v))
- beside: k(v) ∈ k(N(t))
- common: the number of x in {v} ∪ N(v) with k(x) ∈ k(N(t))
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from garden.graphs.ego import EgoGraphs
from garden.graphs.identity import profile_keys, word_sums
from garden.strategies.representations import Ragged, Representations


def key_representations(egos: EgoGraphs) -> Representations:
    """Ego graphs as keys: ``own`` of the centre, ``neighbours`` (ragged) sorted for each row."""
    rows, position = np.unique(egos.members, return_inverse=True)
    keys = profile_keys(egos.profiles[rows])[position]
    neighbours = ~egos.is_centre
    owner, values = egos.owner[neighbours], keys[neighbours]
    values = values[np.lexsort((values, owner))]
    offsets = egos.offsets - np.arange(len(egos) + 1)
    return Representations({"own": keys[egos.is_centre]}, {"neighbours": Ragged(values, offsets)})


class Matches(NamedTuple):
    """The indicators, each of shape (num_pairs,) or (num_targets, num_candidates), float64."""

    own: np.ndarray  # 1 where the candidate's profile is the target's
    same: np.ndarray  # 1 where, moreover, its neighbours' profiles are those of the target's
    seen: np.ndarray  # 1 where a neighbour's profile is the target's
    beside: np.ndarray  # 1 where the candidate's profile is that of a neighbour of the target
    common: np.ndarray  # members, centre included, with the profile of a neighbour of the target


def matched_pairs(candidates: Representations, targets: Representations) -> Matches:
    """The match indicators of aligned rows.

    Args:
        candidates: Rows of :func:`key_representations`.
        targets: As many of them.

    Returns:
        Arrays of shape (num_pairs,).

    """
    wanted = np.asarray(targets.arrays["own"])
    own_keys = np.asarray(candidates.arrays["own"])
    neighbours, around = candidates.ragged["neighbours"], targets.ragged["neighbours"]
    hits = neighbours.values == wanted[neighbours.owner]
    seen = np.bincount(neighbours.owner[hits], minlength=len(neighbours)) > 0
    near = around.values == own_keys[around.owner]
    beside = np.bincount(around.owner[near], minlength=len(around)) > 0
    vocabulary = np.unique(around.values)
    held = key_counts(members_of(candidates), vocabulary)
    common = held.multiply(key_counts(around, vocabulary) > 0).sum(axis=1)
    own = own_keys == wanted
    return Matches(
        own.astype(np.float64),
        (own & (key_sums(neighbours) == key_sums(around))).astype(np.float64),
        seen.astype(np.float64),
        beside.astype(np.float64),
        np.asarray(common, dtype=np.float64).ravel(),
    )


def matched_table(candidates: Representations, targets: Representations) -> Matches:
    """The match indicators of all pairs.

    Args:
        candidates: Rows of :func:`key_representations`.
        targets: Such rows too.

    Returns:
        Arrays of shape (num_targets, num_candidates).

    """
    wanted, column = np.unique(np.asarray(targets.arrays["own"]), return_inverse=True)
    own_keys = np.asarray(candidates.arrays["own"])
    neighbours, around = candidates.ragged["neighbours"], targets.ragged["neighbours"]
    seen = (key_counts(neighbours, wanted) > 0).toarray().T[column]
    vocabulary = np.unique(around.values)
    wanted_around = (key_counts(around, vocabulary) > 0).astype(np.float64)
    alone = Ragged(own_keys, np.arange(len(own_keys) + 1))
    own = own_keys[None, :] == wanted[column][:, None]
    alike = key_sums(neighbours)[None, :] == key_sums(around)[:, None]
    return Matches(
        own.astype(np.float64),
        (own & alike).astype(np.float64),
        seen.astype(np.float64),
        (wanted_around @ key_counts(alone, vocabulary).T).toarray(),
        (wanted_around @ key_counts(members_of(candidates), vocabulary).T).toarray(),
    )


def matched_at_holder(candidates: Representations, target: Representations) -> Matches:
    """The match indicators of a holder's neighbours for one target, in few array operations.

    Args:
        candidates: Rows of :func:`key_representations`.
        target: One such row, its neighbours' keys in ascending order.

    Returns:
        Arrays of shape (num_candidates,).

    """
    own_keys, wanted = np.asarray(candidates.arrays["own"]), target.arrays["own"][0]
    neighbours, around = candidates.ragged["neighbours"], target.ragged["neighbours"].values
    own = own_keys == wanted
    beside = _found(own_keys, around).astype(np.float64)
    seen = _row_sums(neighbours.values == wanted, neighbours.offsets) > 0
    common = _row_sums(_found(neighbours.values, around), neighbours.offsets) + beside
    same = own
    if own.any():
        same = own & (key_sums(neighbours) == np.add.reduce(around, dtype=np.uint64))
    return Matches(
        own.astype(np.float64), same.astype(np.float64), seen.astype(np.float64), beside, common
    )


def _found(values: np.ndarray, ascending: np.ndarray) -> np.ndarray:
    """Whether each value is one of those that stand in ascending order."""
    if len(ascending) == 0:
        return np.zeros(len(values), dtype=bool)
    places = ascending.searchsorted(values)
    return np.asarray(ascending.take(places, mode="clip") == values)


def _row_sums(flags: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """How many flags are set in each row of a ragged array, (num_rows,)."""
    total = np.zeros(len(flags) + 1, dtype=np.int64)
    np.cumsum(flags, out=total[1:])
    ends = total[offsets]
    return np.asarray(ends[1:] - ends[:-1])


def match_indicators(matches: Matches) -> np.ndarray:
    """The match indicators of two ego graphs, (…, 4).

    Whether the candidate can be the target, can be its neighbour, looks like a neighbour and is
    none, and how many members of its ego graph look like neighbours of the target.
    """
    linked = matches.beside * matches.seen
    return np.stack([matches.same, linked, matches.beside - linked, matches.common], axis=-1)


def key_counts(keys: Ragged, vocabulary: np.ndarray) -> sp.csr_array:
    """How often each row holds each key of a vocabulary.

    Args:
        keys: The keys of each row, in any order.
        vocabulary: (num_keys,) the keys to count, ascending; others are passed over.

    Returns:
        Sparse, (num_rows, num_keys) float64.
    """
    columns = np.searchsorted(vocabulary, keys.values)
    known = columns < len(vocabulary)
    known[known] = vocabulary[columns[known]] == keys.values[known]
    entries = (np.ones(int(known.sum())), (keys.owner[known], columns[known]))
    return sp.coo_array(entries, shape=(len(keys), len(vocabulary))).tocsr()


def key_sums(keys: Ragged) -> np.ndarray:
    """The sum of each row's keys modulo 2^64, (num_rows,) uint64: equal multisets, equal sums."""
    return word_sums(keys.values, keys.offsets)


def members_of(rows: Representations) -> Ragged:
    """The keys of all members of each ego graph, the centre first."""
    own, neighbours = np.asarray(rows.arrays["own"]), rows.ragged["neighbours"]
    values = np.insert(neighbours.values, neighbours.offsets[:-1], own)
    return Ragged(values, neighbours.offsets + np.arange(len(neighbours) + 1))
