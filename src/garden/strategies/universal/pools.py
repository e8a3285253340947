"""Members of a candidate's ego graph beside those of a target's: compared, pooled, counted.

Importing this module needs numba.
"""

from __future__ import annotations

import numpy as np

from garden.compiled import inlined
from garden.strategies.universal.features import DISTANCES, FACTS, JACCARD, SHAPES, SHARES
from garden.strategies.universal.rows import MAX_MEMBERS

MOST = MAX_MEMBERS + 1  # members of an ego graph, its centre included
SIMILAR = len(FACTS)  # where each kind of number begins in a line
FAR = SIMILAR + len(JACCARD)
SHARED = FAR + len(DISTANCES)
SHAPED = SHARED + len(SHARES)
REAL = SHAPED + len(SHAPES)

# Inlined all of them: a call would hand over dozens of arrays, and count references to each. The
# compiled whole is kept beside the module that calls: after an edit here that file must change too,
# or its cache go.


@inlined
def compare_members(  # type: ignore[no-untyped-def]
    rows, row, real, slots, named, has, count_v, size_v, size_t, num_slots, num_t, num_real,
    values_v, values_t, jaccard, squares,
):  # fmt: skip
    """Similarities and squared distances of all members; how many slots the pair uses."""
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
                named[slot], count_v[slot] = column, 0
                used += 1
                slots[column] = used
            elif slot < num_slots:
                for other in range(num_t):
                    both[other] += has[slot, other]
            if member:
                count_v[slot] += 1
        size_v[member] = size
        for other in range(num_t):
            square = size + size_t[other] - 2.0 * both[other]
            alike, union = both[other], size + size_t[other] - both[other] + num_real
            for place in range(num_real):
                difference = values_v[member, place] - values_t[other, place]
                square += difference * difference
                alike += 1.0 / (1.0 + difference * difference)
            squares[member, other] = square
            jaccard[member, other] = alike / union if union > 0.0 else 0.0
    return used


@inlined
def around_centre(rows, row, sizes, real, num_real, values):  # type: ignore[no-untyped-def]
    """Mean similarity, mean squared distance and highest similarity of a centre's neighbours."""
    first, num = rows.members_at[row], rows.members_at[row + 1] - rows.members_at[row]
    total, spread, most = 0.0, 0.0, 0.0
    turned = num_real > rows.real_columns_at[row + 1] - rows.real_columns_at[row]
    for member in range(1, num):
        shared = float(rows.members[first + member, 1])
        if turned:  # columns that only the other side shows to be real
            shared -= _turned_real(rows, row, member, real)
        square = sizes[0] + sizes[member] - 2.0 * shared
        alike, union = shared, sizes[0] + sizes[member] - shared + num_real
        for place in range(num_real):
            difference = values[member, place] - values[0, place]
            square += difference * difference
            alike += 1.0 / (1.0 + difference * difference)
        similar = alike / union if union > 0.0 else 0.0
        total += similar
        spread += square
        most = max(most, similar)
    return total / max(1, num - 1), spread / max(1, num - 1), most


@inlined
def _turned_real(rows, row, member, real):  # type: ignore[no-untyped-def]
    """How many columns that a member shares with its centre count as real in this pair."""
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
def pool_members(jaccard, squares, nearest, far_nearest, num_v, num_t, unit, line):  # type: ignore[no-untyped-def]
    """Means, extremes and powers over the members, into the line."""
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
    v_u, v_u_most, v_u_4, far_v_u, far_v_u_least = 0.0, 0.0, 0.0, 0.0, np.inf
    u_to_v, u_to_v_4, far_u_to_v, w_u_most, far_w_u_least = 0.0, 0.0, 0.0, 0.0, np.inf
    for u in range(1, num_t):
        similar, square = jaccard[0, u], squares[0, u]
        v_u += similar
        v_u_4 += similar**4
        v_u_most = max(v_u_most, similar)
        far_v_u += square
        far_v_u_least = min(far_v_u_least, square)
        u_to_v += nearest[u]
        u_to_v_4 += nearest[u] ** 4
        w_u_most = max(w_u_most, nearest[u])
        far_u_to_v += _log1p(far_nearest[u] * unit)
        far_w_u_least = min(far_w_u_least, far_nearest[u])
    if num_v == 1:
        far_w_t_least = 0.0
    if num_t == 1:
        far_v_u_least, far_w_u_least = 0.0, 0.0
    at = SIMILAR
    line[at], line[at + 1], line[at + 2] = own, w_t / some_v, w_t_most
    line[at + 3], line[at + 4] = v_u / some_t, v_u_most
    line[at + 5], line[at + 6] = w_u / (some_v * some_t), w_u_most
    line[at + 7], line[at + 8] = u_to_v / some_t, w_to_t / some_v
    line[at + 12], line[at + 13], line[at + 14] = own**4, w_t_4 / some_v, v_u_4 / some_t
    line[at + 15], line[at + 16] = w_u_4 / (some_v * some_t), u_to_v_4 / some_t
    at = FAR
    line[at], line[at + 1] = _log1p(squares[0, 0] * unit), _log1p(far_w_t_least * unit)
    line[at + 2], line[at + 3] = _log1p(far_w_t * unit / some_v), _log1p(far_v_u_least * unit)
    line[at + 4], line[at + 5] = _log1p(far_v_u * unit / some_t), _log1p(far_w_u_least * unit)
    line[at + 6] = _log1p(far_w_u * unit / (some_v * some_t))
    line[at + 7], line[at + 8] = far_u_to_v / some_t, far_w_to_t / some_v


@inlined
def fill_shares(  # type: ignore[no-untyped-def]
    rows, row, real, slots, has, count_v, count_t, size_v, size_t, used, num_slots, num_v, num_t,
    logs, line,
):  # fmt: skip
    """How far attributes are shared, plainly and by rarity."""
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
        if real[rows.columns[k]]:
            continue
        slot = slots[rows.columns[k]] - 1
        seen_t = count_t[slot] if slot < num_slots else 0
        rarity = whole - logs[count_v[slot] + seen_t]
        v_n += seen_t / some_t
        rare_v_n += rarity * seen_t / some_t
        rare_v += rarity
        if slot < num_slots and has[slot, 0] > 0.0:
            rare_both += rarity
    at = SHARED
    line[at] = _ratio(rare_both, rare_v + rare_t - rare_both)
    line[at + 1], line[at + 2] = _ratio(low, high), _ratio(rare_low, rare_high)
    line[at + 3], line[at + 4] = _ratio(t_n, size_t[0]), _ratio(rare_t_n, rare_t)
    line[at + 5], line[at + 6] = _ratio(v_n, size_v[0]), _ratio(rare_v_n, rare_v)


@inlined
def _ratio(part, whole):  # type: ignore[no-untyped-def]
    return part / whole if whole > 1e-9 else 0.0


@inlined
def _log1p(value):  # type: ignore[no-untyped-def]
    """The logarithm of one plus a number that is not tiny, in half of the time."""
    return np.log(1.0 + value)
