"""Options of a training as somebody gives them, with one default each. Free of torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from garden.errors import SpecError, did_you_mean
from garden.models.registry import MODELS, ModelConfig, ModelName, check_model_name
from garden.search.config import MaxHops
from garden.short import UPDATES, cut_short
from garden.training.methods.config import (
    DEFAULT_MODEL,
    METHOD_CONFIGS,
    METHODS,
    MethodName,
    Schedule,
    SourceWeights,
    TrainingConfig,
    methods_with,
    option_names,
)

FULL_LENGTH: Mapping[str, Mapping[str, int]] = {
    "a2c": {"patience": 0, "cooldown": 0},
    "exact": {"patience": 20, "cooldown": 0},
    "guided": {"patience": 0, "cooldown": 0},
}
"""When trainings ended before they had cool-downs; published results go by it."""

OPTION_MODELS: Mapping[str, tuple[ModelName, ...]] = {
    "hidden_link_rate": ("trellis",),
    "target_embedding_dropout": ("trellis",),
}
"""Training options that only some models have."""

SIZE_MODELS: Mapping[str, tuple[ModelName, ...]] = {
    "embedding": ("garden",),
    "layers": ("garden",),
    "parts": ("trellis",),
}
"""Options of :class:`~garden.models.registry.ModelConfig` that only some models have."""


@dataclass(frozen=True)
class TrainingOptions:
    """The options that somebody gives; what is left open takes the method's default.

    The names are those of the methods' own dataclasses (:class:`A2CConfig`, :class:`ExactConfig`,
    :class:`GuidedConfig`), which say what each means. One that the chosen method or model does not
    have is refused, since it would do nothing. The method is guided for trellis and exact for the
    other models, unless it is named.
    """

    model: str | None = None
    method: str | None = None
    init_seed: int | None = None
    updates: int | None = None
    targets_per_update: int | None = None
    learning_rate: float | None = None
    weight_decay: float | None = None
    clip: float | None = None
    schedule: Schedule | None = None
    dropout: float | None = None
    target_embedding_dropout: float | None = None
    gamma: float | None = None
    entropy_coef: float | None = None
    max_hops: MaxHops | None = None
    validate_every: int | None = None
    patience: int | None = None
    cooldown: int | None = None
    walks_per_target: int | None = None
    hidden_link_rate: float | None = None
    imitation_coef: float | None = None
    holders_per_update: int | None = None
    return_coef: float | None = None
    return_targets: int | None = None
    source_weights: SourceWeights | None = None

    def resolved(self, stored: Mapping[str, Any] | None = None) -> TrainingConfig:
        """The chosen method's dataclass: each option as given, or at the method's default.

        Args:
            stored: the options of a run to continue, which come before defaults.

        """
        stored = dict(stored or {})
        if stored:
            stored.setdefault("cooldown", 0)  # a run from before there were any
        given = {name: value for name, value in vars(self).items() if value is not None}
        model = check_model_name(self.model or stored.get("model") or DEFAULT_MODEL)
        method = check_method_name(self.method or stored.get("method") or default_method(model))
        given = {**given, "model": model}
        given.pop("method", None)
        check_options(given, method, model)
        if cut_short():
            given["updates"] = UPDATES
        kind = METHOD_CONFIGS[method]
        known = {name: stored[name] for name in option_names(kind) if name in stored}
        return kind(**{**known, **given})

    def at_full_length(self) -> TrainingOptions:
        """The same with the whole schedule, unless these say when to end.

        Published results go by it: their trainings never ended before.
        """
        full = FULL_LENGTH.get(self.method or default_method(self.model or DEFAULT_MODEL), {})
        open_ones: dict[str, Any] = {
            name: value for name, value in full.items() if getattr(self, name) is None
        }
        return replace(self, **open_ones)

    def with_names(
        self, model: str | None = None, method: str | None = None, init_seed: int | None = None
    ) -> TrainingOptions:
        """The same with these, each of which may be given here, in the options, or twice alike.

        Args:
            model: the model's name.
            method: the method's name.
            init_seed: the seed of the initialisation.
        """
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


def check_method_name(name: str) -> MethodName:
    """The name as it is, or an error that lists the methods."""
    for known in METHODS:
        if name == known:
            return known
    hint = did_you_mean(name, METHODS)
    raise SpecError(f"unknown method {name!r}: {hint}choose from {', '.join(METHODS)}")


def check_options(given: Mapping[str, Any], method: str, model: str) -> None:
    """Refuse options that would do nothing with this method or model.

    Args:
        given: the options, by name.
        method: the chosen method.
        model: the chosen model.
    """
    for name in given:
        having: tuple[tuple[str, str, Any], ...] = (
            ("method", method, methods_with(name)),
            ("model", model, OPTION_MODELS.get(name, MODELS)),
        )
        for kind, chosen, owners in having:
            if chosen not in owners:
                belongs = " and ".join(owners)
                raise SpecError(
                    f"{name} does nothing with {kind} {chosen}: it belongs to {belongs}"
                )


def check_size(size: ModelConfig, options: TrainingOptions) -> None:
    """Refuse options of a model's size that the chosen model does not have."""
    model, usual = check_model_name(options.model or DEFAULT_MODEL), ModelConfig()
    for name, models in SIZE_MODELS.items():
        if model not in models and getattr(size, name) != getattr(usual, name):
            raise SpecError(f"{name} does nothing with model {model}: it belongs to {models[0]}")


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
