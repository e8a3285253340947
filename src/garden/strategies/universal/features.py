"""Pairwise features: two ego graphs compared in numbers that do not depend on which attribute is
which, nor on any unit, nor on anything but the two of them.

A candidate v with neighbours w is compared with a target t with neighbours u: by profile keys (who
may be whom), by the Jaccard similarity of profiles, by their distance in units of the spread within
the two ego graphs, by shares of attributes, rare ones counting more, and by the shape of the two.
An entry that is neither 0 nor 1 in either ego graph makes its column *real* for the pair.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from garden.strategies.universal.representation import SHAPE, FeatureRows

LEAST_SPREAD = 0.1  # in attributes: keeps ego graphs of equal profiles from a division by zero
LEAST_SQUARE = 1e-9  # of the spread in a real column
MAX_DIRECT = 1000.0  # of the feature `direct`


class FeatureColumns(NamedTuple):
    """The column of each feature of a pair; :data:`AT` holds the numbers.

    In the names, v is the candidate, w its neighbours, t the target and u its neighbours; ``x_y``
    compares x with y; ``_mean``, ``_max`` and ``_min`` pool over the members named; ``_4`` is a
    mean of fourth powers; ``x_to_y`` is the mean over x of the best match in the ego graph of y.

    Jaccard similarity, with R the real columns and δ a difference over the spread of its column:
    J(a, b) = (#(a ∩ b) + Σ_R 1 / (1 + δ²)) / (#(a ∪ b) + #R).

    Distance: D(a, b) = log(1 + (#(a △ b) + Σ_R δ²) / (s + 0.1)), with s the mean of the squared
    distances between the two centres and their own neighbours.

    Rarity of an attribute: log(N / (1 + n)), where n of the N − 2 neighbours of v and t have it.
    """

    # Match indicators: by equal profile keys.
    own: int  # v's profile is t's
    same: int  # and the multisets of the neighbours' profiles are equal
    seen_log: int  # log(1 + neighbours of v with t's profile)
    seen: int  # whether there is one
    beside: int  # v's profile is that of a neighbour of t
    linked: int  # seen and beside
    same_link: int  # and the common neighbours on both ends of that link are equal
    common_log: int  # log(1 + members of v's ego graph with the profile of a neighbour of t)
    common_of_target: int  # their number over the degree of t
    common_of_candidate: int  # and over the size of v's ego graph
    covered: int  # share of t's neighbours whose profile a neighbour of v has
    covered_discounted: int  # the same, each profile by min(counts) / max(counts) of both sides
    copies: int  # log(1 + neighbours of t with t's profile)
    blank_target: int  # t has no attributes at all
    blank_candidate: int
    # Jaccard similarities of profiles.
    v_t: int
    w_t_mean: int
    w_t_max: int
    v_u_mean: int
    v_u_max: int
    w_u_mean: int
    w_u_max: int
    u_to_v: int
    w_to_t: int
    t_u_mean: int
    t_u_max: int
    v_w_mean: int
    v_t_4: int
    w_t_4: int
    v_u_4: int
    w_u_4: int
    u_to_v_4: int
    # Distances of profiles.
    far_v_t: int
    far_w_t_min: int
    far_w_t_mean: int
    far_v_u_min: int
    far_v_u_mean: int
    far_w_u_min: int
    far_w_u_mean: int
    far_u_to_v: int
    far_w_to_t: int
    far_relative: int  # log(1 + |v − t|²) − log(1 + spread around t)
    # Shares of attributes; n stands for the neighbours of both, `rare_` weighs by rarity.
    rare_v_t: int  # weighted Jaccard similarity of the centres
    n_n: int  # Σ min / Σ max of the shares of neighbours that have each attribute
    rare_n_n: int
    t_n: int  # mean share of v's neighbours that have an attribute of t
    rare_t_n: int
    v_n: int  # mean share of t's neighbours that have an attribute of v
    rare_v_n: int
    # Shapes of the ego graphs of v and, where `_t`, of t (see `rows.ShapeColumns`).
    degree: int
    clustering: int
    effective_size: int
    components: int
    largest_component: int
    isolated: int
    concentration: int
    distinct: int
    alike: int
    blank: int
    degree_t: int
    clustering_t: int
    components_t: int
    concentration_t: int
    distinct_t: int
    alike_t: int
    blank_t: int
    # By raw differences, as `greedy` goes, in units of what t alone shows.
    direct: int  # |v − t| over the root of t's `spread`, at most MAX_DIRECT
    direct_log: int  # log(1 + its square)
    real: int  # 1 where any column is real for the pair


PAIR_FEATURES = FeatureColumns._fields
NUM_FEATURES = len(PAIR_FEATURES)
AT = FeatureColumns(*range(NUM_FEATURES))
CANDIDATE_SHAPE = SHAPE._fields[: SHAPE.spread]
TARGET_SHAPE = tuple(name for name in SHAPE._fields if f"{name}_t" in PAIR_FEATURES)


def num_columns_of(*several: FeatureRows) -> int:
    """One more than the highest attribute column that any of these rows names."""
    named = [part for rows in several for part in (rows.columns, rows.real_columns)]
    return 1 + max((int(part.max()) for part in named if len(part)), default=0)


@dataclass(frozen=True)
class _Side:
    """One ego graph of a pair in dense form: members are rows, the centre first."""

    own: np.uint64
    bag: np.uint64
    neighbours: np.ndarray
    signatures: np.ndarray
    has: np.ndarray  # (num_members, num_columns) bool
    values: np.ndarray  # (num_members, num_columns) float64
    shape: np.ndarray


def plain_pair_features(
    rows: FeatureRows, targets: FeatureRows, row: int, target: int
) -> np.ndarray:
    """The definition of the features, in NumPy, which the compiled kernel equals.

    Args:
        rows: Rows of candidates.
        targets: Rows of targets.
        row: The candidate's row.
        target: The target's row.

    Returns:
        (NUM_FEATURES,) float64.

    """
    width = num_columns_of(rows, targets)
    v, t = _side(rows, row, width), _side(targets, target, width)
    real = np.zeros(width, dtype=bool)
    real[_row(targets.real_columns, targets.real_columns_at, target)] = True
    real[_row(rows.real_columns, rows.real_columns_at, row)] = True
    spread = _real_spread(v.values[:, real], t.values[:, real])

    def compared(one: _Side, other: _Side) -> tuple[np.ndarray, np.ndarray]:
        return _compared(one, other, real, spread)

    jaccard, squares = compared(v, t)
    around_t, squares_t = (table[0, 1:] for table in compared(t, t))
    around_v, squares_v = (table[0, 1:] for table in compared(v, v))
    unit = 0.5 * (_mean(squares_v) + _mean(squares_t)) + LEAST_SPREAD
    features = {
        **_match_indicators(v, t),
        "blank_target": not (t.has[0, ~real].any() or real.any()),
        "blank_candidate": not (v.has[0, ~real].any() or real.any()),
        **_similarities(jaccard, around_t, around_v),
        **_distances(squares / unit),
        "far_relative": np.log1p(squares[0, 0]) - np.log1p(_mean(squares_t) + LEAST_SPREAD),
        **_shares(v.has[:, ~real], t.has[:, ~real]),
        **dict(zip(CANDIDATE_SHAPE, v.shape, strict=False)),
        **{f"{name}_t": t.shape[getattr(SHAPE, name)] for name in TARGET_SHAPE},
        **_direct(v, t),
        "real": real.any(),
    }
    return np.array([features[name] for name in PAIR_FEATURES], dtype=np.float64)


def _direct(v: _Side, t: _Side) -> dict[str, float]:
    """The features that go by raw differences."""
    square = float(((v.values[0] - t.values[0]) ** 2).sum())
    square /= float(t.shape[SHAPE.spread]) + LEAST_SQUARE
    square = min(square, MAX_DIRECT**2)
    return {"direct": math.sqrt(square), "direct_log": math.log1p(square)}


def _row(values: np.ndarray, offsets: np.ndarray, row: int) -> np.ndarray:
    return values[offsets[row] : offsets[row + 1]]


def _side(rows: FeatureRows, row: int, width: int) -> _Side:
    lengths = _row(rows.members, rows.members_at, row)[:, 0]
    has = np.zeros((len(lengths), width), dtype=bool)
    member = np.repeat(np.arange(len(lengths)), lengths)
    has[member, _row(rows.columns, rows.columns_at, row)] = True
    values = has.astype(np.float64)
    columns = _row(rows.real_columns, rows.real_columns_at, row)
    numbers = np.zeros((len(lengths), len(columns)))
    places = _row(rows.real_places, rows.real_values_at, row)
    numbers.ravel()[places] = _row(rows.real_values, rows.real_values_at, row)
    values[:, columns] = numbers
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
    """Jaccard similarities and squared distances of all members, (members of one, of other)."""
    a, b = one.has[:, ~real].astype(float), other.has[:, ~real].astype(float)
    both, sizes = a @ b.T, a.sum(axis=1)[:, None] + b.sum(axis=1)[None, :]
    difference = one.values[:, None, real] - other.values[None, :, real]
    square = difference**2 / spread
    union = sizes - both + real.sum()
    alike = both + (1 / (1 + square)).sum(axis=2)
    jaccard = np.divide(alike, union, out=np.zeros_like(alike), where=union > 0)
    return jaccard, sizes - 2 * both + square.sum(axis=2)


def _match_indicators(v: _Side, t: _Side) -> dict[str, float]:
    """What equal keys show, all but the two features of blank profiles."""
    own, degree = v.own == t.own, max(1, len(t.neighbours))
    to_t, to_v = v.neighbours == t.own, t.neighbours == v.own
    seen, beside = to_t.sum(), bool(to_v.any())
    keys, times = np.unique(v.neighbours, return_counts=True)
    others, other_times = np.unique(t.neighbours, return_counts=True)
    _, here, there = np.intersect1d(keys, others, return_indices=True)
    mine, theirs = times[here], other_times[there]
    common = mine.sum() + beside
    return {
        "own": own,
        "same": own and v.bag == t.bag,
        "seen_log": np.log1p(seen),
        "seen": seen > 0,
        "beside": beside,
        "linked": beside and seen > 0,
        "same_link": np.isin(v.signatures[to_t], t.signatures[to_v]).any(),
        "common_log": np.log1p(common),
        "common_of_target": common / degree,
        "common_of_candidate": common / (len(v.neighbours) + 1),
        "covered": theirs.sum() / degree,
        "covered_discounted": (np.minimum(mine, theirs) / np.maximum(mine, theirs)).sum() / degree,
        "copies": np.log1p((t.neighbours == t.own).sum()),
    }


def _similarities(
    jaccard: np.ndarray, around_t: np.ndarray, around_v: np.ndarray
) -> dict[str, float]:
    """Pooled Jaccard similarities of members of v (rows) and of t (columns), centres first."""
    w_t, v_u, w_u = jaccard[1:, 0], jaccard[0, 1:], jaccard[1:, 1:]
    nearest = jaccard[:, 1:].max(axis=0)  # the member of v's ego graph most like each u
    return {
        "v_t": jaccard[0, 0], "w_t_mean": _mean(w_t), "w_t_max": _max(w_t),
        "v_u_mean": _mean(v_u), "v_u_max": _max(v_u),
        "w_u_mean": _mean(w_u), "w_u_max": _max(nearest),
        "u_to_v": _mean(nearest), "w_to_t": _mean(jaccard[1:].max(axis=1)),
        "t_u_mean": _mean(around_t), "t_u_max": _max(around_t), "v_w_mean": _mean(around_v),
        "v_t_4": jaccard[0, 0] ** 4, "w_t_4": _mean(w_t**4), "v_u_4": _mean(v_u**4),
        "w_u_4": _mean(w_u**4), "u_to_v_4": _mean(nearest**4),
    }  # fmt: skip


def _distances(squares: np.ndarray) -> dict[str, float]:
    """Pooled distances: logarithms of one plus squares in units of the spread."""
    w_t, v_u, w_u = squares[1:, 0], squares[0, 1:], squares[1:, 1:]
    nearest = squares[:, 1:].min(axis=0)
    return {
        "far_v_t": np.log1p(squares[0, 0]),
        "far_w_t_min": np.log1p(_min(w_t)),
        "far_w_t_mean": np.log1p(_mean(w_t)),
        "far_v_u_min": np.log1p(_min(v_u)),
        "far_v_u_mean": np.log1p(_mean(v_u)),
        "far_w_u_min": np.log1p(_min(nearest)),
        "far_w_u_mean": np.log1p(_mean(w_u)),
        "far_u_to_v": _mean(np.log1p(nearest)),
        "far_w_to_t": _mean(np.log1p(squares[1:].min(axis=1))),
    }


def _shares(v: np.ndarray, t: np.ndarray) -> dict[str, float]:
    """How far attributes are shared, all counting alike or the rarer ones more."""
    num_v, num_t = len(v) - 1, len(t) - 1
    count_v, count_t = v[1:].sum(axis=0), t[1:].sum(axis=0)
    rarity = np.log((num_v + num_t + 2) / (count_v + count_t + 1))
    share_v, share_t = count_v / max(1, num_v), count_t / max(1, num_t)
    low, high = np.minimum(share_v, share_t), np.maximum(share_v, share_t)
    return {
        "rare_v_t": _ratio(rarity[v[0] & t[0]].sum(), rarity[v[0] | t[0]].sum()),
        "n_n": _ratio(low.sum(), high.sum()),
        "rare_n_n": _ratio((rarity * low).sum(), (rarity * high).sum()),
        "t_n": _ratio(share_v[t[0]].sum(), t[0].sum()),
        "rare_t_n": _ratio((rarity * share_v)[t[0]].sum(), rarity[t[0]].sum()),
        "v_n": _ratio(share_t[v[0]].sum(), v[0].sum()),
        "rare_v_n": _ratio((rarity * share_t)[v[0]].sum(), rarity[v[0]].sum()),
    }


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if values.size else 0.0


def _max(values: np.ndarray) -> float:
    return float(values.max(initial=0.0))


def _min(values: np.ndarray) -> float:
    return float(values.min()) if values.size else 0.0


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole > 1e-9 else 0.0
