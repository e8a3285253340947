"""What somebody gives who trains: what to train and how, where, and for how long. Free of torch.

In :class:`TrainingOptions` all is left open that was not given; the chosen method's own dataclass
(:mod:`garden.training.methods.config`) is what comes of it. Options that would do nothing are
refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, get_args

from garden.errors import SpecError, expect, known_name
from garden.models.registry import DEFAULT_MODEL, MODELS, check_model_name
from garden.process_settings import SHORT_UPDATES, cut_short
from garden.search.config import MaxHops
from garden.training.methods.config import (
    METHOD_CONFIGS,
    METHODS,
    OPTION_MODELS,
    MethodName,
    Schedule,
    SourceWeights,
    TrainingConfig,
    ValidationPairs,
    methods_with,
    option_names,
)

Protocol = Literal["ours", "paper"]

PAPER_PROTOCOL: Mapping[str, Any] = {
    "model": "garden",
    "method": "a2c",
    "updates": 200_000,
    "targets_per_update": 1,
    "walks_per_target": 1,
    "learning_rate": 1e-4,
    "dropout": 0.0,
    "gamma": 0.99,
    "entropy_coef": 1e-3,
    "max_hops": 100,
    "validate_every": 100,
    "validation_pairs": "serialized",
    "patience": 200,
}
"""What `protocol="paper"` stands for: the paper's training as its text and released code have it,
an episode per update. How long it waits for a better validation is said in neither: 200 validations
(20,000 episodes) are ours."""


@dataclass(frozen=True)
class TrainingOptions:
    """The options that somebody gives; what is left open takes the method's default.

    The names are those of the methods' own dataclasses (:mod:`garden.training.methods.config`),
    which say what each means. One that the chosen method or model does not have is refused, since
    it would do nothing. The method is guided for trellis and exact for the other models, unless it
    is named.
    """

    model: str | None = None
    method: str | None = None
    protocol: Protocol | None = None
    """Whose defaults: ours, or those of the paper's training (:data:`PAPER_PROTOCOL`)."""
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
    validation_pairs: ValidationPairs | None = None
    patience: int | None = None
    cooldown: int | None = None
    walks_per_target: int | None = None
    hidden_link_rate: float | None = None
    hidden_node_rate: float | None = None
    imitation_coef: float | None = None
    holders_per_update: int | None = None
    return_coef: float | None = None
    return_targets: int | None = None
    source_weights: SourceWeights | None = None

    @property
    def chosen_model(self) -> str:
        """The model that is trained: the one given, or the protocol's."""
        usual = PAPER_PROTOCOL["model"] if self.protocol == "paper" else DEFAULT_MODEL
        return self.model or str(usual)

    def resolved(self, stored: Mapping[str, Any] | None = None) -> TrainingConfig:
        """The chosen method's dataclass: each option as given, or at the method's default.

        Args:
            stored: the options of a run to continue, which come before defaults.

        """
        stored = dict(stored or {})
        if stored:
            stored.setdefault("cooldown", 0)  # a run from before there were any
        given = {name: value for name, value in vars(self).items() if value is not None}
        usual = self._of_protocol()
        usual.update(stored)
        model = check_model_name(self.model or usual.get("model") or self.chosen_model)
        method = known_name(
            "method", self.method or usual.get("method") or default_method(model), METHODS
        )
        given = {**given, "model": model}
        for name in ("method", "protocol"):
            given.pop(name, None)
        check_options(given, method, model)
        if cut_short():
            given["updates"] = SHORT_UPDATES
        kind = METHOD_CONFIGS[method]
        known = {name: usual[name] for name in option_names(kind) if name in usual}
        return kind(**{**known, **given})

    def _of_protocol(self) -> dict[str, Any]:
        """The defaults of the protocol where they are not the methods' own."""
        if known_name("protocol", self.protocol or "ours", get_args(Protocol)) == "ours":
            return {}
        if self.method not in (None, "a2c"):
            raise SpecError(f"the paper trains by a2c: leave out method {self.method} or protocol")
        if self.model == "trellis":
            raise SpecError("the paper has no model trellis: leave out the model or the protocol")
        return dict(PAPER_PROTOCOL)


def default_method(model: str) -> MethodName:
    """How a model is trained unless told otherwise."""
    return "guided" if model == "trellis" else "exact"


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
        if self.max_minutes is None:
            return
        expect("max_minutes", self.max_minutes, Real, otherwise="a number of minutes")
        if not self.max_minutes > 0:
            raise SpecError(f"max_minutes is {self.max_minutes:g}: it must be above 0")
