"""Players made of two numbers: they choose by the very model that is fitted to people.

They test the fit, and show what it can tell from how many games.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from garden.graphs.distances import UNREACHABLE, distances
from garden.graphs.graph import Graph
from garden.humans.choice_model import choice_probabilities, traits
from garden.humans.plays import Play, Step


def simulated_plays(
    graph: Graph, weights: tuple[float, float], games: int, seed: int, max_hops: int = 60
) -> list[Play]:
    """Games of one player who weighs degree and shared attributes.

    Args:
        graph: A graph whose attributes are 0 or 1.
        weights: Of ln degree and of shared attributes.
        games: How many.
        seed: Fixes the pairs and the choices.
        max_hops: When a game is given up.
    """
    rng = np.random.default_rng(seed)
    player = f"{int(rng.integers(2**63)):016x}"
    return [_game(graph, np.array(weights), rng, player, max_hops) for _ in range(games)]


def _game(
    graph: Graph, weights: np.ndarray, rng: np.random.Generator, player: str, max_hops: int
) -> Play:
    source, target = (int(node) for node in rng.choice(graph.num_nodes, 2, replace=False))
    hops = distances(graph, np.array([target]))[0]
    shared = np.asarray(graph.attributes @ graph.attributes[[target]].T)
    shared = np.asarray(shared.todense() if hasattr(shared, "todense") else shared).ravel()
    path, steps = [source], []
    while path[-1] != target and len(path) <= max_hops and hops[source] != UNREACHABLE:
        offered = graph.neighbours(path[-1])
        step = _choice(graph, offered, shared, target, weights, rng)
        steps.append(step)
        path.append(int(offered[step.chosen]))
    names = graph.node_names
    return Play(
        graph=graph.name,
        graph_hash=graph.content_hash,
        player=player,
        day="simulated",
        directed=False,
        daily=False,
        source=names[source],
        target=names[target],
        path=tuple(names[node] for node in path),
        distance=int(hops[source]),
        delivered=path[-1] == target,
        steps=tuple(steps),
    )


def _choice(
    graph: Graph,
    offered: np.ndarray,
    shared: np.ndarray,
    target: int,
    weights: np.ndarray,
    rng: np.random.Generator,
) -> Step:
    """One step: the target where it is on offer, as people do, else a draw from the model."""
    found = np.flatnonzero(offered == target)
    degrees = tuple(graph.degrees[offered].tolist())
    common = tuple(int(count) for count in shared[offered])
    chosen = int(found[0]) if len(found) else 0
    step = Step(degrees, common, chosen, bool(len(found)), 0.0)
    if step.target_offered:
        return step
    probabilities = choice_probabilities(traits(step), weights)
    return replace(step, chosen=int(rng.choice(len(offered), p=probabilities)))
