"""The compiled pairwise features: equal to :func:`.features.plain_pair_features` up to rounding.

Members are compared and pooled by :mod:`garden.strategies.universal.member_kernels`, inlined here.
Importing this module needs numba.
"""

from __future__ import annotations

import numpy as np

from garden.compiled import compiled, inlined
from garden.strategies.universal.features import (
    AT,
    LEAST_SPREAD,
    LEAST_SQUARE,
    MAX_DIRECT,
)
from garden.strategies.universal.member_kernels import (
    MOST,
    Workspace,
    around_centre,
    compare_members,
    fill_shares,
    pool_members,
)
from garden.strategies.universal.representation import SHAPE


@compiled()
def fill_features(rows, targets, pairs, num_columns, out):  # type: ignore[no-untyped-def]
    """Write the features of each pair into its row of ``out``.

    Args:
        rows: The :class:`FeatureRows` of candidates.
        targets: Those of targets.
        pairs: (num_pairs, 2) int64, rows of the candidate and of the target.
        num_columns: One more than the highest attribute column of either.
        out: (num_pairs, NUM_FEATURES) float32.

    """
    work = _workspace(rows, targets, num_columns)
    last, num_slots, num_real = -1, 0, 0
    mean_t, spread_t, most_t = 0.0, 0.0, 0.0
    for number in range(len(pairs)):
        row, target = pairs[number, 0], pairs[number, 1]
        new_real = _has_new_real(rows, row, work.real)
        if target != last or new_real:
            _clear(work.slots, work.named, 0, num_slots)
            _clear(work.real, work.real_named, 0, num_real)
            num_real = _number_reals(targets, target, work, 0)
            shared = not new_real and not _has_new_real(rows, row, work.real)
            if not shared:  # columns that are real for this pair alone
                num_real = _number_reals(rows, row, work, num_real)
            last = target if shared else -1
            num_slots = _index_target(targets, target, work)
            if num_real == 0:
                mean_t, spread_t, most_t = around_centre(
                    targets, target, work.size_t, work.real, 0, work.values_t
                )
        line = out[number]
        fill_indicators(rows, targets, row, target, line)
        members_v = rows.members_at[row + 1] - rows.members_at[row]
        members_t = targets.members_at[target + 1] - targets.members_at[target]
        direct = 0.0
        if num_real:
            _fill_values(targets, target, work.real, num_real, work.values_t)
            _fill_values(rows, row, work.real, num_real, work.values_v)
            for index in range(num_real):
                apart = work.values_v[0, index] - work.values_t[0, index]
                direct += apart * apart
            _scale(work.values_v, work.values_t, members_v, members_t, num_real)
        work.count_v[:num_slots] = 0
        used = compare_members(rows, row, work, num_slots, members_t, num_real)
        mean_v, spread_v, _ = around_centre(
            rows, row, work.size_v, work.real, num_real, work.values_v
        )
        if num_real:  # in the units of this pair
            mean_t, spread_t, most_t = around_centre(
                targets, target, work.size_t, work.real, num_real, work.values_t
            )
        unit = 1.0 / (0.5 * (spread_v + spread_t) + LEAST_SPREAD)
        pool_members(work, members_v, members_t, unit, line)
        line[AT.t_u_mean], line[AT.t_u_max], line[AT.v_w_mean] = mean_t, most_t, mean_v
        line[AT.far_relative] = np.log1p(work.squares[0, 0]) - np.log1p(spread_t + LEAST_SPREAD)
        line[AT.blank_target] = 1.0 if work.size_t[0] + num_real == 0 else 0.0
        line[AT.blank_candidate] = 1.0 if work.size_v[0] + num_real == 0 else 0.0
        fill_shares(rows, row, work, used, num_slots, members_v - 1, members_t - 1, line)
        direct += _plain_square(rows, row, work, num_slots)
        fill_direct(direct, targets.shape[target], line)
        _clear(work.slots, work.named, num_slots, used)
        fill_shapes(rows.shape[row], targets.shape[target], line)
        line[AT.real] = 1.0 if num_real else 0.0


@inlined
def _workspace(rows, targets, num_columns):  # type: ignore[no-untyped-def]
    room = longest_row(rows.columns_at) + longest_row(targets.columns_at) + 1
    reals = longest_row(rows.real_columns_at) + longest_row(targets.real_columns_at)
    return Workspace(
        np.zeros(num_columns, dtype=np.int32),
        np.zeros(num_columns, dtype=np.int32),
        np.empty(room, dtype=np.int32),
        np.empty(reals, dtype=np.int32),
        np.empty((room, MOST)),
        np.empty(room, dtype=np.int64),
        np.empty(room, dtype=np.int64),
        np.empty(MOST),
        np.empty(MOST),
        np.empty((MOST, reals)),
        np.empty((MOST, reals)),
        np.empty((MOST, MOST)),
        np.empty((MOST, MOST)),
        np.empty(MOST),
        np.empty(MOST),
        np.log(np.arange(1, 2 * MOST + 1)),
    )


@inlined
def _clear(marks, named, start, stop):  # type: ignore[no-untyped-def]
    """Set the marks of some named columns back to 0."""
    for index in range(start, stop):
        marks[named[index]] = 0


@inlined
def fill_shapes(shape_v, shape_t, line):  # type: ignore[no-untyped-def]
    """How both ego graphs are built; v's columns stand in the order of its shape.

    Args:
        shape_v: The shape of the candidate's, see :class:`.representation.ShapeColumns`.
        shape_t: The shape of the target's.
        line: The features of the pair, (NUM_FEATURES,), filled where they are shapes.
    """
    line[AT.degree : AT.blank + 1] = shape_v[: SHAPE.spread]
    line[AT.degree_t] = shape_t[SHAPE.degree]
    line[AT.clustering_t] = shape_t[SHAPE.clustering]
    line[AT.components_t] = shape_t[SHAPE.components]
    line[AT.concentration_t] = shape_t[SHAPE.concentration]
    line[AT.distinct_t] = shape_t[SHAPE.distinct]
    line[AT.alike_t] = shape_t[SHAPE.alike]
    line[AT.blank_t] = shape_t[SHAPE.blank]


@inlined
def fill_direct(square, shape_t, line):  # type: ignore[no-untyped-def]
    """The features that go by raw differences.

    Args:
        square: The squared distance of the two centres.
        shape_t: The shape of the target's ego graph, whose spread is the unit.
        line: The features of the pair, filled in two places.
    """
    square = min(square / (shape_t[SHAPE.spread] + LEAST_SQUARE), MAX_DIRECT * MAX_DIRECT)
    line[AT.direct], line[AT.direct_log] = np.sqrt(square), np.log1p(square)


@inlined
def _plain_square(rows, row, work, num_slots):  # type: ignore[no-untyped-def]
    """The squared distance of the two centres in plain columns."""
    common = 0.0
    start = rows.columns_at[row]
    for k in range(start, start + rows.members[rows.members_at[row], 0]):
        if work.real[rows.columns[k]]:
            continue
        slot = work.slots[rows.columns[k]] - 1
        if slot < num_slots:
            common += work.has[slot, 0]
    return work.size_v[0] + work.size_t[0] - 2.0 * common


@inlined
def longest_row(offsets):  # type: ignore[no-untyped-def]
    """The length of the longest row."""
    most = 0
    for row in range(len(offsets) - 1):
        most = max(most, offsets[row + 1] - offsets[row])
    return most


@inlined
def _has_new_real(rows, row, real):  # type: ignore[no-untyped-def]
    """Whether a row has a real column that is not numbered yet."""
    for k in range(rows.real_columns_at[row], rows.real_columns_at[row + 1]):
        if real[rows.real_columns[k]] == 0:
            return True
    return False


@inlined
def _number_reals(rows, row, work, count):  # type: ignore[no-untyped-def]
    """Number the real columns of a row that are new; how many there are then."""
    for k in range(rows.real_columns_at[row], rows.real_columns_at[row + 1]):
        column = rows.real_columns[k]
        if work.real[column] == 0:
            work.real_named[count] = column
            count += 1
            work.real[column] = count
    return count


@inlined
def _index_target(targets, target, work):  # type: ignore[no-untyped-def]
    """Give each plain column of the target's members a slot; their number."""
    slots, has, count_t, sizes = work.slots, work.has, work.count_t, work.size_t
    count, k = 0, targets.columns_at[target]
    first = targets.members_at[target]
    for member in range(targets.members_at[target + 1] - first):
        sizes[member] = 0.0
        for _ in range(targets.members[first + member, 0]):
            column = targets.columns[k]
            k += 1
            if work.real[column]:
                continue
            if slots[column] == 0:
                work.named[count], count_t[count] = column, 0
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
    """Copy the values of the members in the real columns of the pair, (num_members, num_real)."""
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
    start, own = (
        rows.real_columns_at[row],
        rows.real_columns_at[row + 1] - rows.real_columns_at[row],
    )
    for k in range(rows.real_values_at[row], rows.real_values_at[row + 1]):
        member, index = divmod(rows.real_places[k], own)
        values[member, real[rows.real_columns[start + index]] - 1] = rows.real_values[k]


@inlined
def _scale(values_v, values_t, num_v, num_t, num_real):  # type: ignore[no-untyped-def]
    """Bring the real values of both sides to units of the spread of their neighbours."""
    for index in range(num_real):
        total = 0.0
        for member in range(1, num_v):
            total += (values_v[member, index] - values_v[0, index]) ** 2
        for member in range(1, num_t):
            total += (values_t[member, index] - values_t[0, index]) ** 2
        scale = 1.0 / np.sqrt(total / max(1, num_v + num_t - 2) + LEAST_SQUARE)
        for member in range(num_v):
            values_v[member, index] *= scale
        for member in range(num_t):
            values_t[member, index] *= scale


@inlined
def fill_indicators(rows, targets, row, target, line):  # type: ignore[no-untyped-def]
    """Match indicators, by one pass over both ascending lists of keys.

    Args:
        rows: The :class:`FeatureRows` of candidates.
        targets: Those of targets.
        row: The candidate's row.
        target: The target's row.
        line: The features of the pair, (NUM_FEATURES,), filled where they are indicators.
    """
    own_v, own_t = rows.own[row], targets.own[target]
    start_v, stop_v = rows.neighbours_at[row], rows.neighbours_at[row + 1]
    start_t, stop_t = targets.neighbours_at[target], targets.neighbours_at[target + 1]
    seen_at, seen = _run_of(rows.neighbours, start_v, stop_v, own_t)
    beside_at, beside = _run_of(targets.neighbours, start_t, stop_t, own_v)
    _, copies = _run_of(targets.neighbours, start_t, stop_t, own_t)
    same_link = 0.0
    for i in range(seen_at, seen_at + seen):
        for j in range(beside_at, beside_at + beside):
            if rows.signatures[i] == targets.signatures[j]:
                same_link = 1.0
    common, covered, discounted = 1 if beside else 0, 0, 0.0
    i, j = start_v, start_t
    while i < stop_v and j < stop_t:
        if rows.neighbours[i] < targets.neighbours[j]:
            i += 1
        elif rows.neighbours[i] > targets.neighbours[j]:
            j += 1
        else:
            key, mine, theirs = rows.neighbours[i], 0, 0
            while i < stop_v and rows.neighbours[i] == key:
                mine += 1
                i += 1
            while j < stop_t and targets.neighbours[j] == key:
                theirs += 1
                j += 1
            common += mine
            covered += theirs
            discounted += min(mine, theirs) / max(mine, theirs)
    degree = max(1, stop_t - start_t)
    line[AT.own] = 1.0 if own_v == own_t else 0.0
    line[AT.same] = 1.0 if own_v == own_t and rows.bag[row] == targets.bag[target] else 0.0
    line[AT.seen_log], line[AT.seen] = np.log1p(seen), 1.0 if seen else 0.0
    line[AT.beside] = 1.0 if beside else 0.0
    line[AT.linked] = 1.0 if beside and seen else 0.0
    line[AT.same_link] = same_link
    line[AT.common_log], line[AT.copies] = np.log1p(common), np.log1p(copies)
    line[AT.common_of_target] = common / degree
    line[AT.common_of_candidate] = common / (stop_v - start_v + 1)
    line[AT.covered], line[AT.covered_discounted] = covered / degree, discounted / degree


@inlined
def _run_of(keys, start, stop, key):  # type: ignore[no-untyped-def]
    """The first position of a key among ascending ones, and how often it stands there."""
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
