"""Small units of work, in a module of their own so that other processes can import them."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from garden.errors import SpecError
from garden.experiments.report.claims import Claim
from garden.experiments.run.jobs import Comparison, ContenderSpec, Training, Work
from garden.experiments.run.policy_cache import PolicyCache
from garden.training.config import TrainingOptions

GRAPH = "kaiser-hilgetag:n=40,beta=2,seed=1"


def comparison(seed: int) -> Comparison:
    """Two walkers and a policy that has hardly been trained."""
    training = Training(GRAPH, seed, TrainingOptions(updates=3))
    contenders = (
        ContenderSpec("random", "random"),
        ContenderSpec("distance+visited", "distance", "visited"),
        ContenderSpec("trellis", training),
        ContenderSpec("trellis, argmax", training, argmax=True),
    )
    return Comparison(GRAPH, seed, contenders, win_groups=(("walkers", ("random", "trellis")),))


def outcome(
    ratios: list[float],
    pairs: list[int],
    truncated: list[float] | None = None,
    wins: list[float] | None = None,
) -> dict[str, Any]:
    """What a comparison stores of one entrant, target by target."""
    zeros = [0.0] * len(ratios)
    return {
        "pairs": pairs,
        "ratio": ratios,
        "truncated": truncated or zeros,
        "wins": wins or zeros,
        "hops": ratios,
    }


def num_cases(claim: Claim) -> int:
    """How many cases a claim was held against."""
    return len(claim.holds_on) + len(claim.fails_on) + len(claim.undecided_on)


@dataclass(frozen=True)
class Mortal(Work):
    """Kills its own process as often as it is told, then ends well."""

    kind: ClassVar[str] = "mortal"

    marks: str
    deaths: int

    @property
    def title(self) -> str:
        """Its name."""
        return "a mortal unit"

    def perform(self, cache: PolicyCache) -> dict[str, Any]:
        """Die, or come back with how often it died."""
        folder = Path(self.marks)
        died = len(list(folder.iterdir()))
        if died < self.deaths:
            (folder / str(died)).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return {"died": died}


@dataclass(frozen=True)
class Faulty(Work):
    """Fails with a message."""

    kind: ClassVar[str] = "faulty"

    number: int

    @property
    def title(self) -> str:
        """Its number."""
        return f"unit {self.number}"

    def perform(self, cache: PolicyCache) -> dict[str, Any]:
        """Fail."""
        raise SpecError("nothing to be done")
