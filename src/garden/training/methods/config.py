"""The options of each method, a frozen dataclass per method with one default each. Free of torch.

:class:`TrainingConfig` has what all methods share. Somebody who trains gives
:class:`garden.training.config.TrainingOptions`, and one of these comes of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import partial
from numbers import Integral
from typing import Any, ClassVar, Literal, get_args

from garden.errors import (
    SpecError,
    expect,
    expect_choice,
    expect_count,
    expect_discount,
    expect_share,
    expect_weight,
)
from garden.models.registry import DEFAULT_MODEL, ModelName, check_model_name
from garden.search.config import MaxHops, check_max_hops

MethodName = Literal["a2c", "exact", "guided"]
METHODS: tuple[MethodName, ...] = get_args(MethodName)
SourceWeights = Literal["inverse-distance", "uniform"]
Schedule = Literal["constant", "cosine"]
ValidationPairs = Literal["all-sources", "serialized"]

OPTION_MODELS: Mapping[str, tuple[ModelName, ...]] = {
    "hidden_link_rate": ("trellis",),
    "target_embedding_dropout": ("trellis",),
    "hidden_node_rate": ("trellis",),
}
"""Training options that only some models have."""


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """What every method has: the model, the loop of updates and validations, when it ends.

    Each method is a subclass with its own defaults and its own options.
    """

    method: ClassVar[MethodName]

    model: str = DEFAULT_MODEL
    """The model: trellis (the default), garden, mlpa2c or mlpa2cwd."""

    init_seed: int | None = None
    """Fixes the initialisation alone, and with several seeds that of all; else it goes by the
    split's seed."""

    updates: int
    """Gradient steps."""

    targets_per_update: int
    """Training targets in each update."""

    learning_rate: float
    """Step size of Adam."""

    weight_decay: float
    """Decoupled weight decay."""

    clip: float
    """Largest norm of a gradient; 0 leaves gradients alone."""

    schedule: Schedule = "constant"
    """How the step size runs: constant, or falling to 0 as a cosine."""

    dropout: float = 0.2
    """Share of hidden units, or of trellis' input attributes, dropped in training; at 0 trellis
    corrupts no Fourier features either."""

    target_embedding_dropout: float = 0.0
    """Share of targets whose own embedding is masked in training (trellis only)."""

    gamma: float
    """Discount factor, γ in the paper."""

    entropy_coef: float
    """Weight of the policy's entropy, λ in the paper (guided: up to 1,200 nodes)."""

    max_hops: MaxHops = "auto"
    """The hop at which an episode is truncated, T_max in the paper. auto, the default: 100; where
    the longest distance to the validation targets is above 50, ten times that, at most 10,000."""

    validate_every: int
    """Updates between validations."""

    validation_pairs: ValidationPairs = "all-sources"
    """What validation averages over: all-sources, every source with every validation target; or
    serialized, the split's own validation pairs, as in the paper."""

    patience: int = 0
    """Validations without improvement after which training ends; 0 never ends early. Where a
    cool-down follows, less than .001 is no improvement."""

    cooldown: int = 0
    """Updates in which, once patience is over, the step size falls to 0 before training ends;
    0 ends at once."""

    def __post_init__(self) -> None:
        check_model_name(self.model)
        for one in fields(self):
            if one.name in _CHECKS:
                _CHECKS[one.name](one.name, getattr(self, one.name))

    def to_json(self) -> dict[str, Any]:
        """The method and every option with its value, as run folders and addresses hold it.

        Options that did not exist when the first of those were written are left out where they
        change nothing.
        """
        later = {
            "cooldown": 0,
            "init_seed": None,
            "validation_pairs": "all-sources",
            "hidden_node_rate": 0.0,
        }
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        kept = {name: value for name, value in values.items() if later.get(name, ...) != value}
        return {"method": self.method, **kept}

    @property
    def limit(self) -> int:
        """The limit of hops; `auto` has to be settled for a graph before (`with_limit`)."""
        assert isinstance(self.max_hops, int)
        return self.max_hops


@dataclass(frozen=True, kw_only=True)
class A2CConfig(TrainingConfig):
    """`a2c`: advantage actor-critic, the paper's Algorithm 1, over batches of episodes.

    2,000 updates of 100 episodes are the paper's 200,000 episodes. A batch of episodes has less
    variance than one, so the step is five times the released 1e-4. Dropout is what makes the policy
    carry over to unseen targets; the paper has none.
    """

    method: ClassVar[MethodName] = "a2c"
    updates: int = 2000
    targets_per_update: int = 25
    learning_rate: float = 5e-4
    weight_decay: float = 0.0
    clip: float = 0.0
    gamma: float = 0.99
    entropy_coef: float = 1e-3
    validate_every: int = 100

    walks_per_target: int = 4
    """Episodes per target and update."""


@dataclass(frozen=True, kw_only=True)
class ExactConfig(TrainingConfig):
    """`exact`: the exact gradient of the discounted return of every source."""

    method: ClassVar[MethodName] = "exact"
    updates: int = 800
    targets_per_update: int = 32
    learning_rate: float = 1e-3
    weight_decay: float = 1e-3
    clip: float = 1.0
    gamma: float = 0.97
    entropy_coef: float = 1e-3
    validate_every: int = 20
    patience: int = 20

    source_weights: SourceWeights = "inverse-distance"
    """How sources count in the exact return: by 1/distance, as in the oracle ratio, or alike."""


@dataclass(frozen=True, kw_only=True)
class GuidedConfig(TrainingConfig):
    """`guided`: imitate the oracle, and where asked maximise the exact return beside it."""

    method: ClassVar[MethodName] = "guided"
    updates: int = 2400
    targets_per_update: int = 64
    learning_rate: float = 3e-3
    weight_decay: float = 1e-3
    clip: float = 1.0
    schedule: Schedule = "cosine"
    target_embedding_dropout: float = 0.5
    gamma: float = 0.95
    entropy_coef: float = 0.0
    validate_every: int = 50
    patience: int = 8
    cooldown: int = 600

    hidden_link_rate: float = 0.8
    """Share of training targets that hide a random part of their links (trellis only)."""

    hidden_node_rate: float = 0.0
    """Trains for newcomers: in every other update, a share of all nodes between 0 and this passes
    for nodes whose profiles nobody has seen (trellis only). 0 trains for the graph as it is."""

    imitation_coef: float = 1.0
    """Weight of imitating the oracle."""

    holders_per_update: int = 0
    """Holders whose choice an update imitates; 0 takes all on graphs of up to 6,000 nodes and 1,024
    beyond."""

    return_coef: float = 0.0
    """Weight of the exact return (on graphs of up to 1,200 nodes)."""

    return_targets: int = 8
    """Targets per update whose exact return is solved for."""

    source_weights: SourceWeights = "inverse-distance"
    """How sources count in the exact return: by 1/distance, as in the oracle ratio, or alike."""


METHOD_CONFIGS: Mapping[str, type[TrainingConfig]] = {
    kind.method: kind for kind in (A2CConfig, ExactConfig, GuidedConfig)
}


def option_names(kind: type[TrainingConfig]) -> list[str]:
    """The options of a method, in order."""
    return [one.name for one in fields(kind)]


def methods_with(option: str) -> list[MethodName]:
    """The methods that have an option."""
    return [method for method in METHODS if option in option_names(METHOD_CONFIGS[method])]


def _check_seed(name: str, value: Any) -> None:
    if value is None:
        return
    expect(name, value, Integral, otherwise="a whole number")
    if value < 0:
        raise SpecError(f"{name} is {value}: use 0 or more")


_COUNTS = ("updates", "targets_per_update", "walks_per_target", "return_targets", "validate_every")
_WEIGHTS = (
    *("learning_rate", "weight_decay", "entropy_coef", "imitation_coef", "return_coef", "clip"),
    *("patience", "cooldown", "holders_per_update"),
)
_SHARES = ("dropout", "hidden_link_rate", "hidden_node_rate", "target_embedding_dropout")
_CHECKS: Mapping[str, Callable[[str, Any], None]] = {
    **dict.fromkeys(_COUNTS, expect_count),
    **dict.fromkeys(_WEIGHTS, expect_weight),
    **dict.fromkeys(_SHARES, expect_share),
    "gamma": expect_discount,
    "init_seed": _check_seed,
    "max_hops": lambda _, value: check_max_hops(value),
    "schedule": partial(expect_choice, choices=get_args(Schedule)),
    "source_weights": partial(expect_choice, choices=get_args(SourceWeights)),
    "validation_pairs": partial(expect_choice, choices=get_args(ValidationPairs)),
}
