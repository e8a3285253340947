"""The representation of `universal`: all that another ego graph needs to be compared with this one.

The profiles of the centre and of at most :data:`MAX_MEMBERS` neighbours, the keys of all
neighbours, a signature of each link, and the shape of the ego graph. A row comes from its ego graph
alone: neighbours are sampled by hashes of the profiles in it, never by an id or a position in a
batch.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from garden.graphs.ego import EgoGraphs, begins_run, ragged_rows, row_offsets
from garden.graphs.identity import ProfileEntries, keys_of_entries, profile_entries
from garden.splitmix import mixed
from garden.strategies.ego_matching import key_sums
from garden.strategies.representations import Ragged, Representations

MAX_MEMBERS = 32  # neighbours whose profiles are sent; the keys of all are
_BLANK_KEY = np.uint64(0)  # of a profile without attributes: a sum of nothing


class ShapeColumns(NamedTuple):
    """The columns of ``shape``, numbers that describe how an ego graph is built."""

    degree: int  # log(1 + degree)
    clustering: int  # the share of pairs of neighbours that are linked
    effective_size: int  # log(1 + Burt's effective size): degree less mean degree among neighbours
    components: int  # log(1 + connected components of the neighbours, without the centre)
    largest_component: int  # share of the neighbours in the largest of them
    isolated: int  # share of the neighbours that are linked to no other
    concentration: int  # the chance that another neighbour has an attribute that one has
    distinct: int  # differing profiles among the neighbours, over their number
    alike: int  # share of the neighbours that have the centre's profile
    blank: int  # share of the neighbours that have no attributes at all
    spread: int  # mean squared distance of the neighbours sent from the centre, in attributes


SHAPE = ShapeColumns(*range(11))


class FeatureRows(NamedTuple):
    """The arrays of some representations as the kernels read them; ``*_at`` are offsets of rows."""

    own: np.ndarray  # (num_rows,) uint64: the key of the centre's profile
    bag: np.ndarray  # (num_rows,) uint64: the sum of the neighbours' keys
    shape: np.ndarray  # (num_rows, 11) float64: see `ShapeColumns`
    neighbours: np.ndarray  # uint64 keys of all neighbours, ascending
    signatures: np.ndarray  # uint64 of their links to the centre, aligned with them
    neighbours_at: np.ndarray
    members: np.ndarray  # (…, 2) int32: columns of a member, and how many the centre has too
    members_at: np.ndarray
    columns: np.ndarray  # int32: where members, centre first, have a 1
    columns_at: np.ndarray
    real_columns: np.ndarray  # int32: where a member has neither 0 nor 1
    real_columns_at: np.ndarray
    real_places: np.ndarray  # int32: member · real columns + column, where it is not 0
    real_values: np.ndarray  # float32: what stands there, member by member
    real_values_at: np.ndarray


def feature_rows(representations: Representations) -> FeatureRows:
    """The arrays of what :func:`ego_representations` made."""
    ragged = representations.ragged
    parts = {
        **{name: np.asarray(array) for name, array in representations.arrays.items()},
        **{name: rows.values for name, rows in ragged.items()},
        **{f"{name}_at": rows.offsets for name, rows in ragged.items()},
    }
    return FeatureRows(**{name: parts[name] for name in FeatureRows._fields})


def ego_representations(egos: EgoGraphs) -> Representations:
    """One row per ego graph, for :func:`garden.strategies.universal.features.pair_features`."""
    used, position = np.unique(egos.members, return_inverse=True)
    profiles = profile_entries(egos.profiles[used])
    keys = keys_of_entries(profiles)[position]
    signatures = link_signatures(egos, keys)
    order = np.lexsort((signatures, keys, egos.owner))
    order = order[~egos.is_centre[order]]  # neighbours, by their keys
    offsets = egos.offsets - np.arange(len(egos) + 1)
    neighbours = Ragged(keys[order], offsets)
    bag = key_sums(neighbours)
    sample = _sampled(egos, keys, bag, order)
    entries, concentration = _entries(egos, profiles, position[sample], sample)
    spread = _spread(egos, profiles, position[sample], sample)
    return Representations(
        {
            "own": keys[egos.is_centre],
            "bag": bag,
            "shape": _shapes(egos, neighbours, keys[egos.is_centre], concentration, spread),
        },
        {
            "neighbours": neighbours,
            "signatures": Ragged(signatures[order], offsets),
            **entries,
        },
    )


def is_sound(row: Representations, num_attributes: int) -> bool:
    """Whether one row, of whatever origin, is such that the compiled features stay within it.

    Args:
        row: With the arrays of :func:`ego_representations`.
        num_attributes: How many attributes profiles have.

    """
    parts = feature_rows(row)
    if not 1 <= len(parts.members) <= MAX_MEMBERS + 1:
        return False
    lengths, common = parts.members.T.astype(np.int64)
    first = np.zeros(len(parts.columns) + 1, dtype=bool)  # of each member's columns
    if lengths.min() < 0 or common.min() < 0 or (common > lengths).any():
        return False
    if lengths.sum() != len(parts.columns):
        return False
    first[row_offsets(lengths)] = True
    return bool(
        ((np.diff(parts.columns) > 0) | first[1:-1]).all()
        and _within(parts.columns, num_attributes)
        and (np.diff(parts.real_columns) > 0).all()
        and _within(parts.real_columns, num_attributes)
        and len(parts.real_values) == len(parts.real_columns) * len(parts.members)
        and len(parts.signatures) == len(parts.neighbours) >= len(parts.members) - 1
        and (parts.neighbours[1:] >= parts.neighbours[:-1]).all()
    )


def _within(columns: np.ndarray, num_attributes: int) -> bool:
    return len(columns) == 0 or bool(columns.min() >= 0 and columns.max() < num_attributes)


def link_signatures(egos: EgoGraphs, keys: np.ndarray) -> np.ndarray:
    """For each member, the sum of the keys of the neighbours that it shares with the centre.

    Both ends of a link have the same common neighbours, and so the same sum, modulo 2^64.

    Args:
        egos: Some ego graphs.
        keys: (num_members,) uint64, the profile key of each member.
    """
    heads, tails = egos.edges
    among = ~egos.is_centre[heads] & ~egos.is_centre[tails]
    total = np.zeros(len(keys), dtype=np.uint64)
    np.add.at(total, heads[among], keys[tails[among]])
    return total


def _sampled(egos: EgoGraphs, keys: np.ndarray, bag: np.ndarray, by_key: np.ndarray) -> np.ndarray:
    """Positions of the members whose profiles are sent: each centre, then neighbours by hash."""
    owner, values = egos.owner[by_key], keys[by_key]
    fresh = begins_run(values, owner)
    first = np.maximum.accumulate(np.where(fresh, np.arange(len(by_key)), 0))
    repeat = (np.arange(len(by_key)) - first).astype(np.uint64)  # numbers equal profiles
    hashes = mixed(values ^ mixed(bag[owner] + repeat))
    drawn = by_key[np.lexsort((hashes, owner))]
    starts = egos.offsets[:-1] - np.arange(len(egos))
    rank = np.arange(len(drawn)) - starts[egos.owner[drawn]]
    drawn, rank = drawn[rank < MAX_MEMBERS], rank[rank < MAX_MEMBERS]
    members = np.concatenate([egos.offsets[:-1], drawn])
    ranks = np.concatenate([np.full(len(egos), -1), rank])
    return members[np.lexsort((ranks, egos.owner[members]))]


def _entries(
    egos: EgoGraphs, profiles: ProfileEntries, rows: np.ndarray, sample: np.ndarray
) -> tuple[dict[str, Ragged], np.ndarray]:
    """The attributes of the sampled members as ragged rows, and the concentration of each ego."""
    width, owner = max(1, egos.num_attributes), egos.owner[sample]
    positions, starts = ragged_rows(profiles.offsets, rows)
    member = np.repeat(np.arange(len(sample)), np.diff(starts))
    ego, column, value = owner[member], profiles.columns[positions], profiles.values[positions]
    code = ego * width + column
    real = np.unique(code[value != 1])
    plain = ~np.isin(code, real)
    is_centre = egos.is_centre[sample]
    shared = plain & np.isin(code, code[plain & is_centre[member]])
    lengths = np.bincount(member[plain], minlength=len(sample))
    common = np.bincount(member[shared], minlength=len(sample))
    beside = plain & ~is_centre[member]
    entries = {
        "members": Ragged(
            np.stack([lengths, common], axis=1).astype(np.int32), _offsets(owner, len(egos))
        ),
        "columns": Ragged(column[plain].astype(np.int32), _offsets(ego[plain], len(egos))),
        "real_columns": Ragged((real % width).astype(np.int32), _offsets(real // width, len(egos))),
        **_real_entries(real, width, code[~plain], member[~plain], value[~plain], owner),
    }
    neighbours = np.minimum(egos.degrees, MAX_MEMBERS)
    return entries, _concentration(code[beside], width, neighbours)


def _real_entries(
    real: np.ndarray,
    width: int,
    code: np.ndarray,
    member: np.ndarray,
    value: np.ndarray,
    owner: np.ndarray,
) -> dict[str, Ragged]:
    """What the sampled members have in the real columns of their ego graph, and where it stands.

    Args:
        real: (num_real,) codes, ego graph · width + column, of the real columns, ascending.
        width: More than the highest column.
        code: (num_entries,) the code of each entry in such a column, member by member.
        member: (num_entries,) whose it is, by number among the sampled members.
        value: (num_entries,) float32.
        owner: (num_sampled,) the ego graph of each sampled member, ascending.

    """
    num_egos = int(owner[-1]) + 1 if len(owner) else 0
    counts = np.bincount(real // width, minlength=num_egos)  # of real columns per ego graph
    first = row_offsets(counts)
    ego, members_at = owner[member], _offsets(owner, num_egos)
    index = np.searchsorted(real, code) - first[ego]
    places = (member - members_at[ego]) * counts[ego] + index
    offsets = _offsets(ego, num_egos)
    return {
        "real_places": Ragged(places.astype(np.int32), offsets),
        "real_values": Ragged(value, offsets),
    }


def _concentration(code: np.ndarray, width: int, neighbours: np.ndarray) -> np.ndarray:
    """The chance that another sampled neighbour has an attribute that one has, (num_egos,).

    Σ_a n_a (n_a − 1) / ((n − 1) Σ_a n_a), with n_a of the n neighbours having attribute a.
    """
    kinds, counts = np.unique(code, return_counts=True)
    ego = kinds // width
    total = np.bincount(ego, weights=counts, minlength=len(neighbours))
    pairs = np.bincount(ego, weights=counts * (counts - 1.0), minlength=len(neighbours))
    possible = total * (neighbours - 1)
    return np.divide(pairs, possible, out=np.zeros(len(neighbours)), where=possible > 0)


def _spread(
    egos: EgoGraphs, profiles: ProfileEntries, rows: np.ndarray, sample: np.ndarray
) -> np.ndarray:
    """The mean squared distance of the sampled neighbours from their centre, (num_egos,)."""
    width, owner = max(1, egos.num_attributes), egos.owner[sample]
    positions, starts = ragged_rows(profiles.offsets, rows)
    member = np.repeat(np.arange(len(sample)), np.diff(starts))
    code = owner[member] * width + profiles.columns[positions]
    value = profiles.values[positions].astype(np.float64)
    of_centre = egos.is_centre[sample][member]
    codes, own = code[of_centre], value[of_centre]  # ascending
    norms = np.bincount(owner[member[of_centre]], weights=own**2, minlength=len(egos))
    code, value, ego = code[~of_centre], value[~of_centre], owner[member[~of_centre]]
    place = np.minimum(np.searchsorted(codes, code), max(0, len(codes) - 1))
    beside = np.where(codes[place] == code, own[place], 0.0) if len(codes) else np.zeros(len(code))
    # Σ_m |x_m − x_c|², with |x_c|² once per neighbour
    apart = np.bincount(ego, weights=(value - beside) ** 2 - beside**2, minlength=len(egos))
    count = np.minimum(egos.degrees, MAX_MEMBERS)
    return np.asarray(np.maximum(norms * count + apart, 0.0) / np.maximum(1, count))


def _likeness_of_neighbours(
    neighbours: Ragged, own: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The columns ``distinct``, ``alike`` and ``blank``, each (num_egos,).

    Args:
        neighbours: Keys of the neighbours, ascending in each row.
        own: The key of each centre.

    """
    owner, values = neighbours.owner, neighbours.values
    some = np.maximum(1, np.diff(neighbours.offsets))

    def share(flags: np.ndarray) -> np.ndarray:
        return np.asarray(np.bincount(owner[flags], minlength=len(own)) / some)

    return (
        share(begins_run(values, owner)),
        share(values == own[owner]),
        share(values == _BLANK_KEY),
    )


def _shapes(
    egos: EgoGraphs,
    neighbours: Ragged,
    own: np.ndarray,
    concentration: np.ndarray,
    spread: np.ndarray,
) -> np.ndarray:
    """The numbers of :class:`ShapeColumns`, (num_egos, 11) float64."""
    num, degrees = len(egos), egos.degrees.astype(np.float64)
    heads, tails = egos.edges
    among = ~egos.is_centre[heads] & ~egos.is_centre[tails]
    links = np.bincount(egos.owner[heads[among]], minlength=num)  # both directions
    pairs = degrees * (degrees - 1)
    some = np.maximum(degrees, 1)
    labels = _component_labels(heads[among], tails[among], len(egos.members))[~egos.is_centre]
    sizes = np.bincount(labels, minlength=1)
    component = np.flatnonzero(sizes)  # a component is labelled by its first member
    owner = egos.owner[component]
    largest = np.zeros(num)
    np.maximum.at(largest, owner, sizes[component])
    isolated = np.bincount(owner, weights=sizes[component] == 1, minlength=num)
    distinct, alike, blank = _likeness_of_neighbours(neighbours, own)
    columns = {
        "degree": np.log1p(degrees),
        "clustering": np.divide(links, pairs, out=np.zeros(num), where=pairs > 0),
        "effective_size": np.log1p(degrees - links / some),
        "components": np.log1p(np.bincount(owner, minlength=num)),
        "largest_component": largest / some,
        "isolated": isolated / some,
        "concentration": concentration,
        "distinct": distinct,
        "alike": alike,
        "blank": blank,
        "spread": spread,
    }
    return np.stack([columns[name] for name in SHAPE._fields], axis=1)


def _component_labels(heads: np.ndarray, tails: np.ndarray, size: int) -> np.ndarray:
    """The first member of each member's connected component, (size,)."""
    labels = np.arange(size)
    while True:
        lower = labels.copy()
        np.minimum.at(lower, heads, labels[tails])
        lower = lower[lower]
        if np.array_equal(lower, labels):
            return labels
        labels = lower


def _offsets(owner: np.ndarray, num_egos: int) -> np.ndarray:
    """Where each ego graph's values start, from their owners in ascending order."""
    return row_offsets(np.bincount(owner, minlength=num_egos))
