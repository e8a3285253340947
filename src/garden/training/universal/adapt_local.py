"""Agents that learn edge biases by themselves, from the messages that pass through them.

A holder has its neighbours' scores for the message's target, as the shared strategy gives them, and
the neighbour that it chose. When the message arrives, an acknowledgement goes back along its path
with the number of hops after each holder's choice; without one, the message was lost. From this
alone an agent learns one number for each neighbour, added to that neighbour's score.
Representations do not change, no agent reads another's numbers, and there is no central step.

The step is REINFORCE with a running baseline of the agent's own (:class:`LearningAgent`).
Corrections of the last hidden layer, in place of one number per neighbour, learn far more slowly.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import final

import numpy as np

from garden.datasets.task import SearchTask
from garden.graphs.distances import pair_distances
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.graphs.identity import GraphIdentity
from garden.random_streams import LOCAL_ADAPTING
from garden.search.config import PAPERS_LIMIT, limit_towards
from garden.search.metrics import mean_ratio, oracle_ratios
from garden.search.progress import Progress, silent
from garden.search.rollout import rollout
from garden.strategies.base import Strategy
from garden.strategies.memory import Memory
from garden.strategies.registry import MEMORIES
from garden.strategies.selection import choice_weights, choose
from garden.strategies.universal.adapted import Adapted
from garden.strategies.universal.edge_bias import EdgeBias, EdgeBiasMemory
from garden.strategies.universal.policy import Universal
from garden.training.universal.adapt import training_messages
from garden.training.universal.config import AdaptConfig

MAX_KEPT = 1 << 24  # entries of score rows that are kept for later messages to the same target
EPISODES_PER_PAIR = 5  # of the validation pairs


@final
class LearningAgent:
    """One agent's edge biases, and how it changes them.

    With π = softmax(s + b) over its neighbours, c the neighbour chosen and G = γ^h the outcome, h
    further hops after the choice (G = 0 where the message was lost)::

        b ← b + α (G − V) (1_c − π)        V ← V + (G − V) / min(n, 50)

    V is the mean outcome so far; the first outcome only sets it.
    """

    STEP = 0.3  # α
    DISCOUNT = 0.9  # γ
    WINDOW = 50  # outcomes that the baseline V averages over

    def __init__(self, num_neighbours: int) -> None:
        self.edge_bias = np.zeros(num_neighbours)
        self.baseline = 0.0
        self.num_outcomes = 0

    def probabilities(self, scores: np.ndarray) -> np.ndarray:
        """π, the chance of each neighbour, from their scores for the message's target."""
        weights = choice_weights(scores + self.edge_bias, "softmax")
        shares: np.ndarray = weights / weights.sum()
        return shares

    def learn(self, probabilities: np.ndarray, chosen: int, further_hops: int | None) -> None:
        """Change the biases by the outcome of one choice.

        Args:
            probabilities: π at the time of the choice.
            chosen: The number of the neighbour chosen.
            further_hops: Hops after the choice until delivery; None where the message was lost.

        """
        outcome = 0.0 if further_hops is None else self.DISCOUNT**further_hops
        advantage = outcome - self.baseline if self.num_outcomes else 0.0
        self.num_outcomes += 1
        self.baseline += (outcome - self.baseline) / min(self.num_outcomes, self.WINDOW)
        self.edge_bias -= self.STEP * advantage * probabilities
        self.edge_bias[chosen] += self.STEP * advantage


def adapt_locally(
    start: Universal, task: SearchTask, config: AdaptConfig, progress: Progress = silent
) -> Adapted:
    """The policy as it was, with edge biases learned from ``config.num_local_messages`` messages.

    Args:
        start: The shared policy.
        task: The graph and its split.
        config: How many messages.
        progress: Called as messages pass.

    """
    began = time.monotonic()
    max_hops = limit_towards("auto", task.graph, task.validation_targets)
    edge_bias = learn_locally(start, task, config.num_local_messages, progress, max_hops)
    record = {
        "graph": task.graph.name,
        "options": asdict(config),
        "max_hops": max_hops,
        "validation_ratio_before": _sampled_ratio(start, task, MEMORIES["none"], max_hops),
        "validation_ratio": _sampled_ratio(start, task, EdgeBiasMemory(edge_bias), max_hops),
        "kept": "what agents learned",
        "seconds": round(time.monotonic() - began, 2),
    }
    graph, marks = task.graph, GraphIdentity.of(task.graph).marks
    return Adapted(
        start, graph.content_hash, task.content_hash, task.seed, record, edge_bias, marks
    )


def learn_locally(
    strategy: Strategy,
    task: SearchTask,
    num_messages: int,
    progress: Progress = silent,
    max_hops: int = PAPERS_LIMIT,
) -> EdgeBias:
    """The edge biases of all agents after some messages to training targets.

    Args:
        strategy: The shared strategy; its scores stay fixed.
        task: The graph and its split.
        num_messages: How many messages are sent, one after the other.
        progress: Called as messages pass.
        max_hops: After as many hops a message is lost.

    """
    graph = task.graph
    rows = strategy.represent(ego_graphs(graph))

    @lru_cache(max(1, MAX_KEPT // graph.num_nodes))
    def scores_for(target: int) -> np.ndarray:
        table: np.ndarray = strategy.score(rows, rows.take(np.array([target])))
        return table[0]

    agents = [LearningAgent(len(graph.neighbours(node))) for node in range(graph.num_nodes)]
    draws = np.random.default_rng([task.seed, LOCAL_ADAPTING])
    messages = training_messages(task, num_messages)
    for number, (source, target) in enumerate(messages.tolist(), start=1):
        send(graph, agents, scores_for(target), source, target, draws, max_hops)
        progress("learning", number, num_messages)
    return edge_bias_of(graph, agents)


def send(
    graph: Graph,
    agents: Sequence[LearningAgent],
    scores: np.ndarray,
    source: int,
    target: int,
    draws: np.random.Generator,
    max_hops: int = PAPERS_LIMIT,
) -> int:
    """Send one message; those who held it learn from its outcome.

    Args:
        graph: The graph.
        agents: The agent of each node.
        scores: (num_nodes,) scores of all nodes for this target.
        source: The first holder.
        target: The node to reach.
        draws: By which neighbours are drawn.
        max_hops: After as many hops the message is lost.

    Returns:
        The number of hops that the message made.

    """
    holder = source
    trail: list[tuple[int, np.ndarray, int]] = []
    while holder != target and len(trail) < max_hops:
        candidates = graph.neighbours(holder)
        probabilities = agents[holder].probabilities(scores[candidates])
        chosen = choose(probabilities, draws.random())
        trail.append((holder, probabilities, chosen))
        holder = int(candidates[chosen])
    delivered = holder == target
    for further, (agent, probabilities, chosen) in enumerate(reversed(trail)):
        agents[agent].learn(probabilities, chosen, further if delivered else None)
    return len(trail)


def edge_bias_of(graph: Graph, agents: Sequence[LearningAgent]) -> EdgeBias:
    """The biases of all agents as one table, for the simulator.

    Args:
        graph: says who the neighbours of each agent are, in its agent's order.
        agents: the agent of each node.
    """
    holders = np.repeat(np.arange(graph.num_nodes), np.diff(graph.indptr))
    values = np.concatenate([agent.edge_bias for agent in agents])
    return EdgeBias(holders, graph.indices.astype(np.int64), values)


def _sampled_ratio(
    strategy: Strategy, task: SearchTask, memory: Memory, max_hops: int
) -> float | None:
    """The oracle ratio on validation pairs, None where all are further apart than the limit."""
    pairs = task.validation_pairs
    rows = strategy.represent(ego_graphs(task.graph))
    walks = rollout(
        task.graph, strategy, rows, pairs, memory, max_hops, EPISODES_PER_PAIR, task.seed
    )
    hops = np.minimum(walks.hops, max_hops).mean(axis=1)
    return mean_ratio(oracle_ratios(hops, pair_distances(task.graph, pairs), max_hops))
