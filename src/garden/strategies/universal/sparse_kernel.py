"""The compiled pairwise features of ego graphs with many real columns.

It gives what :mod:`garden.strategies.universal.kernel` gives, up to rounding, and reads each entry
of a profile that is not 0 once: where most of a column's values are 0, so are most differences.
With q = x² / s, s the spread of a column, and f(q) = q / (1 + q), two members a and b have

    Σ_R 1 / (1 + δ²) = #R − Σ_R f(q_a) − Σ_R f(q_b) + Σ_{a, b ≠ 0} (f(q_a) + f(q_b) − f(q_{a − b}))

and only columns that both have take part in the last sum. So a pair costs the entries of its two
ego graphs and those that members of one share with members of the other, not members × members ×
columns. Importing this module needs numba.
"""

from __future__ import annotations

import numpy as np

from garden.compiled import compiled, inlined
from garden.strategies.universal.features import AT, LEAST_SPREAD, LEAST_SQUARE
from garden.strategies.universal.kernel import (
    fill_direct,
    fill_indicators,
    fill_shapes,
    longest_row,
)
from garden.strategies.universal.member_kernels import pool_members, ratio
from garden.strategies.universal.sparse_entries import new_side, new_work


@compiled()
def fill_sparse_features(rows, targets, entries, target_entries, pairs, num_columns, out):  # type: ignore[no-untyped-def]
    """Write the features of each pair into its row of ``out``.

    Args:
        rows: The :class:`FeatureRows` of candidates.
        targets: Those of targets.
        entries: The :class:`Entries` of ``rows``.
        target_entries: Those of ``targets``.
        pairs: (num_pairs, 2) int64, rows of the candidate and of the target.
        num_columns: One more than the highest attribute column of either.
        out: (num_pairs, NUM_FEATURES) float32.

    """
    room = longest_row(entries.at) + longest_row(target_entries.at) + 1
    work = new_work(num_columns, room)
    side_v, side_t = new_side(room), new_side(room)
    last, num_slots = -1, 0
    for number in range(len(pairs)):
        row, target = pairs[number, 0], pairs[number, 1]
        num_v = rows.members_at[row + 1] - rows.members_at[row]
        num_t = targets.members_at[target + 1] - targets.members_at[target]
        if target != last:
            for slot in range(num_slots):
                work.slots[work.named[slot]] = 0
            num_slots = _index_target(targets, target, target_entries, work, side_t)
            last = target
        used = _index_candidate(rows, row, entries, work, side_v, num_slots)
        num_real = _set_units(work, side_v, side_t, num_slots, used, num_v, num_t)
        _add_target(work, side_t, num_slots)
        _add_candidate(row, entries, work, side_v, num_slots)
        mean_v, spread_v, _ = _around_centre(side_v, num_v, num_real)
        mean_t, spread_t, most_t = _around_centre(side_t, num_t, num_real)
        _compare(work, side_v, side_t, num_v, num_t, num_real)
        line = out[number]
        fill_indicators(rows, targets, row, target, line)
        unit = 1.0 / (0.5 * (spread_v + spread_t) + LEAST_SPREAD)
        pool_members(work, num_v, num_t, unit, line)
        line[AT.t_u_mean], line[AT.t_u_max], line[AT.v_w_mean] = mean_t, most_t, mean_v
        line[AT.far_relative] = np.log1p(work.squares[0, 0]) - np.log1p(spread_t + LEAST_SPREAD)
        line[AT.blank_target] = 1.0 if side_t.size[0] + num_real == 0 else 0.0
        line[AT.blank_candidate] = 1.0 if side_v.size[0] + num_real == 0 else 0.0
        _fill_shares(work, side_v, side_t, num_slots, used, num_v - 1, num_t - 1, line)
        fill_shapes(rows.shape[row], targets.shape[target], line)
        fill_direct(_direct_square(side_v, side_t, num_slots, used), targets.shape[target], line)
        line[AT.real] = 1.0 if num_real else 0.0
        for slot in range(num_slots, used):
            work.slots[work.named[slot]] = 0


@inlined
def _direct_square(side_v, side_t, num_slots, used):  # type: ignore[no-untyped-def]
    """The squared distance of the two centres, as their attributes are."""
    centre_v, centre_t, square = side_v.centre, side_t.centre, 0.0
    for slot in range(used):
        apart = centre_v[slot] - (centre_t[slot] if slot < num_slots else 0.0)
        square += apart * apart
    return square


# Arrays that loops read have names of their own, and loops call nothing that takes an array: each
# reading through a tuple and each such call would count references to the array, which took half
# of the kernel's time.


@inlined
def _index_target(targets, target, entries, work, side):  # type: ignore[no-untyped-def]
    """Give each column of the target's members a slot, with who has it; the number of slots."""
    slots, named, real_t = work.slots, work.named, work.real_t
    holders_at, holders, held = work.holders_at, work.holders, work.held
    members, columns, values = entries.members, entries.columns, entries.values
    centre, counts, spread = side.centre, side.counts, side.spread
    real_columns = targets.real_columns
    start, stop = entries.at[target], entries.at[target + 1]
    count = 0
    for k in range(start, stop):
        column = columns[k]
        if slots[column] == 0:
            named[count], real_t[count], holders_at[count + 1] = column, False, 0
            centre[count], counts[count], spread[count] = 0.0, 0, 0.0
            count += 1
            slots[column] = count
        slot = slots[column] - 1
        if members[k] == 0:  # entries of the centre come before all others
            centre[slot] = values[k]
        else:
            apart = np.float64(values[k]) - centre[slot]
            counts[slot] += 1
            spread[slot] += apart * apart
        holders_at[slot + 1] += 1
    for k in range(targets.real_columns_at[target], targets.real_columns_at[target + 1]):
        real_t[slots[real_columns[k]] - 1] = True
    holders_at[0] = 0
    for slot in range(count):
        holders_at[slot + 1] += holders_at[slot]
    for k in range(stop - 1, start - 1, -1):  # from the end: offsets go down to where they belong
        slot = slots[columns[k]] - 1
        holders_at[slot + 1] -= 1
        place = holders_at[slot + 1]
        holders[place], held[place] = members[k], values[k]
    for slot in range(count):
        holders_at[slot] = holders_at[slot + 1]
    holders_at[count] = stop - start
    return count


@inlined
def _index_candidate(rows, row, entries, work, side, num_slots):  # type: ignore[no-untyped-def]
    """Give each column of the candidate's members a slot too; the number of all slots."""
    slots, named, real = work.slots, work.named, work.real
    members, columns, values = entries.members, entries.columns, entries.values
    centre, counts, spread = side.centre, side.counts, side.spread
    real_columns = rows.real_columns
    centre[:num_slots] = 0.0
    counts[:num_slots] = 0
    spread[:num_slots] = 0.0
    real[:num_slots] = work.real_t[:num_slots]
    used = num_slots
    for k in range(entries.at[row], entries.at[row + 1]):
        column = columns[k]
        if slots[column] == 0:
            named[used], real[used] = column, False
            centre[used], counts[used], spread[used] = 0.0, 0, 0.0
            used += 1
            slots[column] = used
        slot = slots[column] - 1
        if members[k] == 0:
            centre[slot] = values[k]
        else:
            apart = np.float64(values[k]) - centre[slot]
            counts[slot] += 1
            spread[slot] += apart * apart
    for k in range(rows.real_columns_at[row], rows.real_columns_at[row + 1]):
        real[slots[real_columns[k]] - 1] = True
    return used


@inlined
def _set_units(work, side_v, side_t, num_slots, used, num_v, num_t):  # type: ignore[no-untyped-def]
    """One over the spread of each real column; how many there are."""
    real, unit = work.real, work.unit
    centre_v, counts_v, spread_v = side_v.centre, side_v.counts, side_v.spread
    centre_t, counts_t, spread_t = side_t.centre, side_t.counts, side_t.spread
    num_real = 0
    for slot in range(used):
        if real[slot]:
            num_real += 1
            zeros = num_v - 1 - counts_v[slot]
            total = spread_v[slot] + zeros * centre_v[slot] * centre_v[slot]
            if slot < num_slots:
                zeros = num_t - 1 - counts_t[slot]
                total += spread_t[slot] + zeros * centre_t[slot] * centre_t[slot]
            unit[slot] = 1.0 / (total / max(1, num_v + num_t - 2) + LEAST_SQUARE)
    return num_real


@inlined
def _clear(side):  # type: ignore[no-untyped-def]
    side.size[:] = 0.0
    side.real[:] = 0.0
    side.square[:] = 0.0
    side.shared[:] = 0.0
    side.shared_real[:] = 0.0
    side.product[:] = 0.0


@inlined
def _fraction(square):  # type: ignore[no-untyped-def]
    return square / (1.0 + square)


@inlined
def _with_centre(value, centre, part, unit):  # type: ignore[no-untyped-def]
    """The term of the module's last sum that a member's entry has with the centre's."""
    apart = (value - centre) * (value - centre) * unit
    return part + _fraction(centre * centre * unit) - _fraction(apart)


@inlined
def _add_target(work, side, num_slots):  # type: ignore[no-untyped-def]
    """The sums of the target, in the units of the pair."""
    _clear(side)
    size, sum_real, square, centres = side.size, side.real, side.square, side.centre
    shared, shared_real, product = side.shared, side.shared_real, side.product
    holders_at, holders, held, held_real = work.holders_at, work.holders, work.held, work.held_real
    real, units = work.real, work.unit
    for slot in range(num_slots):
        centre, unit, is_real = centres[slot], units[slot], real[slot]
        for k in range(holders_at[slot], holders_at[slot + 1]):
            member, value = holders[k], held[k]
            beside = member != 0 and centre != 0.0
            if is_real:
                part = _fraction(value * value * unit)
                held_real[k] = part
                sum_real[member] += part
                square[member] += value * value * unit
                if beside:
                    shared_real[member] += _with_centre(value, centre, part, unit)
                    product[member] += value * centre * unit
            else:
                size[member] += 1.0
                shared[member] += 1.0 if beside else 0.0


@inlined
def _add_candidate(row, entries, work, side, num_slots):  # type: ignore[no-untyped-def]
    """The sums of the candidate, and those of its members with the target's."""
    _clear(side)
    size, sum_real, square, centres = side.size, side.real, side.square, side.centre
    shared, shared_real, own_product = side.shared, side.shared_real, side.product
    holders_at, holders, held, held_real = work.holders_at, work.holders, work.held, work.held_real
    real, units, slots = work.real, work.unit, work.slots
    members, columns, values = entries.members, entries.columns, entries.values
    both, both_real, product = work.both, work.both_real, work.product
    both[:] = 0.0
    both_real[:] = 0.0
    product[:] = 0.0
    for entry in range(entries.at[row], entries.at[row + 1]):
        slot = slots[columns[entry]] - 1
        member, value, unit = members[entry], np.float64(values[entry]), units[slot]
        beside = member != 0 and centres[slot] != 0.0
        first, last = 0, 0
        if slot < num_slots:
            first, last = holders_at[slot], holders_at[slot + 1]
        if not real[slot]:
            size[member] += 1.0
            shared[member] += 1.0 if beside else 0.0
            for k in range(first, last):
                both[member, holders[k]] += 1.0
            continue
        part = _fraction(value * value * unit)
        sum_real[member] += part
        square[member] += value * value * unit
        if beside:
            shared_real[member] += _with_centre(value, centres[slot], part, unit)
            own_product[member] += value * centres[slot] * unit
        for k in range(first, last):
            apart = (value - held[k]) * (value - held[k]) * unit
            both_real[member, holders[k]] += part + held_real[k] - _fraction(apart)
            product[member, holders[k]] += value * held[k] * unit


@inlined
def _around_centre(side, num, num_real):  # type: ignore[no-untyped-def]
    """Mean similarity, mean squared distance and highest similarity of a centre's neighbours."""
    total, spread, most = 0.0, 0.0, 0.0
    for member in range(1, num):
        shared, sizes = side.shared[member], side.size[0] + side.size[member]
        alike = shared + num_real - side.real[0] - side.real[member] + side.shared_real[member]
        square = side.square[0] + side.square[member] - 2.0 * side.product[member]
        union = sizes - shared + num_real
        similar = alike / union if union > 0.0 else 0.0
        total += similar
        spread += sizes - 2.0 * shared + max(square, 0.0)
        most = max(most, similar)
    return total / max(1, num - 1), spread / max(1, num - 1), most


@inlined
def _compare(work, side_v, side_t, num_v, num_t, num_real):  # type: ignore[no-untyped-def]
    """Similarities and squared distances of all members of both sides."""
    both, both_real, product = work.both, work.both_real, work.product
    jaccard, squares = work.jaccard, work.squares
    size_v, real_v, square_v = side_v.size, side_v.real, side_v.square
    size_t, real_t, square_t = side_t.size, side_t.real, side_t.square
    for w in range(num_v):
        for u in range(num_t):
            common, sizes = both[w, u], size_v[w] + size_t[u]
            alike = common + num_real - real_v[w] - real_t[u] + both_real[w, u]
            square = square_v[w] + square_t[u] - 2.0 * product[w, u]
            union = sizes - common + num_real
            jaccard[w, u] = alike / union if union > 0.0 else 0.0
            squares[w, u] = sizes - 2.0 * common + max(square, 0.0)


@inlined
def _fill_shares(work, side_v, side_t, num_slots, used, num_v, num_t, line):  # type: ignore[no-untyped-def]
    """How far plain attributes are shared, all alike or by rarity; counts are of neighbours."""
    real, logs = work.real, work.logs
    counts_v, counts_t, centre_v, centre_t = (
        side_v.counts,
        side_t.counts,
        side_v.centre,
        side_t.centre,
    )
    some_v, some_t, whole = max(1, num_v), max(1, num_t), logs[num_v + num_t + 1]
    low, high, rare_low, rare_high = 0.0, 0.0, 0.0, 0.0
    t_n, rare_t_n, rare_t, v_n, rare_v_n, rare_v, rare_both = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for slot in range(used):
        if real[slot]:
            continue
        known = slot < num_slots
        count_v, count_t = counts_v[slot], counts_t[slot] if known else 0
        rarity = whole - logs[count_v + count_t]
        share_v, share_t = count_v / some_v, count_t / some_t
        less, more = min(share_v, share_t), max(share_v, share_t)
        low += less
        high += more
        rare_low += rarity * less
        rare_high += rarity * more
        of_t, of_v = known and centre_t[slot] != 0.0, centre_v[slot] != 0.0
        if of_t:
            t_n += share_v
            rare_t_n += rarity * share_v
            rare_t += rarity
        if of_v:
            v_n += share_t
            rare_v_n += rarity * share_t
            rare_v += rarity
        if of_t and of_v:
            rare_both += rarity
    line[AT.rare_v_t] = ratio(rare_both, rare_v + rare_t - rare_both)
    line[AT.n_n], line[AT.rare_n_n] = ratio(low, high), ratio(rare_low, rare_high)
    line[AT.t_n], line[AT.rare_t_n] = ratio(t_n, side_t.size[0]), ratio(rare_t_n, rare_t)
    line[AT.v_n], line[AT.rare_v_n] = ratio(v_n, side_v.size[0]), ratio(rare_v_n, rare_v)
