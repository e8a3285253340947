"""What reports of trials share: their fields as JSON, and what they say of how messages ended."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class PeerReport:
    """What was measured; each report adds its fields."""

    def to_json(self) -> dict[str, Any]:
        """Every field by its name, as JSON can hold it."""
        return asdict(self)


def endings_in_numbers(ended: Sequence[Any], num_messages: int) -> dict[str, Any]:
    """The fields of a report that say how messages ended.

    Args:
        ended: Of each message that has ended, what :class:`garden.peers.actions.Ended` tells.
        num_messages: How many there are, those that have not ended included.
    """
    kinds = Counter(one.ending for one in ended)
    arrived = [one for one in ended if one.ending == "delivered"]
    return {
        "delivered": len(arrived),
        "failed": kinds["failed"],
        "unknown": kinds["unknown"],
        "reasons": dict(Counter(one.reason for one in ended if one.reason)),
        "delivery_rate": len(arrived) / max(1, num_messages),
        "delivery_rate_ci": wilson_interval(len(arrived), max(1, num_messages)),
        "mean_hops": mean([one.hops for one in arrived]),
        "mean_tries": mean([one.tries for one in arrived]),
        "mean_attempts": mean([one.attempts for one in ended]),
    }


def wilson_interval(successes: int, trials: int, z: float = 1.959964) -> tuple[float, float]:
    """Wilson's interval of a share.

    Args:
        successes: How many of the trials succeeded.
        trials: At least 1.
        z: The quantile of the normal distribution; by default the interval is one of 95 %.
    """
    share, spread = successes / trials, z * z / trials
    middle = (share + spread / 2) / (1 + spread)
    half = z * math.sqrt(share * (1 - share) / trials + spread / (4 * trials)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def mean(values: Sequence[float]) -> float:
    """The mean; 0 of nothing."""
    return float(np.mean(values)) if values else 0.0
