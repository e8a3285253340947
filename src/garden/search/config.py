"""Options of evaluation, with one default each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from garden.errors import SpecError

Evaluation = Literal["auto", "exact", "sampled"]
EvaluationSplit = Literal["test", "validation", "all"]


@dataclass(frozen=True)
class EvaluationConfig:
    """How strategies are evaluated and compared."""

    split: EvaluationSplit = "test"
    """Whose targets to search for; `all` makes every node a target."""

    all_pairs: bool = False
    """Every source with every target of the split, instead of the serialized pairs."""

    max_hops: int = 100
    """The hop at which an episode is truncated, T_max in the paper."""

    evaluation: Evaluation = "auto"
    """`exact` chains (memoryless strategies only), `sampled` walks, or whichever fits."""

    episodes_per_pair: int = 20
    """Walks of each pair where walks are sampled."""

    def __post_init__(self) -> None:
        if self.max_hops < 1:
            raise SpecError(f"max_hops is {self.max_hops}: at least 1 hop must be allowed")
        if self.episodes_per_pair < 1:
            raise SpecError(f"episodes_per_pair is {self.episodes_per_pair}: at least 1 is needed")
        for value, kind in ((self.split, EvaluationSplit), (self.evaluation, Evaluation)):
            if value not in get_args(kind):
                raise SpecError(f"unknown {value!r}: choose from {', '.join(get_args(kind))}")
