"""Options of training, with one default each. Free of torch, so that `--help` stays quick."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, fields, replace
from numbers import Integral, Real
from typing import Any, Literal, get_args

from garden.errors import SpecError, did_you_mean, expect
from garden.models.config import MODELS, ModelConfig, ModelName, check_model_name
from garden.search.config import MaxHops, check_max_hops
from garden.short import UPDATES, cut_short

MethodName = Literal["a2c", "exact", "guided"]
METHODS: tuple[MethodName, ...] = get_args(MethodName)
DEFAULT_MODEL: ModelName = "trellis"
SourceWeights = Literal["inverse-distance", "uniform"]
Schedule = Literal["constant", "cosine"]


@dataclass(frozen=True)
class TrainingOptions:
    """How a model is trained. What is left open takes the method's default.

    An option that the chosen method or model does not have is refused, since it would do nothing.
    """

    model: str | None = None
    """The model: trellis (the default), garden, mlpa2c or mlpa2cwd."""

    method: str | None = None
    """The method: guided (imitates the oracle; trellis' default), exact (the exact policy gradient;
    the others' default) or a2c (the paper's Algorithm 1)."""

    updates: int | None = None
    """Gradient steps."""

    targets_per_update: int | None = None
    """Training targets in each update."""

    walks_per_target: int | None = None
    """Episodes per target and update (a2c only)."""

    learning_rate: float | None = None
    """Step size of Adam."""

    weight_decay: float | None = None
    """Decoupled weight decay."""

    dropout: float | None = None
    """Share of hidden units, or of trellis' input attributes, dropped in training; at 0 trellis
    corrupts no Fourier features either."""

    hidden_link_rate: float | None = None
    """Share of training targets that hide a random part of their links (guided trellis only)."""

    target_embedding_dropout: float | None = None
    """Share of targets whose own embedding is masked in training (trellis only)."""

    gamma: float | None = None
    """Discount factor, γ in the paper."""

    entropy_coef: float | None = None
    """Weight of the policy's entropy, λ in the paper (guided: up to 1,200 nodes)."""

    clip: float | None = None
    """Largest norm of a gradient; 0 leaves gradients alone."""

    imitation_coef: float | None = None
    """Weight of imitating the oracle (guided only)."""

    return_coef: float | None = None
    """Weight of the exact return (guided, on graphs of up to 1,200 nodes)."""

    return_targets: int | None = None
    """Targets per update whose exact return is solved for (guided only)."""

    holders_per_update: int | None = None
    """Holders whose choice an update imitates (guided only); 0 takes all on graphs of up to 6,000
    nodes and 1,024 beyond."""

    schedule: Schedule | None = None
    """How the step size runs: constant, or falling to 0 as a cosine."""

    source_weights: SourceWeights | None = None
    """How sources count in the exact return (exact and guided): by 1/distance, as in the oracle
    ratio, or alike."""

    max_hops: MaxHops | None = None
    """The hop at which an episode is truncated, T_max in the paper. auto, the default: 100; where
    the longest distance to the validation targets is above 50, ten times that, at most 10,000."""

    validate_every: int | None = None
    """Updates between validations."""

    patience: int | None = None
    """Validations without improvement after which training ends; 0 never ends early. Where a
    cool-down follows, less than .001 is no improvement."""

    cooldown: int | None = None
    """Updates in which, once patience is over, the step size falls to 0 before training ends;
    0 ends at once."""

    init_seed: int | None = None
    """Fixes the initialisation alone, and with several seeds that of all; else it goes by the
    split's seed."""

    def resolved(self, stored: Mapping[str, Any] | None = None) -> TrainingConfig:
        """Every option with its value: the one given, or the method's default.

        ``stored`` are the options of a run to continue, which come before defaults.
        """
        known = {one.name for one in fields(TrainingConfig)}
        stored = {name: value for name, value in (stored or {}).items() if name in known}
        if stored:
            stored.setdefault("cooldown", 0)  # a run from before there were any
        given = {name: value for name, value in vars(self).items() if value is not None}
        model = check_model_name(self.model or stored.get("model") or DEFAULT_MODEL)
        method = self.method or stored.get("method") or default_method(model)
        if method not in METHODS:
            hint = did_you_mean(method, METHODS)
            raise SpecError(f"unknown method {method!r}: {hint}choose from {', '.join(METHODS)}")
        check_options(given, method, model)
        named: dict[str, Any] = {"model": model, "method": method}
        if cut_short():
            named["updates"] = UPDATES
        return TrainingConfig(**{**METHOD_DEFAULTS[method], **stored, **given, **named})

    def at_full_length(self) -> TrainingOptions:
        """The same with the whole schedule, unless these say when to end.

        Published results go by it: their trainings never ended before.
        """
        full = FULL_LENGTH.get(self.method or default_method(self.model or DEFAULT_MODEL), {})
        open_ones = {name: value for name, value in full.items() if getattr(self, name) is None}
        return replace(self, **open_ones)

    def with_names(
        self, model: str | None = None, method: str | None = None, init_seed: int | None = None
    ) -> TrainingOptions:
        """The same with these, each of which may be given here, in the options, or twice alike."""
        named: dict[str, Any] = {"model": model, "method": method, "init_seed": init_seed}
        for name, value in named.items():
            own = getattr(self, name)
            if None not in (own, value) and own != value:
                raise SpecError(
                    f"{name} is given twice, as {value!r} and in the options as {own!r}: give one"
                )
        return replace(self, **{n: value for n, value in named.items() if value is not None})


def default_method(model: str) -> MethodName:
    """How a model is trained unless told otherwise."""
    return "guided" if model == "trellis" else "exact"


def check_options(given: Collection[str], method: str, model: str) -> None:
    """Refuse options that would do nothing with this method or model."""
    for name in given:
        methods, models = OPTION_METHODS.get(name, METHODS), OPTION_MODELS.get(name, MODELS)
        for kind, chosen, having in (("method", method, methods), ("model", model, models)):
            if chosen not in having:
                owners = " and ".join(having)
                raise SpecError(f"{name} does nothing with {kind} {chosen}: it belongs to {owners}")


def check_size(size: ModelConfig, options: TrainingOptions) -> None:
    """Refuse sizes that the chosen model does not have."""
    model, usual = check_model_name(options.model or DEFAULT_MODEL), ModelConfig()
    for name, models in SIZE_MODELS.items():
        if model not in models and getattr(size, name) != getattr(usual, name):
            raise SpecError(f"{name} does nothing with model {model}: it belongs to {models[0]}")


@dataclass(frozen=True)
class TrainingConfig:
    """Every option of a training, checked."""

    model: str
    method: str
    updates: int
    targets_per_update: int
    walks_per_target: int
    learning_rate: float
    weight_decay: float
    dropout: float
    hidden_link_rate: float
    target_embedding_dropout: float
    gamma: float
    entropy_coef: float
    clip: float
    imitation_coef: float
    return_coef: float
    return_targets: int
    holders_per_update: int
    schedule: Schedule
    source_weights: SourceWeights
    max_hops: MaxHops
    validate_every: int
    patience: int
    cooldown: int = 0
    init_seed: int | None = None

    def __post_init__(self) -> None:
        for name in _COUNTS:
            expect(name, getattr(self, name), Integral, otherwise="a whole number")
        for name in (*_WEIGHTS, "gamma", "dropout", "hidden_link_rate", "target_embedding_dropout"):
            expect(name, getattr(self, name), Real, otherwise="a number")
        for name in _COUNTS:
            if getattr(self, name) < 1:
                raise SpecError(f"{name} is {getattr(self, name)}: it must be at least 1")
        check_max_hops(self.max_hops)
        for name in _WEIGHTS:
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise SpecError(f"{name} is {value}: it must be finite and not negative")
        if not 0 < self.gamma < 1:
            raise SpecError(f"gamma is {self.gamma}: it must lie between 0 and 1")
        for name in ("dropout", "hidden_link_rate", "target_embedding_dropout"):
            if not 0 <= getattr(self, name) < 1:
                raise SpecError(
                    f"{name} is {getattr(self, name)}: at least 0 and below 1 is needed"
                )
        for name, kind in (("source_weights", SourceWeights), ("schedule", Schedule)):
            if getattr(self, name) not in get_args(kind):
                raise SpecError(f"unknown {name} {getattr(self, name)!r}: {get_args(kind)}")
        if self.init_seed is not None and self.init_seed < 0:
            raise SpecError(f"init_seed is {self.init_seed}: use 0 or more")

    def to_json(self) -> dict[str, Any]:
        """Every option with its value, as run folders and addresses hold it.

        Options that did not exist when the first of those were written are left out where they
        change nothing.
        """
        without = {"cooldown": 0, "init_seed": None}
        return {k: v for k, v in asdict(self).items() if k not in without or v != without[k]}

    @property
    def limit(self) -> int:
        """The limit of hops; `auto` has to be settled for a graph before (`with_limit`)."""
        assert isinstance(self.max_hops, int)
        return self.max_hops


_COUNTS = (
    "updates",
    "targets_per_update",
    "walks_per_target",
    "return_targets",
    "validate_every",
)
_WEIGHTS = (
    "learning_rate",
    "weight_decay",
    "entropy_coef",
    "imitation_coef",
    "return_coef",
    "clip",
    "patience",
    "cooldown",
    "holders_per_update",
)

OPTION_METHODS: Mapping[str, tuple[MethodName, ...]] = {
    "walks_per_target": ("a2c",),
    "hidden_link_rate": ("guided",),
    "imitation_coef": ("guided",),
    "return_coef": ("guided",),
    "return_targets": ("guided",),
    "holders_per_update": ("guided",),
    "source_weights": ("exact", "guided"),
}
"""Which methods have an option; those that are not named here belong to all."""

OPTION_MODELS: Mapping[str, tuple[ModelName, ...]] = {
    "hidden_link_rate": ("trellis",),
    "target_embedding_dropout": ("trellis",),
}
"""Which models have an option."""

SIZE_MODELS: Mapping[str, tuple[ModelName, ...]] = {
    "embedding": ("garden",),
    "layers": ("garden",),
    "parts": ("trellis",),
}
"""Which models have a size of :class:`~garden.models.config.ModelConfig`."""


METHOD_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    # 2,000 updates of 100 episodes are the paper's 200,000 episodes. A batch of episodes has less
    # variance than one, so the step is five times the released 1e-4. Dropout is what makes the
    # policy carry over to unseen targets; the paper has none.
    "a2c": {
        "updates": 2000,
        "targets_per_update": 25,
        "walks_per_target": 4,
        "learning_rate": 5e-4,
        "weight_decay": 0.0,
        "dropout": 0.2,
        "hidden_link_rate": 0.0,
        "target_embedding_dropout": 0.0,
        "gamma": 0.99,
        "entropy_coef": 1e-3,
        "clip": 0.0,
        "imitation_coef": 0.0,
        "return_coef": 1.0,
        "return_targets": 1,
        "holders_per_update": 0,
        "schedule": "constant",
        "source_weights": "uniform",
        "max_hops": "auto",
        "validate_every": 100,
        "patience": 0,
    },
    "exact": {
        "updates": 800,
        "targets_per_update": 32,
        "walks_per_target": 1,
        "learning_rate": 1e-3,
        "weight_decay": 1e-3,
        "dropout": 0.2,
        "hidden_link_rate": 0.0,
        "target_embedding_dropout": 0.0,
        "gamma": 0.97,
        "entropy_coef": 1e-3,
        "clip": 1.0,
        "imitation_coef": 0.0,
        "return_coef": 1.0,
        "return_targets": 1,
        "holders_per_update": 0,
        "schedule": "constant",
        "source_weights": "inverse-distance",
        "max_hops": "auto",
        "validate_every": 20,
        "patience": 20,
    },
    "guided": {
        "updates": 2400,
        "targets_per_update": 64,
        "walks_per_target": 1,
        "learning_rate": 3e-3,
        "weight_decay": 1e-3,
        "dropout": 0.2,
        "hidden_link_rate": 0.8,
        "target_embedding_dropout": 0.5,
        "gamma": 0.95,
        "entropy_coef": 0.0,
        "clip": 1.0,
        "imitation_coef": 1.0,
        "return_coef": 0.0,
        "return_targets": 8,
        "holders_per_update": 0,
        "schedule": "cosine",
        "source_weights": "inverse-distance",
        "max_hops": "auto",
        "validate_every": 50,
        "patience": 8,
        "cooldown": 300,
    },
}

FULL_LENGTH: Mapping[str, Mapping[str, Any]] = {
    "a2c": {"patience": 0, "cooldown": 0},
    "exact": {"patience": 20, "cooldown": 0},
    "guided": {"patience": 0, "cooldown": 0},
}
"""When trainings ended before they had cool-downs; published results go by it."""


@dataclass(frozen=True)
class RunOptions:
    """Where and how long a training runs; none of it changes what is learned."""

    device: str = "auto"
    """Where to compute: auto, cpu or cuda."""

    max_minutes: float | None = None
    """Stop after this time: the best is handed over, and --resume continues. The limit holds for
    each batch of seeds, validations and the choice of a temperature inside it, loading aside."""

    tensorboard: bool = False
    """Also log for TensorBoard (needs the extra `logging`)."""

    wandb: bool = False
    """Also log for Weights & Biases, offline (needs the extra `logging`)."""

    def __post_init__(self) -> None:
        if self.max_minutes is not None and not self.max_minutes > 0:
            raise SpecError(f"max_minutes is {self.max_minutes:g}: it must be above 0")


@dataclass(frozen=True)
class UniversalConfig:
    """How `universal` is trained."""

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
            expect(name, count, Integral, otherwise="a whole number")
            if count < 1:
                raise SpecError(f"{name} is {count}: it must be at least 1")
        expect("learning_rate", self.learning_rate, Real, otherwise="a number")
        if not (math.isfinite(self.learning_rate) and self.learning_rate > 0):
            raise SpecError(f"learning_rate is {self.learning_rate}: it must be above 0")

    @property
    def num_local_messages(self) -> int:
        """How many messages agents learn from."""
        return 1000 if self.messages is None else self.messages
