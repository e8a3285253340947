"""What :mod:`garden.strategies.universal.sparse_kernel` reads and works on.

Importing this module needs numba.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from garden.compiled import compiled, inlined
from garden.strategies.universal.member_kernels import MOST


class Entries(NamedTuple):
    """The entries of some rows that are not 0, member by member, the centre first."""

    at: np.ndarray  # (num_rows + 1,) int64 offsets
    members: np.ndarray  # int32
    columns: np.ndarray  # int32
    values: np.ndarray  # float32


class Side(NamedTuple):
    """What is added up for one ego graph of a pair."""

    centre: np.ndarray  # (num_slots,) the centre's value in each column
    counts: np.ndarray  # (num_slots,) int64: neighbours that have the column
    spread: np.ndarray  # (num_slots,) Σ (value − centre's)² over those
    size: np.ndarray  # (MOST,) plain attributes of each member
    real: np.ndarray  # (MOST,) Σ f(q)
    square: np.ndarray  # (MOST,) Σ q
    shared: np.ndarray  # (MOST,) plain attributes that a neighbour shares with the centre
    shared_real: np.ndarray  # (MOST,) the last sum of the module's formula, with the centre
    product: np.ndarray  # (MOST,) Σ of products with the centre's values over the spread


class SparseWork(NamedTuple):
    """Arrays that one call uses for all of its pairs; a slot numbers a column of the pair."""

    slots: np.ndarray  # (num_columns,) int32: one more than the slot of a column, or 0
    named: np.ndarray  # (num_slots,) int32: the column of each slot
    real: np.ndarray  # (num_slots,) bool: whether it is real for the pair
    real_t: np.ndarray  # (num_slots,) bool: whether the target alone makes it so
    unit: np.ndarray  # (num_slots,) one over the spread s
    holders_at: np.ndarray  # (num_slots + 1,) int64: members of the target that have a column
    holders: np.ndarray  # int32
    held: np.ndarray  # float64: their values
    held_real: np.ndarray  # float64: f(q) of those
    both: np.ndarray  # (MOST, MOST) plain attributes that two members share
    both_real: np.ndarray  # (MOST, MOST) the last sum of the module's formula
    product: np.ndarray  # (MOST, MOST) Σ of products of values over the spread
    jaccard: np.ndarray  # (MOST, MOST)
    squares: np.ndarray  # (MOST, MOST)
    nearest: np.ndarray  # (MOST,)
    far_nearest: np.ndarray  # (MOST,)
    logs: np.ndarray  # (2 · MOST,): log(1), log(2), …


@compiled()
def entries_of(rows):  # type: ignore[no-untyped-def]
    """What is not 0 in some :class:`FeatureRows`, plain and real-valued columns merged."""
    num_rows, size = len(rows.own), len(rows.columns) + len(rows.real_values)
    at = np.zeros(num_rows + 1, dtype=np.int64)
    members, columns = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32)
    values = np.empty(size, dtype=np.float32)
    plain, real_columns, places = rows.columns, rows.real_columns, rows.real_places
    real_values, sizes = rows.real_values, rows.members
    count = 0
    for row in range(num_rows):
        k, real_at, stop = (
            rows.columns_at[row],
            rows.real_values_at[row],
            rows.real_values_at[row + 1],
        )
        first, start = rows.members_at[row], rows.real_columns_at[row]
        num_real = rows.real_columns_at[row + 1] - start
        for member in range(rows.members_at[row + 1] - first):
            for _ in range(sizes[first + member, 0]):
                members[count], columns[count], values[count] = member, plain[k], 1.0
                k += 1
                count += 1
            while real_at < stop and places[real_at] < (member + 1) * num_real:
                column = real_columns[start + places[real_at] - member * num_real]
                members[count], columns[count], values[count] = member, column, real_values[real_at]
                real_at += 1
                count += 1
        at[row + 1] = count
    return Entries(at, members, columns, values)


@inlined
def new_work(num_columns, room):  # type: ignore[no-untyped-def]
    """Arrays for the pairs of one call.

    Args:
        num_columns: One more than the highest attribute column.
        room: The most slots that a pair uses.
    """
    return SparseWork(
        np.zeros(num_columns, dtype=np.int32),
        np.empty(room, dtype=np.int32),
        np.empty(room, dtype=np.bool_),
        np.empty(room, dtype=np.bool_),
        np.empty(room),
        np.zeros(room + 1, dtype=np.int64),
        np.empty(room, dtype=np.int32),
        np.empty(room),
        np.empty(room),
        np.empty((MOST, MOST)),
        np.empty((MOST, MOST)),
        np.empty((MOST, MOST)),
        np.empty((MOST, MOST)),
        np.empty((MOST, MOST)),
        np.empty(MOST),
        np.empty(MOST),
        np.log(np.arange(1, 2 * MOST + 1)),
    )


@inlined
def new_side(room):  # type: ignore[no-untyped-def]
    """Room for so many slots of a pair."""
    return Side(
        np.empty(room),
        np.empty(room, dtype=np.int64),
        np.empty(room),
        np.empty(MOST),
        np.empty(MOST),
        np.empty(MOST),
        np.empty(MOST),
        np.empty(MOST),
        np.empty(MOST),
    )
