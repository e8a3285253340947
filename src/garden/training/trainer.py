"""The loop: update, validate, keep the best, store, stop.

Several seeds of one graph train as one stack. What is kept for a seed is the model that was
scored best on its own validation targets; test targets are never looked at.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor

from garden.datasets.task import SearchTask
from garden.errors import GardenError
from garden.models.base import Model
from garden.models.config import ModelConfig
from garden.models.layers import Dropout
from garden.models.registry import build_model
from garden.training.a2c import a2c_loss
from garden.training.config import TrainingConfig
from garden.training.exact import exact_loss, scores_towards
from garden.training.guided import guided_loss
from garden.training.interrupt import Interrupt, deferred_interrupt
from garden.training.limits import with_limit
from garden.training.problem import Problem, make_problem
from garden.training.shown import distances_towards, neighbours_of
from garden.training.state import SeedProgress, TrainingState
from garden.training.transitions import validation_hops
from garden.training.update import UpdateLoss

Loss = Callable[[Model, Problem, TrainingConfig, Dropout, torch.Generator], UpdateLoss]
LOSSES: dict[str, Loss] = {"exact": exact_loss, "a2c": a2c_loss, "guided": guided_loss}
TRAINS_VALUE = {"exact": False, "a2c": True, "guided": False}

TEMPERATURES = (0.2, 0.25, 0.35, 0.5, 0.7, 1.0)
_LEAST_ERROR = 0.005  # of a validation ratio
_VALIDATION_ENTRIES = 1 << 21


class TrainingError(GardenError):
    """A training that cannot go on; its last good state is kept."""


class Listener(Protocol):
    """Somebody who wants to know how training goes."""

    def on_update(self, update: int, total: int) -> None:
        """An update was made."""

    def on_validation(self, records: Sequence[dict[str, Any]]) -> None:
        """A validation was made; one record per seed."""

    def close(self) -> None:
        """Training is over, however it ended."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """How a training ended."""

    state: TrainingState
    stopped: str  # "finished", "early", "time" or "interrupted"


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
    ) -> None:
        self.config = with_limit(config, tasks)
        self.problem = make_problem(tasks, device)
        self.folders, self.listeners = folders, listeners
        seeds = tuple(task.seed for task in tasks)
        graph = self.problem.graph
        model = build_model(self.config.model, graph.num_attributes, model_config, seeds)
        model.standardise_by(graph.attributes)
        model.to(device)
        generator = torch.Generator(device=device)
        generator.manual_seed(_seed_of_stack(seeds))
        optimiser = torch.optim.AdamW(
            model.parameters(), lr=self.config.learning_rate, weight_decay=self.config.weight_decay
        )
        best = {name: tensor.detach().clone() for name, tensor in model.state_dict().items()}
        progress = [SeedProgress() for _ in seeds]
        self.state = TrainingState(model, optimiser, generator, best, progress)
        self.dropout = Dropout(
            config.dropout,
            generator,
            config.neighbour_dropout,
            config.own_dropout,
        )

    def run(self, max_minutes: float | None = None) -> Outcome:
        """Train until the updates are done, nothing improves, time is up, or Ctrl-C."""
        started = time.monotonic() - self.state.seconds
        deadline = time.monotonic() + 60 * max_minutes if max_minutes is not None else None
        try:
            with deferred_interrupt() as interrupt:
                stopped = self._loop(started, deadline, interrupt)
        except KeyboardInterrupt:
            stopped = "interrupted"
        except torch.cuda.OutOfMemoryError:
            raise TrainingError(
                "out of GPU memory: lower `targets_per_update` (now "
                f"{self.config.targets_per_update}) or train fewer seeds at once"
            ) from None
        finally:
            for listener in self.listeners:
                listener.close()
        self._choose_temperature()
        self.state.save(self.folders)
        return Outcome(self.state, stopped)

    def _loop(self, started: float, deadline: float | None, interrupt: Interrupt) -> str:
        """Update and validate by turns; the word says why it ended."""
        state, config = self.state, self.config
        while True:
            state.seconds = time.monotonic() - started
            done = state.update >= config.updates
            due = done or state.update % config.validate_every == 0
            if due and state.validated < state.update:
                self._validate()
            if due and not done and self._is_stale():
                return "early"
            if done:
                return "finished"
            if deadline is not None and time.monotonic() > deadline:
                return "time"
            if interrupt.requested:
                return "interrupted"
            self._update()
            for listener in self.listeners:
                listener.on_update(state.update, config.updates)

    def _update(self) -> None:
        state, config = self.state, self.config
        loss = LOSSES[config.method](
            state.model, self.problem, config, self.dropout, state.generator
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
            group["lr"] = config.learning_rate * step_share(state.update, config)
        state.optimiser.step()
        state.update += 1
        self._keep_stats(loss)

    def _keep_stats(self, loss: UpdateLoss) -> None:
        """Keep what validation will report; only the update before one is worth the transfer."""
        due = self.state.update % self.config.validate_every == 0
        if not due and self.state.update < self.config.updates:
            return
        named = {"loss": loss.loss.detach(), **loss.stats}
        columns = {name: values.tolist() for name, values in named.items()}
        self.state.stats = [
            {name: values[seed] for name, values in columns.items()}
            for seed in range(len(self.state.seeds))
        ]

    def _validate(self) -> None:
        state = self.state
        each, late = validation_metrics(state.model, self.problem, self.config.limit)
        ratios, truncation = each[0].mean(dim=1), late[0].mean(dim=1)
        records = []
        for seed, progress in enumerate(state.seeds):
            ratio = float(ratios[seed])
            progress.stale += 1
            if ratio < progress.best_ratio:
                progress.best_ratio, progress.best_update = ratio, state.update
                progress.stale = 0
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
        for listener in self.listeners:
            listener.on_validation(records)

    def _choose_temperature(self) -> None:
        """Give each seed's best model the temperature that validation asks for."""
        state = self.state
        if "temperature" not in state.best or state.validated < 0:
            return
        state.best["temperature"].fill_(1.0)
        last = {name: tensor.clone() for name, tensor in state.model.state_dict().items()}
        state.model.load_state_dict(state.best)
        ratios, _ = validation_metrics(state.model, self.problem, self.config.limit, TEMPERATURES)
        state.model.load_state_dict(last)
        for seed, progress in enumerate(state.seeds):
            place = best_temperature(ratios[:, seed])
            progress.temperature = TEMPERATURES[place]
            progress.tempered_ratio = float(ratios[place, seed].mean())
            state.best["temperature"][seed] = progress.temperature

    def _is_stale(self) -> bool:
        patience = self.config.patience
        return patience > 0 and all(seed.stale >= patience for seed in self.state.seeds)


def validation_metrics(
    model: Model, problem: Problem, max_hops: int, temperatures: Sequence[float] = (1.0,)
) -> tuple[Tensor, Tensor]:
    """The exact oracle ratio and truncation rate of each seed's validation targets.

    Both are means over all sources, (num_temperatures, num_seeds, num_targets); the ratio's leaves
    out those further away than the limit.
    """
    targets = problem.validation_targets
    seeds, others = model.num_seeds, problem.num_nodes - 1
    ratios, truncation = [], []
    size = max(1, _VALIDATION_ENTRIES // (seeds * problem.num_nodes))
    with torch.no_grad():
        rows = model.embed(problem.egos)
        for start in range(0, targets.shape[1], size):
            block = targets[:, start : start + size]
            shown = neighbours_of(block, problem)
            scores = scores_towards(model, problem, rows, shown).flatten(0, 1)
            distances = distances_towards(problem, shown).double()
            sources = distances > 0
            near = sources & (distances <= max_hops)
            for temperature in temperatures:
                scaled = scores / temperature
                hops, late = validation_hops(scaled, block.flatten(), max_hops, problem)
                shares = (hops / distances.clamp(min=1) * near).sum(dim=1) / near.sum(dim=1)
                # rounding alone takes a mean below 1
                ratios.append(shares.clamp(min=1.0).reshape(block.shape).cpu())
                late = (late * sources).sum(dim=1) / others
                truncation.append(late.reshape(block.shape).cpu())

    def gathered(parts: list[Tensor]) -> Tensor:
        count = len(temperatures)
        return torch.stack([torch.cat(parts[place::count], dim=1) for place in range(count)])

    return gathered(ratios), gathered(truncation)


def best_temperature(ratios: Tensor) -> int:
    """The place of the temperature to use, from ratios (num_temperatures, num_targets).

    The highest within a standard error of the best: validation targets are few, and a policy that
    is too sure of itself walks in circles where it is wrong. An error below half a percent, as
    where all of them were reached without a detour, is taken for half a percent.
    """
    means = ratios.mean(dim=1)
    best = int(means.argmin())
    error = float(ratios[best].std(correction=0)) / math.sqrt(ratios.shape[1])
    error = max(error, _LEAST_ERROR)
    return int((means <= means[best] + error).nonzero().max())


def step_share(update: int, config: TrainingConfig) -> float:
    """The share of the learning rate that an update uses."""
    if config.schedule == "constant":
        return 1.0
    return 0.5 * (1 + math.cos(math.pi * update / config.updates))


def clip_each_seed(model: Model, largest: float) -> None:
    """Scale each seed's gradient down to a norm of at most ``largest``."""
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    squares = torch.stack([g.square().flatten(1).sum(dim=1) for g in gradients]).sum(dim=0)
    factors = (largest / (squares.sqrt() + 1e-6)).clamp(max=1.0)
    for gradient in gradients:
        gradient.mul_(factors.reshape(-1, *[1] * (gradient.dim() - 1)))


def _seed_of_stack(seeds: tuple[int, ...]) -> int:
    """One number for the random stream that a stack of seeds shares."""
    number = 0
    for seed in seeds:
        number = (number * 1_000_003 + seed + 1) % (1 << 63)
    return number
