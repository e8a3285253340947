"""Options of training `universal` and of adapting it, with one default each. Free of torch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real

from garden.errors import SpecError, expect, expect_count


@dataclass(frozen=True)
class UniversalConfig:
    """The options of training `universal` on many graphs at once."""

    updates: int = 1500
    """Gradient steps, each on some targets of one graph."""

    targets_per_update: int = 12
    """Targets in each update, fewer on large graphs."""

    nodes_per_update: int = 6000
    """The most nodes × targets in one update, three targets apart."""

    hidden: int = 96
    """Width of the two hidden layers."""

    bound: float = 1.5
    """The most that similarity alone may add to a score or take from it."""

    dropout: float = 0.1
    """Share of hidden units dropped."""

    learning_rate: float = 2e-3
    """Step size of Adam at its height."""

    weight_decay: float = 1e-2
    """Decoupled weight decay."""

    gamma: float = 0.95
    """Discount factor of the return."""

    return_coef: float = 4.0
    """Weight of the return beside the imitation."""

    return_targets: int = 4
    """Targets of an update whose return is computed."""

    seed: int = 0
    """Fixes initialisation, draws and dropout."""

    ignored: tuple[str, ...] = ()
    """Names of inputs that the network does not see."""


@dataclass(frozen=True)
class AdaptConfig:
    """How `universal` is adapted to one graph."""

    updates: int = 100
    """Gradient steps of fine-tuning (central only)."""

    learning_rate: float = 3e-3
    """Step size of Adam at its height (central only)."""

    local: bool = False
    """No central step: each agent learns about its own neighbours, from the messages that pass
    through it and the acknowledgements that come back."""

    messages: int | None = None
    """Learn from so many messages to training targets; 1,000 by default where agents learn
    locally, and else all training targets."""

    def __post_init__(self) -> None:
        for name in ("updates", "messages"):
            count = getattr(self, name)
            if count is None:
                continue
            expect_count(name, count)
        expect("learning_rate", self.learning_rate, Real, otherwise="a number")
        if not (math.isfinite(self.learning_rate) and self.learning_rate > 0):
            raise SpecError(f"learning_rate is {self.learning_rate}: it must be above 0")

    @property
    def num_local_messages(self) -> int:
        """How many messages agents learn from."""
        return 1000 if self.messages is None else self.messages
