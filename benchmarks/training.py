"""Training speed on the CPU: episodes per second of A2C, and how soon others pass the paper.

Batched A2C, and the paper's protocol of one episode per update, stand beside an implementation of
the same model and loss that plays one episode per update hop by hop, as the paper's pseudocode
does. `exact` trains for 2 (graph 1) and 6 minutes
(graph 5) on attributes as published, `trellis` for 15 seconds on each graph, joined by id; reported
are when validation passed the paper's GARDEN, and what the model kept by validation then needs on
test pairs.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from _timing import report
from garden.api import evaluate, load
from garden.datasets.task import SearchTask
from garden.graphs.graph import Graph
from garden.models.registry import ModelConfig
from garden.training.callbacks import Listener
from garden.training.config import RunOptions, TrainingOptions
from garden.training.run import train_seeds
from garden.training.trainer import Trainer

PUBLISHED = {"414": 10.95, "686": 9.89, "348": 8.74, "0": 12.08, "3437": 16.97}
LIMIT_MINUTES = {"414": 2.0, "3437": 6.0}
TRELLIS_MINUTES = 0.25


def main() -> None:
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--graphs", nargs="*", default=["414", "3437"])
    chosen, _ = parser.parse_known_args()
    graph = load("facebook:414,attributes=as-published")
    batched, transitions = batched_episodes_per_second(graph)
    alone = single_episodes_per_second(graph)
    protocol = protocol_episodes_per_second(graph)
    content: dict[str, float] = {
        "a2c_episodes_per_s": batched,
        "a2c_transitions_per_s": transitions,
        "paper_protocol_episodes_per_s": protocol,
        "one_by_one_episodes_per_s": alone,
        "ratio": batched / alone,
    }
    for ego, published in PUBLISHED.items():
        task = SearchTask.split(load(f"facebook:{ego}"))
        options = TrainingOptions(model="trellis", updates=200, validate_every=10)
        passed, seconds, ratio = within(task, options, TRELLIS_MINUTES, published)
        content[f"trellis_{ego}_validation_below_paper_s"] = passed
        content[f"trellis_{ego}_trained_s"] = seconds
        content[f"trellis_{ego}_test_ratio"] = ratio
    for ego in chosen.graphs:
        task = SearchTask.split(load(f"facebook:{ego},attributes=as-published"))
        options = TrainingOptions(model="garden", method="exact")
        passed, seconds, ratio = within(task, options, LIMIT_MINUTES[ego], PUBLISHED[ego])
        content[f"exact_{ego}_validation_below_paper_s"] = passed
        content[f"exact_{ego}_trained_s"] = seconds
        content[f"exact_{ego}_test_ratio"] = ratio
    rows = [(name, f"{value:.4g}") for name, value in content.items()]
    report("Training on the CPU", ("what", "value"), rows, content)


def batched_episodes_per_second(graph: Graph, episodes: int = 2000) -> tuple[float, float]:
    """Episodes and transitions per second over the first episodes from random weights."""
    options = TrainingOptions(model="garden", method="a2c", walks_per_target=8).resolved()
    trainer = Trainer([SearchTask.split(graph)], options, ModelConfig())
    trainer._update()
    per_update = options.targets_per_update * options.walks_per_target
    hops, start = 0.0, time.perf_counter()
    for _ in range(episodes // per_update):
        trainer.state.update = options.validate_every - 1  # so that each update keeps its stats
        trainer._update()
        hops += trainer.state.stats[0]["hops"] * per_update
    seconds = time.perf_counter() - start
    made = episodes // per_update * per_update
    return made / seconds, hops / seconds


def protocol_episodes_per_second(graph: Graph, episodes: int = 300) -> float:
    """One episode per update, as ``--protocol paper`` trains, validations left out."""
    options = TrainingOptions(protocol="paper").resolved()
    trainer = Trainer([SearchTask.split(graph)], options, ModelConfig())
    for _ in range(3):
        trainer._update()
    start = time.perf_counter()
    for _ in range(episodes):
        trainer._update()
    return episodes / (time.perf_counter() - start)


def single_episodes_per_second(graph: Graph, episodes: int = 5) -> float:
    """The same model, one episode per update, every hop scored by itself."""
    options = TrainingOptions(model="garden", method="a2c").resolved()
    trainer = Trainer([SearchTask.split(graph)], options, ModelConfig())
    model, egos = trainer.state.model, trainer.training_graph.egos
    rng = np.random.default_rng(0)
    train = trainer.training_graph.train_targets[0].numpy()
    start = time.perf_counter()
    for _ in range(episodes):
        target, holder = int(rng.choice(train)), int(rng.integers(graph.num_nodes))
        rows = model.embed(egos)
        goal = rows[:, target : target + 1]
        loss, hops = torch.zeros(()), 0
        while holder != target and hops < trainer.config.limit:
            neighbours = torch.as_tensor(graph.neighbours(holder).astype(np.int64))
            candidates = rows[:, neighbours]
            scores = model.score_aligned(candidates, goal.expand_as(candidates))[0]
            policy = torch.distributions.Categorical(logits=scores)
            chosen = policy.sample()
            following = int(neighbours[chosen])
            value = model.value_table(rows[:, holder : holder + 1], goal)[0, 0, 0]
            with torch.no_grad():
                onward = model.value_table(rows[:, following : following + 1], goal)[0, 0, 0]
                worth = torch.ones(()) if following == target else options.gamma * onward
            advantage = worth - value
            loss = loss - advantage.detach() * policy.log_prob(chosen)
            loss = loss - options.entropy_coef * policy.entropy() + advantage.square()
            holder, hops = following, hops + 1
        if hops:
            trainer.state.optimiser.zero_grad()
            loss.backward()
            trainer.state.optimiser.step()
    return episodes / (time.perf_counter() - start)


class _Curve(Listener):
    """Remembers every validation."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []

    def on_validation(self, records: Sequence[dict[str, Any]]) -> None:
        self.records.append(records[0])


def within(
    task: SearchTask, options: TrainingOptions, minutes: float, published: float
) -> tuple[float, float, float]:
    """When validation passed the paper's GARDEN, and after the limit: seconds, test ratio."""
    curve = _Curve()
    (run,) = train_seeds(
        [task],
        options,
        ModelConfig(),
        RunOptions("cpu", max_minutes=minutes),
        listeners=[curve],
    )
    passed = [r["seconds"] for r in curve.records if r["validation_ratio"] < published]
    ratio = evaluate(task, run.policy).results[0].oracle_ratio
    return min(passed, default=float("nan")), run.summary["seconds"], ratio


if __name__ == "__main__":
    main()
