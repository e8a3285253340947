"""The loop: update, validate, keep the best, store, stop.

Several seeds of one graph train as one stack. What is kept for a seed is the model that was
scored best on its own validation targets; test targets are never looked at.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from garden.datasets.task import SearchTask
from garden.errors import GardenError
from garden.models.base import Model
from garden.models.layers import Dropout
from garden.models.registry import ModelConfig, build_model
from garden.search.chain import chain_of_scores
from garden.training.callbacks import Listener
from garden.training.methods.a2c import a2c_loss
from garden.training.methods.base import UpdateLoss, clip_each_seed
from garden.training.methods.config import TrainingConfig
from garden.training.methods.exact import exact_loss
from garden.training.methods.guided import guided_loss
from garden.training.resume import take_state
from garden.training.state import (
    Clock,
    Interrupt,
    Pace,
    Plan,
    SeedProgress,
    TrainingState,
    deferred_interrupt,
    has_lost_patience,
    last_update,
    note_ratio,
    seed_of_stack,
    step_size,
)
from garden.training.training_graph import (
    TrainingGraph,
    make_training_graph,
    require_memory_for,
    sized_for,
    with_limit,
)
from garden.training.validation import (
    HANDOVER_TEMPERATURES,
    HandedOver,
    Stored,
    handed_over_before,
    validation_metrics,
)

Loss = Callable[[Model, TrainingGraph, Any, Dropout, torch.Generator], UpdateLoss]
"""An update's loss, from the options of its own method."""

LOSSES: dict[str, Loss] = {"exact": exact_loss, "a2c": a2c_loss, "guided": guided_loss}
TRAINS_VALUE = {"exact": False, "a2c": True, "guided": False}

_CLOSING_SHARE = 0.2  # of a time limit, that the choice of a temperature may take
_GRACE = 0.05  # of a time limit, by which a validation under way may pass it
_LOG = logging.getLogger("garden")


class TrainingError(GardenError):
    """A training that cannot go on; its last good state is kept."""


class _TimeUpError(Exception):
    """The time limit passed within a validation."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """How a training ended: its last state, why it stopped, and the policies it hands over."""

    state: TrainingState
    stopped: str  # "finished", "early", "time" or "interrupted"
    handed_over: HandedOver


class Trainer:
    """One stack of seeds on one graph."""

    def __init__(
        self,
        tasks: Sequence[SearchTask],
        config: TrainingConfig,
        model_config: ModelConfig,
        device: torch.device | str = "cpu",
        folders: Sequence[Path] = (),
        listeners: Sequence[Listener] = (),
        clock: Clock = time.monotonic,
    ) -> None:
        require_memory_for(config, tasks[0].graph.num_nodes, len(tasks))
        self.config = with_limit(config, tasks)
        serialized = self.config.validation_pairs == "serialized"
        self.training_graph = make_training_graph(tasks, device, serialized)
        self.folders, self.listeners = folders, listeners
        seeds = tuple(task.seed for task in tasks)
        initial = seeds if config.init_seed is None else (config.init_seed,) * len(seeds)
        graph = self.training_graph.graph
        size = sized_for(graph, self.config, model_config)
        model = build_model(self.config.model, graph.num_attributes, size, initial)
        model.standardise_by(graph.attributes)
        model.know(graph.attributes)
        model.to(device)
        generator = torch.Generator(device=device)
        generator.manual_seed(seed_of_stack(seeds))
        optimiser = torch.optim.AdamW(
            model.parameters(), lr=self.config.learning_rate, weight_decay=self.config.weight_decay
        )
        best = {name: tensor.detach().clone() for name, tensor in model.state_dict().items()}
        progress = [SeedProgress() for _ in seeds]
        self.state = TrainingState(model, optimiser, generator, best, progress)
        self.dropout = Dropout(config.dropout, generator)
        self.pace = Pace(clock)
        self.plan = self._plan()
        self._limit = 0.0  # seconds, where there is a deadline
        self._earlier: list[Stored | None] = []  # handed over when a resumed run was stopped

    def resume(self) -> None:
        """Continue from what the folders hold."""
        take_state(self.state, self.folders)
        self._earlier = handed_over_before(self.folders)

    def _plan(self) -> Plan:
        config = self.config
        tempered = "temperature" in self.state.best
        return Plan(
            update=self.state.update,
            last_update=config.updates,
            validate_every=config.validate_every,
            may_end_early=config.patience > 0,
            pace=self.pace,
            num_temperatures=len(HANDOVER_TEMPERATURES) if tempered else 0,
        )

    def run(self, max_minutes: float | None = None, since: float | None = None) -> Outcome:
        """Train until the updates are done, nothing improves, time is up, or Ctrl-C.

        Args:
            max_minutes: the time limit; None for no limit.
            since: when the limit began to run, in seconds of the trainer's clock; from now on by
                default.
        """
        now = self.pace.clock()
        started = now - self.state.seconds
        if max_minutes is not None:
            self._limit = 60 * max_minutes
            self.plan.deadline = (now if since is None else since) + self._limit
        self._warm_up()
        interrupt = Interrupt()
        try:
            with deferred_interrupt(interrupt):
                self.plan.num_started = self.plan.update = self.state.update
                for listener in self.listeners:
                    listener.on_start(self.plan)
                stopped = self._loop(started, interrupt)
        except KeyboardInterrupt:
            stopped = "interrupted"
        except torch.cuda.OutOfMemoryError:
            raise TrainingError(
                "out of GPU memory: lower `targets_per_update` (now "
                f"{self.config.targets_per_update}) or train fewer seeds at once"
            ) from None
        self.state.seconds = self.pace.clock() - started
        handed_over = self._hand_over(stopped, interrupt)
        return Outcome(self.state, stopped, handed_over)

    def _warm_up(self) -> None:
        """Have the chain compiled before anything is timed."""
        if self.training_graph.device.type == "cpu":
            scores = np.zeros((1, self.training_graph.num_nodes))
            chain_of_scores(self.training_graph.graph, scores, "softmax", np.zeros(1, np.int64), 1)

    def _loop(self, started: float, interrupt: Interrupt) -> str:
        """Update and validate by turns; the word says why it ended."""
        state, config = self.state, self.config
        while True:
            state.seconds = self.pace.clock() - started
            last = self.plan.last_update = last_update(state, config)
            done = state.update >= last
            due = done or state.update % config.validate_every == 0
            if due and state.validated < state.update:
                try:
                    self._validate()
                except _TimeUpError:
                    return "time"
            if done:
                return "finished" if state.update >= config.updates else "early"
            if due and has_lost_patience(state, config):
                if config.cooldown == 0:
                    return "early"
                state.cooling_since = state.update
                continue
            if self._is_time_up():
                return "time"
            if interrupt.requested:
                return "interrupted"
            self.pace.lap()
            self._update()
            self.pace.updated()
            self.plan.update = state.update
            for listener in self.listeners:
                listener.on_update(state.update, last)

    def _is_time_up(self) -> bool:
        """Whether another update would leave too little time to choose what is handed over."""
        if self.plan.deadline is None:
            return False
        choice = min(self._temperature_seconds(), _CLOSING_SHARE * self._limit)
        closing = self.pace.validation() + choice
        return self.pace.clock() + self.pace.update + closing > self.plan.deadline

    def _temperature_seconds(self) -> float:
        count = self.plan.num_temperatures
        return self.pace.validation(count) if count else 0.0

    def _affordable_share(self) -> float:
        """The share of validation targets that there is time to choose a temperature on."""
        seconds = self._temperature_seconds()
        if self.plan.deadline is None or seconds == 0:
            return 1.0
        return min(1.0, max(0.0, self.plan.deadline - self.pace.clock()) / seconds)

    def _update(self) -> None:
        state, config = self.state, self.config
        loss = LOSSES[config.method](
            state.model, self.training_graph, config, self.dropout, state.generator
        )
        if not bool(torch.isfinite(loss.loss).all()):
            raise TrainingError(
                f"the loss became NaN or infinite at update {state.update}: the last good state is "
                "kept; lower `learning_rate`"
            )
        state.optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(loss.loss.sum())
        if config.clip:
            clip_each_seed(state.model, config.clip)
        for group in state.optimiser.param_groups:
            group["lr"] = step_size(state, config)
        state.optimiser.step()
        state.update += 1
        self._keep_stats(loss)

    def _keep_stats(self, loss: UpdateLoss) -> None:
        """Keep what validation will report; only the update before one is worth the transfer."""
        due = self.state.update % self.config.validate_every == 0
        if not due and self.state.update < last_update(self.state, self.config):
            return
        named = {"loss": loss.loss.detach(), **loss.stats}
        columns = {name: values.tolist() for name, values in named.items()}
        self.state.stats = [
            {name: values[seed] for name, values in columns.items()}
            for seed in range(len(self.state.seeds))
        ]

    def _validate(self) -> None:
        state = self.state
        self.pace.start_validation()
        each, late = validation_metrics(
            state.model, self.training_graph, self.config.limit, lap=self._lap
        )
        ratios, truncation = each[0].mean(dim=1), late[0].mean(dim=1)
        records = []
        for seed, progress in enumerate(state.seeds):
            ratio = float(ratios[seed])
            if note_ratio(progress, ratio, state.update):
                state.keep_best(seed)
            stats = state.stats[seed] if state.stats else {}
            records.append(
                {
                    "update": state.update,
                    "seconds": round(state.seconds, 3),
                    "validation_ratio": ratio,
                    "validation_truncation": float(truncation[seed]),
                    "best_ratio": progress.best_ratio,
                    **stats,
                }
            )
        state.validated = state.update
        state.save(self.folders)
        if self.folders:
            self._best_so_far().save(self.folders)
        self.pace.storing += self.pace.lap()
        for listener in self.listeners:
            listener.on_validation(records)

    def _best_so_far(self) -> HandedOver:
        """What would be handed over if training were stopped now; apart from the state."""
        handed = HandedOver.best_of(self.state).copied()
        handed.take_earlier(self._earlier)
        return handed

    def _lap(self, kind: str) -> None:
        """Note what a part of a validation took, and end it where its time is up."""
        setattr(self.pace, kind, getattr(self.pace, kind) + self.pace.lap())
        deadline = self.plan.deadline
        if deadline is not None and self.pace.clock() > deadline + _GRACE * self._limit:
            raise _TimeUpError

    def _hand_over(self, stopped: str, interrupt: Interrupt) -> HandedOver:
        """Choose the policies to hand over, and store them beside the state."""
        if stopped in ("finished", "early"):
            handed = HandedOver.best_of(self.state)
            handed.choose_temperature(self.state, self._measure)
            self.state.save(self.folders)
            handed.save(self.folders)
            return handed
        handed = self._best_so_far()
        self.state.save(self.folders)
        try:
            if not interrupt.repeated:
                self._close(handed)
        except (KeyboardInterrupt, _TimeUpError):
            _LOG.info("the policy that is handed over was not validated to the end")
        handed.save(self.folders)
        return handed

    def _close(self, handed: HandedOver) -> None:
        """Weigh the last weights and choose a temperature, when stopped in mid-course."""
        if self.state.validated < self.state.update:
            _LOG.info("validating the last update before stopping")
            handed.weigh_last(self.state, self._measure)
        share = self._affordable_share()
        handed.choose_temperature(self.state, partial(self._measure, share=share))

    def _measure(self, temperatures: Sequence[float], share: float = 1.0) -> Tensor:
        self.pace.start_validation()
        ratios, _ = validation_metrics(
            self.state.model,
            self.training_graph,
            self.config.limit,
            temperatures,
            self._lap,
            share,
        )
        return ratios
