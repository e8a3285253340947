"""Keys of profiles: 64-bit hashes by which equal profiles are found.

A node is recognised by its profile, since ids are no part of an ego graph.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from garden.graphs.ego import EgoGraphs, ProfileTable
from garden.splitmix import mixed
from garden.strategies.representations import Ragged, Representations


def profile_keys(profiles: ProfileTable) -> np.ndarray:
    """A 64-bit key per profile, (num_profiles,) uint64: equal profiles have equal keys.

    key(x) = Σ_{j: x_j ≠ 0} mix(mix(j + 1) ⊕ bits(x_j)) modulo 2^64, mix being SplitMix64: the same
    for a dense and a sparse table. Among a million differing profiles, two share a key with a
    chance below one in ten million.
    """
    return keys_of_entries(profile_entries(profiles))


class ProfileEntries(NamedTuple):
    """The non-zero entries of some profiles, row by row, columns ascending."""

    columns: np.ndarray  # int64
    values: np.ndarray  # float32
    offsets: np.ndarray  # (num_profiles + 1,) int64


def profile_entries(profiles: ProfileTable) -> ProfileEntries:
    """The non-zero entries of a table, dense or sparse."""
    if isinstance(profiles, np.ndarray):
        rows, columns = np.nonzero(profiles)
        counts = np.bincount(rows, minlength=len(profiles))
        offsets = np.concatenate([[0], np.cumsum(counts)])
        return ProfileEntries(columns, profiles[rows, columns], offsets)
    table = sp.csr_array(profiles, copy=True)
    table.eliminate_zeros()
    table.sort_indices()
    return ProfileEntries(table.indices.astype(np.int64), table.data, table.indptr.astype(np.int64))


def keys_of_entries(entries: ProfileEntries) -> np.ndarray:
    """The key of each profile from its entries, (num_profiles,) uint64."""
    columns = entries.columns.astype(np.uint64)
    values = entries.values.astype("<f4").view("<u4").astype(np.uint64)
    words = mixed(mixed(columns + np.uint64(1)) ^ values)
    total = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(words, dtype=np.uint64)])
    return total[entries.offsets[1:]] - total[entries.offsets[:-1]]


def key_representations(egos: EgoGraphs) -> Representations:
    """Ego graphs as keys: ``own`` of the centre, ``neighbours`` (ragged) sorted for each row."""
    rows, position = np.unique(egos.members, return_inverse=True)
    keys = profile_keys(egos.profiles[rows])[position]
    neighbours = ~egos.is_centre
    owner, values = egos.owner[neighbours], keys[neighbours]
    values = values[np.lexsort((values, owner))]
    offsets = egos.offsets - np.arange(len(egos) + 1)
    return Representations({"own": keys[egos.is_centre]}, {"neighbours": Ragged(values, offsets)})


def key_counts(keys: Ragged, vocabulary: np.ndarray) -> sp.csr_array:
    """How often each row holds each key of a sorted vocabulary, sparse (num_rows, num_keys)."""
    columns = np.searchsorted(vocabulary, keys.values)
    known = columns < len(vocabulary)
    known[known] = vocabulary[columns[known]] == keys.values[known]
    entries = (np.ones(int(known.sum())), (keys.owner[known], columns[known]))
    return sp.coo_array(entries, shape=(len(keys), len(vocabulary))).tocsr()
