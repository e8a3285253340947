"""Members of a candidate's ego graph beside those of a target's: compared, pooled, counted.

These are parts of the kernel in :mod:`garden.strategies.universal.kernel`. Importing this module
needs numba.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from garden.compiled import inlined
from garden.strategies.universal.features import AT
from garden.strategies.universal.representation import MAX_MEMBERS

MOST = MAX_MEMBERS + 1  # members of an ego graph, its centre included

# Inlined all of them: a call would hand over dozens of arrays, and count references to each. The
# compiled whole is kept beside the module that calls: after an edit here that file must change too,
# or its cache go.


class Workspace(NamedTuple):
    """Arrays that one call of the kernel uses for all of its pairs.

    A *slot* is the number of a plain attribute column among those of the pair.
    """

    slots: np.ndarray  # (num_columns,) int32: one more than the slot of a column, or 0
    real: np.ndarray  # (num_columns,) int32: one more than the index of a real column, or 0
    named: np.ndarray  # (num_slots,) int32: the column of each slot
    real_named: np.ndarray  # (num_real,) int32: the column of each real one
    has: np.ndarray  # (num_slots, MOST): 1 where a member of the target has the attribute
    count_v: np.ndarray  # (num_slots,) int64: neighbours of the candidate that have it
    count_t: np.ndarray  # (num_slots,) int64: neighbours of the target that have it
    size_v: np.ndarray  # (MOST,): plain attributes of each member of the candidate
    size_t: np.ndarray  # (MOST,): and of the target
    values_v: np.ndarray  # (MOST, num_real): real values of the candidate's members
    values_t: np.ndarray  # (MOST, num_real): and of the target's
    jaccard: np.ndarray  # (MOST, MOST): similarities of the candidate's and the target's members
    squares: np.ndarray  # (MOST, MOST): their squared distances
    nearest: np.ndarray  # (MOST,): the highest similarity of each member of the target
    far_nearest: np.ndarray  # (MOST,): and its lowest squared distance
    logs: np.ndarray  # (2 · MOST,): log(1), log(2), …


@inlined
def compare_members(rows, row, work, num_slots, num_t, num_real):  # type: ignore[no-untyped-def]
    """Fill in similarities and squared distances of all members.

    Args:
        rows: The :class:`FeatureRows` of candidates.
        row: The candidate's row.
        work: The workspace, in which the target's members are indexed.
        num_slots: How many slots the target has.
        num_t: How many members it has.
        num_real: How many columns are real for the pair.

    Returns:
        How many slots the pair uses.
    """
    slots, real, has, count_v = work.slots, work.real, work.has, work.count_v
    used, k = num_slots, rows.columns_at[row]
    first = rows.members_at[row]
    both = np.empty(MOST)
    for member in range(rows.members_at[row + 1] - first):
        both[:num_t] = 0.0
        size = 0.0
        for _ in range(rows.members[first + member, 0]):
            column = rows.columns[k]
            k += 1
            if num_real and real[column]:
                continue
            size += 1.0
            slot = slots[column] - 1
            if slot < 0:
                slot = used
                work.named[slot], count_v[slot] = column, 0
                used += 1
                slots[column] = used
            elif slot < num_slots:
                for other in range(num_t):
                    both[other] += has[slot, other]
            if member:
                count_v[slot] += 1
        work.size_v[member] = size
        for other in range(num_t):
            square = size + work.size_t[other] - 2.0 * both[other]
            alike, union = both[other], size + work.size_t[other] - both[other] + num_real
            for index in range(num_real):
                difference = work.values_v[member, index] - work.values_t[other, index]
                square += difference * difference
                alike += 1.0 / (1.0 + difference * difference)
            work.squares[member, other] = square
            work.jaccard[member, other] = alike / union if union > 0.0 else 0.0
    return used


@inlined
def around_centre(rows, row, sizes, real, num_real, values):  # type: ignore[no-untyped-def]
    """Mean similarity, mean squared distance and highest similarity of a centre's neighbours.

    Args:
        rows: The :class:`FeatureRows` of one side.
        row: Which of them.
        sizes: Plain attributes of each member.
        real: The workspace's ``real``.
        num_real: How many columns are real for the pair.
        values: (MOST, num_real): values of the members in those.
    """
    first, num = rows.members_at[row], rows.members_at[row + 1] - rows.members_at[row]
    total, spread, most = 0.0, 0.0, 0.0
    turned = num_real > rows.real_columns_at[row + 1] - rows.real_columns_at[row]
    for member in range(1, num):
        shared = float(rows.members[first + member, 1])
        if turned:  # columns that are real because of the other side
            shared -= _shared_real(rows, row, member, real)
        square = sizes[0] + sizes[member] - 2.0 * shared
        alike, union = shared, sizes[0] + sizes[member] - shared + num_real
        for index in range(num_real):
            difference = values[member, index] - values[0, index]
            square += difference * difference
            alike += 1.0 / (1.0 + difference * difference)
        similar = alike / union if union > 0.0 else 0.0
        total += similar
        spread += square
        most = max(most, similar)
    return total / max(1, num - 1), spread / max(1, num - 1), most


@inlined
def _shared_real(rows, row, member, real):  # type: ignore[no-untyped-def]
    """How many columns that a member shares with its centre are real in this pair."""
    first, start = rows.members_at[row], rows.columns_at[row]
    stop = start + rows.members[first, 0]
    k = start
    for other in range(member):
        k += rows.members[first + other, 0]
    count = 0
    for here in range(k, k + rows.members[first + member, 0]):
        if real[rows.columns[here]]:
            for there in range(start, stop):
                if rows.columns[there] == rows.columns[here]:
                    count += 1
    return count


@inlined
def pool_members(work, num_v, num_t, unit, line):  # type: ignore[no-untyped-def]
    """Means, extremes and fourth powers over the members, into the line of the pair.

    Args:
        work: The workspace, with similarities and distances of all members.
        num_v: How many members the candidate has.
        num_t: How many the target has.
        unit: By which squared distances are multiplied: one over the spread of the pair.
        line: The features of the pair, (NUM_FEATURES,), filled where members are pooled.
    """
    jaccard, squares = work.jaccard, work.squares
    nearest, far_nearest = work.nearest, work.far_nearest
    some_v, some_t = max(1, num_v - 1), max(1, num_t - 1)
    own = jaccard[0, 0]
    w_t, w_t_most, w_t_4, far_w_t, far_w_t_least = 0.0, 0.0, 0.0, 0.0, np.inf
    w_to_t, far_w_to_t, w_u, w_u_4, far_w_u = 0.0, 0.0, 0.0, 0.0, 0.0
    nearest[:num_t], far_nearest[:num_t] = jaccard[0, :num_t], squares[0, :num_t]
    for w in range(1, num_v):
        similar, square = jaccard[w, 0], squares[w, 0]
        w_t += similar
        w_t_4 += similar**4
        w_t_most = max(w_t_most, similar)
        far_w_t += square
        far_w_t_least = min(far_w_t_least, square)
        for u in range(1, num_t):
            here, away = jaccard[w, u], squares[w, u]
            w_u += here
            w_u_4 += (here * here) * (here * here)
            far_w_u += away
            similar, square = max(similar, here), min(square, away)
            nearest[u], far_nearest[u] = max(nearest[u], here), min(far_nearest[u], away)
        w_to_t += similar
        far_w_to_t += _log1p(square * unit)
    line[AT.v_t], line[AT.v_t_4] = own, own**4
    line[AT.w_t_mean], line[AT.w_t_max], line[AT.w_t_4] = w_t / some_v, w_t_most, w_t_4 / some_v
    line[AT.w_u_mean], line[AT.w_u_4] = w_u / (some_v * some_t), w_u_4 / (some_v * some_t)
    line[AT.w_to_t], line[AT.far_w_to_t] = w_to_t / some_v, far_w_to_t / some_v
    line[AT.far_v_t] = _log1p(squares[0, 0] * unit)
    line[AT.far_w_t_min] = _log1p((far_w_t_least if num_v > 1 else 0.0) * unit)
    line[AT.far_w_t_mean] = _log1p(far_w_t * unit / some_v)
    line[AT.far_w_u_mean] = _log1p(far_w_u * unit / (some_v * some_t))
    _pool_targets(work, num_t, unit, line)


@inlined
def _pool_targets(work, num_t, unit, line):  # type: ignore[no-untyped-def]
    """The part of :func:`pool_members` that runs over the target's neighbours."""
    some_t = max(1, num_t - 1)
    v_u, v_u_most, v_u_4, far_v_u, far_v_u_least = 0.0, 0.0, 0.0, 0.0, np.inf
    u_to_v, u_to_v_4, far_u_to_v, w_u_most, far_w_u_least = 0.0, 0.0, 0.0, 0.0, np.inf
    for u in range(1, num_t):
        similar, square = work.jaccard[0, u], work.squares[0, u]
        best, least = work.nearest[u], work.far_nearest[u]
        v_u += similar
        v_u_4 += similar**4
        v_u_most = max(v_u_most, similar)
        far_v_u += square
        far_v_u_least = min(far_v_u_least, square)
        u_to_v += best
        u_to_v_4 += best**4
        w_u_most = max(w_u_most, best)
        far_u_to_v += _log1p(least * unit)
        far_w_u_least = min(far_w_u_least, least)
    if num_t == 1:
        far_v_u_least, far_w_u_least = 0.0, 0.0
    line[AT.v_u_mean], line[AT.v_u_max], line[AT.v_u_4] = v_u / some_t, v_u_most, v_u_4 / some_t
    line[AT.u_to_v], line[AT.u_to_v_4] = u_to_v / some_t, u_to_v_4 / some_t
    line[AT.w_u_max], line[AT.far_u_to_v] = w_u_most, far_u_to_v / some_t
    line[AT.far_v_u_min] = _log1p(far_v_u_least * unit)
    line[AT.far_v_u_mean] = _log1p(far_v_u * unit / some_t)
    line[AT.far_w_u_min] = _log1p(far_w_u_least * unit)


@inlined
def fill_shares(rows, row, work, used, num_slots, num_v, num_t, line):  # type: ignore[no-untyped-def]
    """How far attributes are shared, all counting alike or by rarity; counts are of neighbours.

    Args:
        rows: The :class:`FeatureRows` of candidates.
        row: The candidate's row.
        work: The workspace, with the counts of both sides.
        used: How many slots the pair uses.
        num_slots: How many of them the target has.
        num_v: How many neighbours of the candidate were sent.
        num_t: How many of the target.
        line: The features of the pair, (NUM_FEATURES,), filled where they are shares.
    """
    count_v, count_t, has, logs = work.count_v, work.count_t, work.has, work.logs
    some_v, some_t, whole = max(1, num_v), max(1, num_t), logs[num_v + num_t + 1]
    low, high, rare_low, rare_high = 0.0, 0.0, 0.0, 0.0
    t_n, rare_t_n, rare_t = 0.0, 0.0, 0.0
    for slot in range(used):
        seen_t = count_t[slot] if slot < num_slots else 0
        rarity = whole - logs[count_v[slot] + seen_t]
        share_v, share_t = count_v[slot] / some_v, seen_t / some_t
        less, more = min(share_v, share_t), max(share_v, share_t)
        low += less
        high += more
        rare_low += rarity * less
        rare_high += rarity * more
        if slot < num_slots and has[slot, 0] > 0.0:
            t_n += share_v
            rare_t_n += rarity * share_v
            rare_t += rarity
    v_n, rare_v_n, rare_v, rare_both = 0.0, 0.0, 0.0, 0.0
    start = rows.columns_at[row]
    for k in range(start, start + rows.members[rows.members_at[row], 0]):
        if work.real[rows.columns[k]]:
            continue
        slot = work.slots[rows.columns[k]] - 1
        seen_t = count_t[slot] if slot < num_slots else 0
        rarity = whole - logs[count_v[slot] + seen_t]
        v_n += seen_t / some_t
        rare_v_n += rarity * seen_t / some_t
        rare_v += rarity
        if slot < num_slots and has[slot, 0] > 0.0:
            rare_both += rarity
    line[AT.rare_v_t] = ratio(rare_both, rare_v + rare_t - rare_both)
    line[AT.n_n], line[AT.rare_n_n] = ratio(low, high), ratio(rare_low, rare_high)
    line[AT.t_n], line[AT.rare_t_n] = ratio(t_n, work.size_t[0]), ratio(rare_t_n, rare_t)
    line[AT.v_n], line[AT.rare_v_n] = ratio(v_n, work.size_v[0]), ratio(rare_v_n, rare_v)


@inlined
def ratio(part, whole):  # type: ignore[no-untyped-def]
    """A part of a whole; 0 where there is none.

    Args:
        part: The part.
        whole: The whole, at least 0.
    """
    return part / whole if whole > 1e-9 else 0.0


@inlined
def _log1p(value):  # type: ignore[no-untyped-def]
    """The logarithm of one plus a number that is not tiny, in half of the time."""
    return np.log(1.0 + value)
