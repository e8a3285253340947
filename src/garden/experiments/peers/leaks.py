"""What a row gives away: attributes read back out of it, `garden peers leaks`.

The attacker knows the profiles and the rows of some agents, and the rows of all others: it learns
by ridge regression which rows go with which attributes, and guesses the attributes of the others.
Where a row holds the profile as it is, it reads.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from garden.errors import SpecError, expect_share
from garden.experiments.peers.cut import ready_contender
from garden.experiments.peers.report import PeerReport
from garden.graphs.graph import Graph
from garden.random_streams import LEAKING_NODES
from garden.search.rounds import representations_of
from garden.strategies.representations import Ragged, Representations
from garden.strategies.universal.policy import Universal

RAREST = 0.05  # attributes that fewer, or all but fewer, have are not guessed
PENALTIES = (1.0, 10.0, 100.0, 1_000.0)  # of the regression, chosen by validation
RESAMPLES = 2_000
LARGE_AUC = 0.9


@dataclass(frozen=True)
class LeakReport(PeerReport):
    """How well the attributes of agents are guessed from their rows."""

    graph: str
    strategy: str
    seed: int
    known: int
    """Agents whose profiles the attacker knows."""

    guessed: int
    attributes: int
    """Those that at least 5 % of the nodes have, and at most 95 %."""

    reads: bool
    """Whether the row holds the profile as it is, so that nothing has to be learned."""

    mean_auc: float
    """0.5 is chance."""

    mean_auc_ci: tuple[float, float]
    """From a bootstrap over attributes."""

    share_of_large_auc: float
    """The share of attributes whose AUC is at least 0.9."""

    mean_accuracy: float
    mean_base_accuracy: float
    """Of guessing what most known agents have."""

    worst: dict[str, float]
    """The AUC of the five attributes that are guessed best."""


def measure_leaks(
    graph: Graph, strategy: str = "beacons", known: float = 0.5, seed: int = 0
) -> LeakReport:
    """Guess the attributes of some agents from their rows.

    Args:
        graph: The graph, with attributes of 0 and 1.
        strategy: Whose rows are read.
        known: The share of agents whose profiles the attacker knows.
        seed: Which.
    """
    expect_share("known", known)
    table = graph.dense_attributes()
    if not np.isin(table, (0, 1)).all():
        raise SpecError(f"{graph.name} has attributes beyond yes and no: nothing to guess in them")
    shares = table.mean(axis=0)
    chosen = np.flatnonzero((shares >= RAREST) & (shares <= 1 - RAREST))
    order = np.random.default_rng([seed, LEAKING_NODES]).permutation(graph.num_nodes)
    learned, others = np.split(order, [round(known * graph.num_nodes)])
    if len(chosen) == 0 or min(len(learned), len(others)) < 2:
        raise SpecError(f"{graph.name}: too few attributes or nodes to guess from")
    contender = ready_contender(graph, strategy)
    rows = representations_of(graph, contender.strategy)
    reads = isinstance(contender.strategy, Universal)
    truth = table[:, chosen]
    if reads:
        guesses = _profiles_in(rows, table.shape[1])[others][:, chosen]
    else:
        guesses = _ridge_guesses(features_of(rows), truth, learned, others)
    aucs = np.array([_auc(guesses[:, one], truth[others, one]) for one in range(len(chosen))])
    sound = np.flatnonzero(~np.isnan(aucs))
    usual = truth[learned].mean(axis=0) > 0.5
    best = sound[np.argsort(-aucs[sound], kind="stable")][:5]
    return LeakReport(
        graph=graph.name,
        strategy=contender.label,
        seed=seed,
        known=len(learned),
        guessed=len(others),
        attributes=len(sound),
        reads=reads,
        mean_auc=float(aucs[sound].mean()),
        mean_auc_ci=_interval_of_mean(aucs[sound], seed),
        share_of_large_auc=float((aucs[sound] >= LARGE_AUC).mean()),
        mean_accuracy=float(((guesses > 0.5) == truth[others])[:, sound].mean()),
        mean_base_accuracy=float((usual == truth[others])[:, sound].mean()),
        worst={graph.attribute_names[chosen[one]]: float(aucs[one]) for one in best},
    )


def features_of(rows: Representations) -> np.ndarray:
    """What an attacker makes of rows: numbers as they are, keys as who is near, (num_rows, d).

    Args:
        rows: Of any strategy.
    """
    parts = [
        np.asarray(array, dtype=np.float64).reshape(len(rows), -1)
        for _, array in sorted(rows.arrays.items())
        if isinstance(array, np.ndarray) and array.dtype.kind == "f"
    ]
    far = rows.ragged.get("distances")
    for name, ragged in sorted(rows.ragged.items()):
        if ragged.values.dtype == np.uint64:
            near = 1 / (1.0 + far.values) if name == "keys" and far else np.ones(len(ragged.values))
            parts.append(_by_key(ragged, near, len(rows)))
        elif ragged.values.dtype.kind == "f" and ragged.values.ndim == 2:
            parts.append(_means(ragged, len(rows)))
    return np.concatenate(parts, axis=1)


def _by_key(ragged: Ragged, near: np.ndarray, num_rows: int) -> np.ndarray:
    """A column for each key that rows hold."""
    keys, column = np.unique(ragged.values, return_inverse=True)
    table = np.zeros((num_rows, len(keys)))
    table[ragged.owner, column] = near
    return table


def _means(ragged: Ragged, num_rows: int) -> np.ndarray:
    sums = np.zeros((num_rows, ragged.values.shape[1]))
    np.add.at(sums, ragged.owner, ragged.values)
    return sums / np.maximum(1, np.diff(ragged.offsets))[:, None]


def _profiles_in(rows: Representations, num_attributes: int) -> np.ndarray:
    """The profile of each row of `universal`: that of its first member, (num_rows, d)."""
    members, columns = rows.ragged["members"], rows.ragged["columns"]
    table = np.zeros((len(rows), num_attributes))
    for row in range(len(rows)):
        length = int(members.values[members.offsets[row], 0])
        start = columns.offsets[row]
        table[row, columns.values[start : start + length]] = 1
    return table


def _ridge_guesses(
    features: np.ndarray, truth: np.ndarray, learned: np.ndarray, others: np.ndarray
) -> np.ndarray:
    """A guess for each attribute of the others, (num_others, num_attributes)."""
    spread = features[learned].std(axis=0)
    scaled = (features - features[learned].mean(axis=0)) / np.where(spread > 1e-9, spread, np.inf)
    fit, check = np.split(learned, [round(0.75 * len(learned))])
    errors = [
        ((_ridge(scaled[fit], truth[fit], scaled[check], one) - truth[check]) ** 2).mean()
        for one in PENALTIES
    ]
    best = PENALTIES[int(np.argmin(errors))]
    return _ridge(scaled[learned], truth[learned], scaled[others], best)


def _ridge(
    features: np.ndarray, truth: np.ndarray, others: np.ndarray, penalty: float
) -> np.ndarray:
    """Ridge regression in its dual form: as many unknowns as known agents."""
    mean = truth.mean(axis=0)
    kernel = features @ features.T + penalty * np.eye(len(features))
    return mean + others @ (features.T @ np.linalg.solve(kernel, truth - mean))


def _auc(guesses: np.ndarray, truth: np.ndarray) -> float:
    """The chance that one who has the attribute is guessed above one who has not; NaN: no such."""
    have, have_not = guesses[truth > 0.5], guesses[truth <= 0.5]
    if len(have) == 0 or len(have_not) == 0:
        return float("nan")
    above = (have[:, None] > have_not[None]).mean()
    return float(above + 0.5 * (have[:, None] == have_not[None]).mean())


def _interval_of_mean(values: np.ndarray, seed: int) -> tuple[float, float]:
    rng = np.random.default_rng([seed, LEAKING_NODES, 1])
    means = rng.choice(values, (RESAMPLES, len(values))).mean(axis=1)
    low, high = np.percentile(means, (2.5, 97.5))
    return float(low), float(high)
