"""Options of evaluation, with one default each, and the limit of hops that `auto` stands for. ::

    T = 100                       where the longest distance D is at most 50,
    T = min(10 · D, 10,000)       where it is longer.

100 is the paper's limit. On graphs with longer distances a message could make no detour under it,
or not be delivered at all. The command line imports this module for its flags: NumPy stays out.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Literal, get_args

from garden.errors import SpecError, known_name

if TYPE_CHECKING:
    import numpy as np

    from garden.graphs.graph import Graph

MAX_HOPS = 1_000_000
MAX_PAIRS = 100_000_000

PAPERS_LIMIT = 100
FAR = 50  # the longest distance up to which the paper's limit serves
HOPS_PER_DISTANCE = 10
LARGEST_LIMIT = 10_000

MaxHops = int | Literal["auto"]
"""A limit of hops, or `auto`: it follows from the distances (:func:`limit_of`)."""

Evaluation = Literal["auto", "exact", "sampled"]
EvaluationSplit = Literal["test", "validation", "all"]
ExecutorName = Literal["process", "ray"]


@dataclass(frozen=True)
class EvaluationConfig:
    """How strategies are evaluated and compared."""

    split: EvaluationSplit = "test"
    """Whose targets to search for; `all` makes every node a target.

    Temperatures are tuned on validation targets, so `validation` and `all` show tuned strategies
    at their best.
    """

    all_pairs: bool = False
    """Every source with every target of the split, instead of the serialized pairs."""

    pairs: int | None = None
    """Play so many pairs: the first of the serialized ones, and where that is not enough, more
    drawn from the task's seed."""

    max_hops: MaxHops = "auto"
    """The hop at which an episode is truncated, T_max in the paper. `auto`: 100; where the longest
    distance of the pairs is above 50, ten times that distance, at most 10,000."""

    evaluation: Evaluation = "auto"
    """`exact` chains (memoryless strategies only), `sampled` walks, or whichever fits."""

    episodes_per_pair: int = 20
    """Walks of each pair where walks are sampled."""

    def __post_init__(self) -> None:
        check_max_hops(self.max_hops)
        _check_count("episodes_per_pair", self.episodes_per_pair)
        if self.pairs is not None:
            _check_count("pairs", self.pairs)
            if self.all_pairs:
                raise SpecError("all pairs and a number of pairs exclude each other: give one")
            if self.pairs > MAX_PAIRS:
                raise SpecError(f"pairs is {self.pairs}: at most {MAX_PAIRS:,} can be played")
        known_name("split", self.split, get_args(EvaluationSplit))
        known_name("evaluation", self.evaluation, get_args(Evaluation))


def check_max_hops(max_hops: object) -> None:
    """Refuse a limit that is neither `auto` nor a whole number from 1 to :data:`MAX_HOPS`."""
    if isinstance(max_hops, str):
        if max_hops != "auto":
            raise SpecError(f"max_hops is {max_hops!r}: it must be a whole number, or auto")
        return
    count = _check_count("max_hops", max_hops)
    if count > MAX_HOPS:
        raise SpecError(f"max_hops is {count}: at most {MAX_HOPS:,} hops can be played")


def limit_of(max_hops: MaxHops, longest: int) -> int:
    """The limit of hops as a number.

    Args:
        max_hops: A number, which comes back as it is, or `auto`.
        longest: The longest distance that a message has to travel.
    """
    if isinstance(max_hops, str):
        return PAPERS_LIMIT if longest <= FAR else min(HOPS_PER_DISTANCE * longest, LARGEST_LIMIT)
    return int(max_hops)


def limit_towards(max_hops: MaxHops, graph: Graph, targets: np.ndarray) -> int:
    """The same where messages go from all sources to these targets.

    Args:
        max_hops: A number, which comes back as it is, or `auto`.
        graph: Where distances are measured, if they are needed.
        targets: Positions of the targets, (num_targets,).
    """
    if not isinstance(max_hops, str):
        return int(max_hops)
    from garden.graphs.distances import longest_distance

    # No two nodes are further apart than twice the longest distance of any one of them.
    if 2 * longest_distance(graph, targets[:1]) <= FAR:
        return PAPERS_LIMIT
    return limit_of(max_hops, longest_distance(graph, targets))


def _check_count(name: str, count: object) -> int:
    if isinstance(count, bool) or not isinstance(count, Integral) or count < 1:
        raise SpecError(f"{name} is {count!r}: it must be a whole number, at least 1")
    return int(count)
