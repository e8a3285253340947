"""The compiled likeness of many pairs, number for number that of :mod:`garden.strategies.likeness`.

Importing this module needs numba.
"""

from __future__ import annotations

import numba
import numpy as np

from garden.strategies.likeness import (
    DISTANCES,
    FACTS,
    JACCARD,
    LEAST_SPREAD,
    LEAST_SQUARE,
    SHAPES,
    SHARES,
)
from garden.strategies.likeness_rows import MAX_MEMBERS

_MOST = MAX_MEMBERS + 1  # members of an ego graph, its centre included
_SIMILAR = len(FACTS)
_FAR = _SIMILAR + len(JACCARD)
_SHARED = _FAR + len(DISTANCES)
_SHAPED = _SHARED + len(SHARES)
_REAL = _SHAPED + len(SHAPES)


@numba.njit(cache=True, nogil=True)
def fill_likeness(rows, goals, pairs, num_columns, out):  # type: ignore[no-untyped-def]
    """Write the likeness of each pair (candidate, target) into its row of ``out``."""
    slots = np.zeros(num_columns, dtype=np.int32)  # one more than the slot of a column of the pair
    real = np.zeros(num_columns, dtype=np.int32)  # one more than the place of a real column
    room = _most(rows.columns_at) + _most(goals.columns_at) + 1
    reals = _most(rows.real_columns_at) + _most(goals.real_columns_at)
    named = np.empty(room, dtype=np.int32)  # the column of each slot
    has = np.empty((room, _MOST))  # which of the target's members have it
    count_v, count_t = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    real_named = np.empty(reals, dtype=np.int32)
    values_v, values_t = np.empty((_MOST, reals)), np.empty((_MOST, reals))
    size_v, size_t = np.empty(_MOST), np.empty(_MOST)
    jaccard, squares = np.empty((_MOST, _MOST)), np.empty((_MOST, _MOST))
    logs = np.log(np.arange(1, 2 * _MOST + 1))
    last, num_slots, num_real = -1, 0, 0
    for number in range(len(pairs)):
        row, goal = pairs[number, 0], pairs[number, 1]
        strange = _has_strange_real(rows, row, real)
        if goal != last or strange:
            for slot in range(num_slots):
                slots[named[slot]] = 0
            for place in range(num_real):
                real[real_named[place]] = 0
            num_real = _name_reals(goals, goal, real, real_named, 0)
            if strange or _has_strange_real(rows, row, real):
                num_real = _name_reals(rows, row, real, real_named, num_real)
                last = -1  # columns that are real for this pair alone
            else:
                last = goal
            num_slots = _index_target(goals, goal, real, slots, named, has, count_t, size_t)
            _fill_values(goals, goal, real, num_real, values_t)
        line = out[number]
        _fill_facts(rows, goals, row, goal, line)
        members_v = rows.members_at[row + 1] - rows.members_at[row]
        members_t = goals.members_at[goal + 1] - goals.members_at[goal]
        if num_real:
            _fill_values(rows, row, real, num_real, values_v)
            _scale(values_v, values_t, members_v, members_t, num_real)
        count_v[:num_slots] = 0
        used = _compare(
            rows, row, real, slots, named, has, count_v, size_v, size_t, num_slots, members_t,
            num_real, values_v, values_t, jaccard, squares,
        )  # fmt: skip
        mean_v, spread_v, _ = _around(rows, row, size_v, real, num_real, values_v)
        mean_t, spread_t, most_t = _around(goals, goal, size_t, real, num_real, values_t)
        unit = 1.0 / (0.5 * (spread_v + spread_t) + LEAST_SPREAD)
        _pool(jaccard, squares, members_v, members_t, unit, line)
        line[_SIMILAR + 9], line[_SIMILAR + 10], line[_SIMILAR + 11] = mean_t, most_t, mean_v
        line[_SHARED - 1] = np.log1p(squares[0, 0]) - np.log1p(spread_t + LEAST_SPREAD)
        line[_SIMILAR - 2] = 1.0 if size_t[0] + num_real == 0 else 0.0
        line[_SIMILAR - 1] = 1.0 if size_v[0] + num_real == 0 else 0.0
        _fill_shares(
            rows, row, real, slots, has, count_v, count_t, size_v, size_t, used, num_slots,
            members_v - 1, members_t - 1, logs, line,
        )  # fmt: skip
        for slot in range(num_slots, used):
            slots[named[slot]] = 0
        line[_SHAPED : _SHAPED + 7] = rows.shape[row]
        for place, column in enumerate((0, 1, 3, 6)):
            line[_SHAPED + 7 + place] = goals.shape[goal, column]
        line[_REAL] = 1.0 if num_real else 0.0
        if num_real:
            _unscale(goals, goal, real, num_real, values_t)


@numba.njit(cache=True, nogil=True)
def _most(offsets):  # type: ignore[no-untyped-def]
    most = 0
    for row in range(len(offsets) - 1):
        most = max(most, offsets[row + 1] - offsets[row])
    return most


@numba.njit(cache=True, nogil=True)
def _has_strange_real(rows, row, real):  # type: ignore[no-untyped-def]
    for k in range(rows.real_columns_at[row], rows.real_columns_at[row + 1]):
        if real[rows.real_columns[k]] == 0:
            return True
    return False


@numba.njit(cache=True, nogil=True)
def _name_reals(rows, row, real, real_named, count):  # type: ignore[no-untyped-def]
    for k in range(rows.real_columns_at[row], rows.real_columns_at[row + 1]):
        column = rows.real_columns[k]
        if real[column] == 0:
            real_named[count] = column
            count += 1
            real[column] = count
    return count


@numba.njit(cache=True, nogil=True)
def _index_target(goals, goal, real, slots, named, has, count_t, sizes):  # type: ignore[no-untyped-def]
    """Give each plain column of the target's members a slot; their number."""
    count, k = 0, goals.columns_at[goal]
    first = goals.members_at[goal]
    for member in range(goals.members_at[goal + 1] - first):
        sizes[member] = 0.0
        for _ in range(goals.members[first + member, 0]):
            column = goals.columns[k]
            k += 1
            if real[column]:
                continue
            if slots[column] == 0:
                named[count], count_t[count] = column, 0
                has[count] = 0.0
                count += 1
                slots[column] = count
            slot = slots[column] - 1
            has[slot, member] = 1.0
            sizes[member] += 1.0
            if member:
                count_t[slot] += 1
    return count


@numba.njit(cache=True, nogil=True)
def _fill_values(rows, row, real, num_real, values):  # type: ignore[no-untyped-def]
    """What the members have in the real columns of the pair."""
    if num_real == 0:
        return
    first, num = rows.members_at[row], rows.members_at[row + 1] - rows.members_at[row]
    values[:num, :num_real] = 0.0
    k = rows.columns_at[row]
    for member in range(num):
        for _ in range(rows.members[first + member, 0]):
            if real[rows.columns[k]]:
                values[member, real[rows.columns[k]] - 1] = 1.0
            k += 1
    start, stop = rows.real_columns_at[row], rows.real_columns_at[row + 1]
    k = rows.real_values_at[row]
    for member in range(num):
        for place in range(start, stop):
            values[member, real[rows.real_columns[place]] - 1] = rows.real_values[k]
            k += 1


@numba.njit(cache=True, nogil=True)
def _scale(values_v, values_t, num_v, num_t, num_real):  # type: ignore[no-untyped-def]
    """Bring both sides' real values to units of the spread that they show."""
    for place in range(num_real):
        total = 0.0
        for member in range(1, num_v):
            total += (values_v[member, place] - values_v[0, place]) ** 2
        for member in range(1, num_t):
            total += (values_t[member, place] - values_t[0, place]) ** 2
        scale = 1.0 / np.sqrt(total / max(1, num_v + num_t - 2) + LEAST_SQUARE)
        for member in range(num_v):
            values_v[member, place] *= scale
        for member in range(num_t):
            values_t[member, place] *= scale


@numba.njit(cache=True, nogil=True)
def _unscale(goals, goal, real, num_real, values_t):  # type: ignore[no-untyped-def]
    """The target's own values again, for the next candidate."""
    _fill_values(goals, goal, real, num_real, values_t)


@numba.njit(cache=True, nogil=True)
def _fill_facts(rows, goals, row, goal, line):  # type: ignore[no-untyped-def]
    """What keys tell, by one walk over both ascending lists."""
    own_v, own_t = rows.own[row], goals.own[goal]
    start_v, stop_v = rows.neighbours_at[row], rows.neighbours_at[row + 1]
    start_t, stop_t = goals.neighbours_at[goal], goals.neighbours_at[goal + 1]
    seen_at, seen = _run_of(rows.neighbours, start_v, stop_v, own_t)
    beside_at, beside = _run_of(goals.neighbours, start_t, stop_t, own_v)
    _, copies = _run_of(goals.neighbours, start_t, stop_t, own_t)
    sure = 0.0
    for i in range(seen_at, seen_at + seen):
        for j in range(beside_at, beside_at + beside):
            if rows.signatures[i] == goals.signatures[j]:
                sure = 1.0
    common, wanted, likely = 1 if beside else 0, 0, 0.0
    i, j = start_v, start_t
    while i < stop_v and j < stop_t:
        if rows.neighbours[i] < goals.neighbours[j]:
            i += 1
        elif rows.neighbours[i] > goals.neighbours[j]:
            j += 1
        else:
            key, mine, theirs = rows.neighbours[i], 0, 0
            while i < stop_v and rows.neighbours[i] == key:
                mine += 1
                i += 1
            while j < stop_t and goals.neighbours[j] == key:
                theirs += 1
                j += 1
            common += mine
            wanted += theirs
            likely += min(mine, theirs) / max(mine, theirs)
    degree = max(1, stop_t - start_t)
    line[0] = 1.0 if own_v == own_t else 0.0
    line[1] = 1.0 if own_v == own_t and rows.bag[row] == goals.bag[goal] else 0.0
    line[2], line[3] = np.log1p(seen), 1.0 if seen else 0.0
    line[4] = 1.0 if beside else 0.0
    line[5] = 1.0 if beside and seen else 0.0
    line[6] = sure
    line[7] = np.log1p(common)
    line[8], line[9] = common / degree, common / (stop_v - start_v + 1)
    line[10], line[11], line[12] = wanted / degree, likely / degree, np.log1p(copies)


@numba.njit(cache=True, nogil=True)
def _run_of(keys, start, stop, key):  # type: ignore[no-untyped-def]
    """Where a key stands first among ascending ones, and how often."""
    low, high = start, stop
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    count = 0
    while low + count < stop and keys[low + count] == key:
        count += 1
    return low, count


@numba.njit(cache=True, nogil=True)
def _compare(  # type: ignore[no-untyped-def]
    rows, row, real, slots, named, has, count_v, size_v, size_t, num_slots, num_t, num_real,
    values_v, values_t, jaccard, squares,
):  # fmt: skip
    """Similarities and squared distances of all members; how many slots the pair uses."""
    used, k = num_slots, rows.columns_at[row]
    first = rows.members_at[row]
    both = np.empty(_MOST)
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


@numba.njit(cache=True, nogil=True)
def _around(rows, row, sizes, real, num_real, values):  # type: ignore[no-untyped-def]
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


@numba.njit(cache=True, nogil=True)
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


@numba.njit(cache=True, nogil=True)
def _pool(jaccard, squares, num_v, num_t, unit, line):  # type: ignore[no-untyped-def]
    """Means, extremes and powers over the members, into the line."""
    some_v, some_t = max(1, num_v - 1), max(1, num_t - 1)
    own = jaccard[0, 0]
    w_t, w_t_most, w_t_4, far_w_t, far_w_t_least = 0.0, 0.0, 0.0, 0.0, np.inf
    w_to_t, far_w_to_t, w_u, w_u_4, far_w_u = 0.0, 0.0, 0.0, 0.0, 0.0
    nearest, far_nearest = jaccard[0].copy(), squares[0].copy()
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
        far_w_to_t += np.log1p(square * unit)
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
        far_u_to_v += np.log1p(far_nearest[u] * unit)
        far_w_u_least = min(far_w_u_least, far_nearest[u])
    if num_v == 1:
        far_w_t_least = 0.0
    if num_t == 1:
        far_v_u_least, far_w_u_least = 0.0, 0.0
    at = _SIMILAR
    line[at], line[at + 1], line[at + 2] = own, w_t / some_v, w_t_most
    line[at + 3], line[at + 4] = v_u / some_t, v_u_most
    line[at + 5], line[at + 6] = w_u / (some_v * some_t), w_u_most
    line[at + 7], line[at + 8] = u_to_v / some_t, w_to_t / some_v
    line[at + 12], line[at + 13], line[at + 14] = own**4, w_t_4 / some_v, v_u_4 / some_t
    line[at + 15], line[at + 16] = w_u_4 / (some_v * some_t), u_to_v_4 / some_t
    at = _FAR
    line[at], line[at + 1] = np.log1p(squares[0, 0] * unit), np.log1p(far_w_t_least * unit)
    line[at + 2], line[at + 3] = np.log1p(far_w_t * unit / some_v), np.log1p(far_v_u_least * unit)
    line[at + 4], line[at + 5] = np.log1p(far_v_u * unit / some_t), np.log1p(far_w_u_least * unit)
    line[at + 6] = np.log1p(far_w_u * unit / (some_v * some_t))
    line[at + 7], line[at + 8] = far_u_to_v / some_t, far_w_to_t / some_v


@numba.njit(cache=True, nogil=True)
def _fill_shares(  # type: ignore[no-untyped-def]
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
    at = _SHARED
    line[at] = _ratio(rare_both, rare_v + rare_t - rare_both)
    line[at + 1], line[at + 2] = _ratio(low, high), _ratio(rare_low, rare_high)
    line[at + 3], line[at + 4] = _ratio(t_n, size_t[0]), _ratio(rare_t_n, rare_t)
    line[at + 5], line[at + 6] = _ratio(v_n, size_v[0]), _ratio(rare_v_n, rare_v)


@numba.njit(cache=True, nogil=True)
def _ratio(part, whole):  # type: ignore[no-untyped-def]
    return part / whole if whole > 1e-9 else 0.0
