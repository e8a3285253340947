"""How alike two ego graphs are, in numbers that depend neither on which attribute is which nor on
any unit, nor on anything but the two of them.

A candidate v with neighbours w and a target t with neighbours u are compared by keys (who can be
whom), by the Jaccard similarity of profiles, by their distance in units of what the two ego graphs
show, by shares of attributes, rare ones counting more, and by shape. Entries that are neither 0 nor
1 make a column real in the eyes of both; there, each difference is measured against the spread of
the two ego graphs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from garden.strategies.base import Representations
from garden.strategies.universal.rows import LikenessRows, rows_of

LEAST_SPREAD = 0.1  # in attributes: below it, ego graphs of equal profiles would divide by nought
LEAST_SQUARE = 1e-9  # of the spread in a real column

FACTS = (
    "own",  # v's profile is t's
    "same",  # and the bags of the neighbours' profiles are equal
    "seen_log",  # log(1 + neighbours of v with t's profile)
    "seen",  # whether there is one
    "beside",  # v's profile is that of a neighbour of t
    "linked",  # seen and beside
    "sure",  # and both see the same common neighbours over that link
    "common_log",  # log(1 + members of v's ego graph with the profile of a neighbour of t)
    "common_of_target",  # the same by the degree of t
    "common_of_candidate",  # and by the size of v's ego graph
    "wanted",  # share of t's neighbours whose profile a neighbour of v has
    "likely",  # the same, less where several share that profile
    "copies",  # log(1 + neighbours of t with t's profile)
    "blank_target",  # t has no attributes at all
    "blank_candidate",
)
JACCARD = (
    "v_t", "w_t_mean", "w_t_max", "v_u_mean", "v_u_max", "w_u_mean", "w_u_max",
    "u_to_v", "w_to_t",  # mean over u of the most similar member of v's ego graph; and back
    "t_u_mean", "t_u_max", "v_w_mean",
    "v_t_4", "w_t_4", "v_u_4", "w_u_4", "u_to_v_4",  # means of fourth powers
)  # fmt: skip
DISTANCES = (
    "far_v_t", "far_w_t_min", "far_w_t_mean", "far_v_u_min", "far_v_u_mean", "far_w_u_min",
    "far_w_u_mean", "far_u_to_v", "far_w_to_t",
    "far_relative",  # v – t beside the spread around t
)  # fmt: skip
SHARES = (
    "rare_v_t", "n_n", "rare_n_n",  # weighted Jaccard of centres; of shares among neighbours
    "t_n", "rare_t_n", "v_n", "rare_v_n",  # share of neighbours that have what a centre has
)  # fmt: skip
SHAPES = (
    "degree", "closed", "effective", "groups", "largest", "alone", "concentration",
    "degree_t", "closed_t", "groups_t", "concentration_t",
)  # fmt: skip
LIKENESS = (*FACTS, *JACCARD, *DISTANCES, *SHARES, *SHAPES, "real")
NUM_LIKENESS = len(LIKENESS)
SHAPES_OF_TARGET = (0, 1, 3, 6)  # columns of `shape` that describe the target


def likeness_of(
    candidates: Representations, targets: Representations, pairs: np.ndarray
) -> np.ndarray:
    """How alike pairs (candidate, target) of rows are, (num_pairs, NUM_LIKENESS) float32.

    It is quickest where pairs of one target stand together.
    """
    rows, goals = rows_of(candidates), rows_of(targets)
    pairs = np.asarray(pairs, dtype=np.int64)
    likeness = np.empty((len(pairs), NUM_LIKENESS), dtype=np.float32)
    try:
        from garden.strategies.universal.kernel import fill_likeness
    except ImportError:  # no numba on this machine
        for number, (candidate, goal) in enumerate(pairs):
            likeness[number] = plain_likeness(rows, goals, int(candidate), int(goal))
        return likeness
    fill_likeness(rows, goals, pairs, num_columns_of(rows, goals), likeness)
    return likeness


def num_columns_of(*several: LikenessRows) -> int:
    """One more than the highest column that any of them names."""
    named = [part for rows in several for part in (rows.columns, rows.real_columns)]
    return 1 + max((int(part.max()) for part in named if len(part)), default=0)


@dataclass(frozen=True)
class _Side:
    """One ego graph of a pair, spelled out: members are rows, the centre first."""

    own: np.uint64
    bag: np.uint64
    neighbours: np.ndarray
    signatures: np.ndarray
    has: np.ndarray  # (num_members, num_columns) bool
    values: np.ndarray  # (num_members, num_columns) float64
    shape: np.ndarray


def plain_likeness(rows: LikenessRows, goals: LikenessRows, row: int, goal: int) -> np.ndarray:
    """The definition of the compiled kernel, for one pair, (NUM_LIKENESS,) float64."""
    width = num_columns_of(rows, goals)
    v, t = _side(rows, row, width), _side(goals, goal, width)
    real = np.zeros(width, dtype=bool)
    real[_row(goals.real_columns, goals.real_columns_at, goal)] = True
    real[_row(rows.real_columns, rows.real_columns_at, row)] = True
    blank = [float(not (side.has[0, ~real].any() or real.any())) for side in (t, v)]
    spread = _real_spread(v.values[:, real], t.values[:, real])

    def compared(one: _Side, other: _Side) -> tuple[np.ndarray, np.ndarray]:
        return _compared(one, other, real, spread)

    jaccard, squares = compared(v, t)
    around_t, squares_t = (table[0, 1:] for table in compared(t, t))
    around_v, squares_v = (table[0, 1:] for table in compared(v, v))
    unit = 0.5 * (_mean(squares_v) + _mean(squares_t)) + LEAST_SPREAD
    return np.concatenate(
        [
            _facts(v, t),
            blank,
            _similarities(jaccard, around_t, around_v),
            _distances(squares / unit),
            [np.log1p(squares[0, 0]) - np.log1p(_mean(squares_t) + LEAST_SPREAD)],
            _shares(v.has[:, ~real], t.has[:, ~real]),
            v.shape,
            t.shape[list(SHAPES_OF_TARGET)],
            [float(real.any())],
        ]
    )


def _row(values: np.ndarray, offsets: np.ndarray, row: int) -> np.ndarray:
    return values[offsets[row] : offsets[row + 1]]


def _side(rows: LikenessRows, row: int, width: int) -> _Side:
    lengths = _row(rows.members, rows.members_at, row)[:, 0]
    has = np.zeros((len(lengths), width), dtype=bool)
    member = np.repeat(np.arange(len(lengths)), lengths)
    has[member, _row(rows.columns, rows.columns_at, row)] = True
    values = has.astype(np.float64)
    columns = _row(rows.real_columns, rows.real_columns_at, row)
    numbers = _row(rows.real_values, rows.real_values_at, row)
    values[:, columns] = numbers.reshape(len(lengths), len(columns))
    return _Side(
        rows.own[row],
        rows.bag[row],
        _row(rows.neighbours, rows.neighbours_at, row),
        _row(rows.signatures, rows.neighbours_at, row),
        has,
        values,
        rows.shape[row],
    )


def _real_spread(v: np.ndarray, t: np.ndarray) -> np.ndarray:
    """The mean square difference of neighbours from their centre in each real column."""
    squares = np.concatenate([(v[1:] - v[0]) ** 2, (t[1:] - t[0]) ** 2])
    return squares.sum(axis=0) / max(1, len(squares)) + LEAST_SQUARE


def _compared(
    one: _Side, other: _Side, real: np.ndarray, spread: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Jaccard similarities and squared distances of all members, (members of one, of other).

    A real column counts as shared by 1 / (1 + squared difference), in units of the spread.
    """
    a, b = one.has[:, ~real].astype(float), other.has[:, ~real].astype(float)
    both, sizes = a @ b.T, a.sum(axis=1)[:, None] + b.sum(axis=1)[None, :]
    difference = one.values[:, None, real] - other.values[None, :, real]
    square = difference**2 / spread
    union = sizes - both + real.sum()
    alike = both + (1 / (1 + square)).sum(axis=2)
    jaccard = np.divide(alike, union, out=np.zeros_like(alike), where=union > 0)
    return jaccard, sizes - 2 * both + square.sum(axis=2)


def _facts(v: _Side, t: _Side) -> list[float]:
    """The facts by keys, all but the two that speak of blank profiles."""
    own, degree = v.own == t.own, max(1, len(t.neighbours))
    to_t, to_v = v.neighbours == t.own, t.neighbours == v.own
    seen, beside = to_t.sum(), bool(to_v.any())
    sure = bool(np.isin(v.signatures[to_t], t.signatures[to_v]).any())
    keys, times = np.unique(v.neighbours, return_counts=True)
    others, other_times = np.unique(t.neighbours, return_counts=True)
    _, here, there = np.intersect1d(keys, others, return_indices=True)
    mine, theirs = times[here], other_times[there]
    common = mine.sum() + beside
    likely = (np.minimum(mine, theirs) / np.maximum(mine, theirs)).sum()
    return [
        float(own),
        float(own and v.bag == t.bag),
        float(np.log1p(seen)),
        float(seen > 0),
        float(beside),
        float(beside and seen > 0),
        float(sure),
        float(np.log1p(common)),
        common / degree,
        common / (len(v.neighbours) + 1),
        theirs.sum() / degree,
        likely / degree,
        float(np.log1p((t.neighbours == t.own).sum())),
    ]


def _similarities(jaccard: np.ndarray, around_t: np.ndarray, around_v: np.ndarray) -> list[float]:
    """Pooled Jaccard similarities, in the order of their names."""
    w_t, v_u, w_u = jaccard[1:, 0], jaccard[0, 1:], jaccard[1:, 1:]
    nearest = jaccard[:, 1:].max(axis=0)  # the member of v's ego graph most like each u
    return [
        jaccard[0, 0], _mean(w_t), _max(w_t), _mean(v_u), _max(v_u), _mean(w_u), _max(nearest),
        _mean(nearest), _mean(jaccard[1:].max(axis=1)),
        _mean(around_t), _max(around_t), _mean(around_v),
        jaccard[0, 0] ** 4, _mean(w_t**4), _mean(v_u**4), _mean(w_u**4), _mean(nearest**4),
    ]  # fmt: skip


def _distances(squares: np.ndarray) -> list[float]:
    """Pooled distances: logarithms of one plus squares in units of the spread."""
    w_t, v_u, w_u = squares[1:, 0], squares[0, 1:], squares[1:, 1:]
    nearest = squares[:, 1:].min(axis=0)
    pooled = [squares[0, 0], _min(w_t), _mean(w_t), _min(v_u), _mean(v_u), _min(nearest)]
    return [
        *np.log1p([*pooled, _mean(w_u)]).tolist(),
        _mean(np.log1p(nearest)),
        _mean(np.log1p(squares[1:].min(axis=1))),
    ]


def _shares(v: np.ndarray, t: np.ndarray) -> list[float]:
    """How far attributes are shared, all counting alike or the rarer ones more.

    An attribute weighs log(N / (1 + n)), where n of the N - 2 neighbours shown have it.
    """
    num_v, num_t = len(v) - 1, len(t) - 1
    count_v, count_t = v[1:].sum(axis=0), t[1:].sum(axis=0)
    rarity = np.log((num_v + num_t + 2) / (count_v + count_t + 1))
    share_v, share_t = count_v / max(1, num_v), count_t / max(1, num_t)
    low, high = np.minimum(share_v, share_t), np.maximum(share_v, share_t)
    return [
        _ratio(rarity[v[0] & t[0]].sum(), rarity[v[0] | t[0]].sum()),
        _ratio(low.sum(), high.sum()),
        _ratio((rarity * low).sum(), (rarity * high).sum()),
        _ratio(share_v[t[0]].sum(), t[0].sum()),
        _ratio((rarity * share_v)[t[0]].sum(), rarity[t[0]].sum()),
        _ratio(share_t[v[0]].sum(), v[0].sum()),
        _ratio((rarity * share_t)[v[0]].sum(), rarity[v[0]].sum()),
    ]


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if values.size else 0.0


def _max(values: np.ndarray) -> float:
    return float(values.max(initial=0.0))


def _min(values: np.ndarray) -> float:
    return float(values.min()) if values.size else 0.0


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole > 1e-9 else 0.0
