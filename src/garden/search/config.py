"""Options of evaluation, with one default each."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Literal, get_args

from garden.errors import SpecError

MAX_HOPS = 1_000_000

Evaluation = Literal["auto", "exact", "sampled"]
EvaluationSplit = Literal["test", "validation", "all"]


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

    max_hops: int = 100
    """The hop at which an episode is truncated, T_max in the paper."""

    evaluation: Evaluation = "auto"
    """`exact` chains (memoryless strategies only), `sampled` walks, or whichever fits."""

    episodes_per_pair: int = 20
    """Walks of each pair where walks are sampled."""

    def __post_init__(self) -> None:
        for name in ("max_hops", "episodes_per_pair"):
            count = getattr(self, name)
            if isinstance(count, bool) or not isinstance(count, Integral) or count < 1:
                raise SpecError(f"{name} is {count!r}: it must be a whole number, at least 1")
        if self.max_hops > MAX_HOPS:
            raise SpecError(f"max_hops is {self.max_hops}: at most {MAX_HOPS:,} hops can be played")
        for value, kind in ((self.split, EvaluationSplit), (self.evaluation, Evaluation)):
            if value not in get_args(kind):
                raise SpecError(f"unknown {value!r}: choose from {', '.join(get_args(kind))}")
