"""Units of work, each addressed by its content: what it is, never when or where it was done.

A unit takes its policies from a :class:`~garden.experiments.run.policy_cache.PolicyCache` and
returns plain values. Whoever executes it, the same address stands for the same result.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, final

from garden.errors import SpecError
from garden.models.registry import REVISIONS, ModelConfig
from garden.search.config import PAPERS_LIMIT, EvaluationConfig
from garden.strategies.registry import MEMORIES
from garden.training.config import TrainingOptions, default_method

if TYPE_CHECKING:
    from garden.experiments.run.policy_cache import PolicyCache

FORMAT = "garden-results-2"
BEST_RULE = "bidirectional+visited"  # of those that need no training

FULL_LENGTH: Mapping[str, Mapping[str, int]] = {
    "a2c": {"patience": 0, "cooldown": 0},
    "exact": {"patience": 20, "cooldown": 0},
    "guided": {"patience": 0, "cooldown": 0},
}
"""When trainings ended before they had cool-downs; published results go by it."""


def at_full_length(options: TrainingOptions) -> TrainingOptions:
    """The options with the whole schedule, unless they say when to end.

    Published results go by it: their trainings never ended before. The paper's own protocol says
    when it ends.

    Args:
        options: As somebody gave them.

    Returns:
        The same with patience and cool-down of :data:`FULL_LENGTH` where those were left open.
    """
    if options.protocol == "paper":
        return options
    method = options.method or default_method(options.chosen_model)
    open_ones: dict[str, Any] = {
        name: value
        for name, value in FULL_LENGTH.get(method, {}).items()
        if getattr(options, name) is None
    }
    return replace(options, **open_ones)


def address_of(content: Any) -> str:
    """The address of plain values: the SHA-256 of their canonical JSON.

    Args:
        content: Anything that JSON can hold; infinities and NaN are refused.

    Returns:
        64 hexadecimal digits, the same for equal values on every machine.
    """
    text = json.dumps(content, sort_keys=True, ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


@final
@dataclass(frozen=True)
class Training:
    """How one policy is trained: the graph, the split, the model and the method."""

    graph: str
    seed: int
    options: TrainingOptions
    size: ModelConfig = field(default_factory=ModelConfig)
    max_minutes: float | None = None
    """After which it is cut off, of one core; such a policy is not made again bit for bit."""

    def to_json(self) -> dict[str, Any]:
        """Every option with its value, so that another default is another training."""
        config = self.full_options.resolved()
        content = {
            "graph": self.graph,
            "seed": self.seed,
            "options": config.to_json(),
            "size": self.size.to_json(),
        }
        if self.max_minutes is not None:
            content["max_minutes"] = self.max_minutes
        if config.model in REVISIONS:
            content["revision"] = REVISIONS[config.model]
        return content

    @property
    def full_options(self) -> TrainingOptions:
        """The options with the whole schedule and the experiments' limit of hops.

        Results do not hang on when a training ends, nor on a graph's longest distance.
        """
        full = at_full_length(self.options)
        return replace(full, max_hops=full.max_hops or PAPERS_LIMIT)

    @cached_property
    def key(self) -> str:
        """The address of this training, by which its policy is found again."""
        return address_of(["training", FORMAT, self.to_json()])


@final
@dataclass(frozen=True)
class ContenderSpec:
    """A contender of a comparison as plain values, before its policy is trained or loaded."""

    label: str
    """The name that tables give it; it also seeds its sampled walks."""

    strategy: str | Training
    """A strategy by name, or a policy by its training."""

    memory: str = "none"
    argmax: bool = False
    """Whether a policy always takes its best candidate, instead of drawing by softmax."""

    def to_json(self) -> dict[str, Any]:
        """The contender as plain values."""
        training = self.strategy if isinstance(self.strategy, Training) else None
        return {
            "label": self.label,
            "strategy": None if training else self.strategy,
            "training": training and training.to_json(),
            "memory": MEMORIES[self.memory].address if self.memory in MEMORIES else self.memory,
            "argmax": self.argmax,
        }


_LATER = "later"


def later(default: Any) -> Any:
    """A field that came after results were stored: at its default, it is no part of the address."""
    return field(default=default, metadata={_LATER: True})


class Work(ABC):
    """One unit. Subclasses are frozen dataclasses of plain values."""

    kind: ClassVar[str]
    titled: ClassVar[str] = "{unit.graph}, seed {unit.seed}"
    """How titles are made of a unit's fields and properties."""

    @property
    def title(self) -> str:
        """The unit in a few words, for whoever watches."""
        return self.titled.format(unit=self)

    @abstractmethod
    def perform(self, cache: PolicyCache) -> dict[str, Any]:
        """What comes of this unit of work, to be stored under its key.

        Args:
            cache: Where policies come from.

        Returns:
            Plain values, which are stored as JSON.
        """

    def trainings(self) -> tuple[Training, ...]:
        """The policies that it needs: of those fields that are trainings."""
        return tuple(value for value in vars(self).values() if isinstance(value, Training))

    def pretrain(self, cache: PolicyCache) -> None:  # noqa: B027
        """Train what it needs beside :meth:`trainings`, where that is not there yet.

        Args:
            cache: Where policies lie, and where to train.
        """

    def to_json(self) -> dict[str, Any]:
        """The unit as plain values, without those that came :func:`later` and are at default."""
        return {
            one.name: _plain(value)
            for one in fields(self)  # type: ignore[arg-type]
            if (value := getattr(self, one.name)) != one.default or not one.metadata.get(_LATER)
        }

    @cached_property
    def key(self) -> str:
        """The address of this unit, by which its result is found again."""
        return address_of([self.kind, FORMAT, self.to_json()])


@final
@dataclass(frozen=True)
class Comparison(Work):
    """Contenders on the same pairs of one split of one graph."""

    kind: ClassVar[str] = "comparison"

    graph: str
    seed: int
    contenders: tuple[ContenderSpec, ...]
    evaluation: EvaluationConfig = field(
        default_factory=lambda: EvaluationConfig(max_hops=PAPERS_LIMIT)
    )
    win_groups: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Groups by name: labels among which wins are counted, beside those among all."""

    def trainings(self) -> tuple[Training, ...]:
        """The policies among the contenders, each once."""
        found = [one.strategy for one in self.contenders if isinstance(one.strategy, Training)]
        return tuple(dict.fromkeys(found))

    def perform(self, cache: PolicyCache) -> dict[str, Any]:
        """Play all contenders on the split's pairs; outcomes are kept target by target.

        Args:
            cache: Where policies come from.

        Returns:
            What :meth:`PolicyCache.compare` gives.
        """
        return cache.compare(self)


def _plain(value: Any) -> Any:
    if isinstance(value, EvaluationConfig):
        return _plain_evaluation(value)
    if hasattr(value, "to_json"):
        return value.to_json()
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if hasattr(value, "__dataclass_fields__"):
        return asdict(value)
    return value


def _plain_evaluation(config: EvaluationConfig) -> dict[str, Any]:
    """The options of an evaluation; one that came later is left out where it is at its default."""
    if config.max_hops == "auto":
        raise SpecError("an experiment needs a limit of hops, since its address holds the number")
    content = asdict(config)
    if config.pairs is None:
        del content["pairs"]
    return content
