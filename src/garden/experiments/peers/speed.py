"""How long one choice takes: `garden peers speed`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from garden.errors import expect_count
from garden.experiments.peers.cut import ready_contender
from garden.experiments.peers.report import PeerReport
from garden.experiments.peers.trial import PeerTrial
from garden.graphs.graph import Graph
from garden.peers.agent import Agent
from garden.peers.messages import new_message

WARMING = 100  # choices before those that count
STRATEGIES = (
    "random", "greedy", "distance", "connection", "lookahead", "bidirectional", "evn",
    "beacons", "universal",
)  # fmt: skip


@dataclass(frozen=True)
class ChoiceTime(PeerReport):
    """The time of ``Agent.choose``, over holders and targets drawn at random."""

    graph: str
    strategy: str
    memory: str
    choices: int
    median_us: float
    ninetieth_us: float


def time_choices(
    graph: Graph, strategy: str = "beacons+backtrack", choices: int = 2_000, seed: int = 0
) -> ChoiceTime:
    """Settle the peers of a graph, and time single choices.

    Args:
        graph: The graph that peers are cut from.
        strategy: What they run.
        choices: How many are timed.
        seed: Which holders and targets.
    """
    expect_count("choices", choices)
    contender = ready_contender(graph, strategy)
    trial = PeerTrial(graph, contender, seed)
    trial.settle()
    agents = [trial.network.agents[key] for key in trial.keys]
    times = choice_microseconds(agents, choices, seed)
    median, ninetieth = np.percentile(times, (50, 90))
    return ChoiceTime(
        graph.name, contender.label, contender.memory.name, choices, float(median),
        float(ninetieth),
    )  # fmt: skip


def choice_microseconds(agents: Sequence[Agent], choices: int, seed: int = 0) -> np.ndarray:
    """The time of each choice, (choices,): first hops, from one agent to another.

    Args:
        agents: Agents that have settled.
        choices: How many are timed, after :data:`WARMING` others.
        seed: Which holders and targets.
    """
    rng = np.random.default_rng(seed)
    times = []
    for number in range(WARMING + choices):
        holder, target = rng.choice(len(agents), 2, replace=False)
        message = new_message(agents[target].card, b"", number.to_bytes(16, "little"), bytes(16))
        start = time.perf_counter()
        agents[holder].choose(message)
        times.append(time.perf_counter() - start)
    return np.array(times[WARMING:]) * 1e6
