"""The compiled features of many pairs.

Number for number those of :mod:`garden.strategies.universal.features`.

Importing this module needs numba.
"""

from __future__ import annotations

import numpy as np

from garden.compiled import compiled, inlined
from garden.strategies.universal.features import LEAST_SPREAD, LEAST_SQUARE, SHAPES_OF_TARGET
from garden.strategies.universal.pools import (
    MOST,
    REAL,
    SHAPED,
    SHARED,
    SIMILAR,
    around_centre,
    compare_members,
    fill_shares,
    pool_members,
)


@compiled()
def fill_likeness(rows, goals, pairs, num_columns, out):  # type: ignore[no-untyped-def]
    """Write the likeness of each pair (candidate, target) into its row of ``out``."""
    slots = np.zeros(num_columns, dtype=np.int32)  # one more than the slot of a column of the pair
    real = np.zeros(num_columns, dtype=np.int32)  # one more than the place of a real column
    room = _most(rows.columns_at) + _most(goals.columns_at) + 1
    reals = _most(rows.real_columns_at) + _most(goals.real_columns_at)
    named = np.empty(room, dtype=np.int32)  # the column of each slot
    has = np.empty((room, MOST))  # which of the target's members have it
    count_v, count_t = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    real_named = np.empty(reals, dtype=np.int32)
    values_v, values_t = np.empty((MOST, reals)), np.empty((MOST, reals))
    size_v, size_t = np.empty(MOST), np.empty(MOST)
    jaccard, squares = np.empty((MOST, MOST)), np.empty((MOST, MOST))
    nearest, far_nearest = np.empty(MOST), np.empty(MOST)
    logs = np.log(np.arange(1, 2 * MOST + 1))
    last, num_slots, num_real = -1, 0, 0
    mean_t, spread_t, most_t = 0.0, 0.0, 0.0
    for number in range(len(pairs)):
        row, goal = pairs[number, 0], pairs[number, 1]
        strange = _has_strange_real(rows, row, real)
        if goal != last or strange:
            _forget(slots, named, 0, num_slots)
            _forget(real, real_named, 0, num_real)
            num_real = _name_reals(goals, goal, real, real_named, 0)
            own = not strange and not _has_strange_real(rows, row, real)
            if not own:  # columns that are real for this pair alone
                num_real = _name_reals(rows, row, real, real_named, num_real)
            last = goal if own else -1
            num_slots = _index_target(goals, goal, real, slots, named, has, count_t, size_t)
            if num_real == 0:
                mean_t, spread_t, most_t = around_centre(goals, goal, size_t, real, 0, values_t)
        line = out[number]
        _fill_facts(rows, goals, row, goal, line)
        members_v = rows.members_at[row + 1] - rows.members_at[row]
        members_t = goals.members_at[goal + 1] - goals.members_at[goal]
        if num_real:
            _fill_values(goals, goal, real, num_real, values_t)
            _fill_values(rows, row, real, num_real, values_v)
            _scale(values_v, values_t, members_v, members_t, num_real)
        count_v[:num_slots] = 0
        used = compare_members(
            rows, row, real, slots, named, has, count_v, size_v, size_t, num_slots, members_t,
            num_real, values_v, values_t, jaccard, squares,
        )  # fmt: skip
        mean_v, spread_v, _ = around_centre(rows, row, size_v, real, num_real, values_v)
        if num_real:  # in the units of this pair
            mean_t, spread_t, most_t = around_centre(goals, goal, size_t, real, num_real, values_t)
        unit = 1.0 / (0.5 * (spread_v + spread_t) + LEAST_SPREAD)
        pool_members(jaccard, squares, nearest, far_nearest, members_v, members_t, unit, line)
        line[SIMILAR + 9], line[SIMILAR + 10], line[SIMILAR + 11] = mean_t, most_t, mean_v
        line[SHARED - 1] = np.log1p(squares[0, 0]) - np.log1p(spread_t + LEAST_SPREAD)
        _fill_blanks(size_v[0] + num_real, size_t[0] + num_real, line)
        fill_shares(
            rows, row, real, slots, has, count_v, count_t, size_v, size_t, used, num_slots,
            members_v - 1, members_t - 1, logs, line,
        )  # fmt: skip
        _forget(slots, named, num_slots, used)
        _fill_shapes(rows, goals, row, goal, line)
        line[REAL] = 1.0 if num_real else 0.0


@inlined
def _forget(marks, named, start, stop):  # type: ignore[no-untyped-def]
    """Take the marks of some named columns back."""
    for place in range(start, stop):
        marks[named[place]] = 0


@inlined
def _fill_blanks(columns_v, columns_t, line):  # type: ignore[no-untyped-def]
    """Whether the two centres have any columns at all."""
    line[SIMILAR - 2] = 1.0 if columns_t == 0 else 0.0
    line[SIMILAR - 1] = 1.0 if columns_v == 0 else 0.0


@inlined
def _fill_shapes(rows, goals, row, goal, line):  # type: ignore[no-untyped-def]
    """How both ego graphs are built."""
    line[SHAPED : SHAPED + 7] = rows.shape[row]
    for place, column in enumerate(SHAPES_OF_TARGET):
        line[SHAPED + 7 + place] = goals.shape[goal, column]


@inlined
def _most(offsets):  # type: ignore[no-untyped-def]
    most = 0
    for row in range(len(offsets) - 1):
        most = max(most, offsets[row + 1] - offsets[row])
    return most


@inlined
def _has_strange_real(rows, row, real):  # type: ignore[no-untyped-def]
    for k in range(rows.real_columns_at[row], rows.real_columns_at[row + 1]):
        if real[rows.real_columns[k]] == 0:
            return True
    return False


@inlined
def _name_reals(rows, row, real, real_named, count):  # type: ignore[no-untyped-def]
    for k in range(rows.real_columns_at[row], rows.real_columns_at[row + 1]):
        column = rows.real_columns[k]
        if real[column] == 0:
            real_named[count] = column
            count += 1
            real[column] = count
    return count


@inlined
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


@inlined
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


@inlined
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


@inlined
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


@inlined
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
