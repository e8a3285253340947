"""People beside policies on the same pairs.

Ratios are hops over the shortest path under the rules of each: a person who followed directions is
set against the shortest path that follows them, a policy against the one that goes both ways.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from garden.errors import GraphError
from garden.graphs.distances import pair_distances
from garden.graphs.graph import Graph
from garden.humans.plays import Play
from garden.resolve import contender_named
from garden.routing import ready_without_task, row_source
from garden.search.config import limit_of
from garden.search.episode_rng import episode_streams
from garden.search.walk import walk


@dataclass(frozen=True)
class Outcome:
    """How one player or strategy did on the pairs that were played."""

    name: str
    games: int
    delivered: int
    mean_ratio: float | None  # of delivered games
    median_ratio: float | None


def people_outcomes(plays: Sequence[Play]) -> list[Outcome]:
    """One outcome for each player, in order of their first play."""
    players = dict.fromkeys(play.player for play in plays)
    return [
        _outcome(name, [play.ratio for play in plays if play.player == name]) for name in players
    ]


def policy_outcomes(graph: Graph, plays: Sequence[Play], names: Sequence[str]) -> list[Outcome]:
    """How strategies do on the pairs of these plays, each pair once for each play.

    Args:
        graph: The graph that was played on.
        plays: The plays; all must be on this graph.
        names: Strategies, as the command line names them.
    """
    if any(play.graph_hash != graph.content_hash for play in plays):
        raise GraphError(f"{graph.name}: is not the graph that was played on")
    ends = [(graph.position(play.source), graph.position(play.target)) for play in plays]
    return [_outcome(name, _ratios(graph, ends, name)) for name in names]


def _ratios(graph: Graph, ends: Sequence[tuple[int, int]], name: str) -> list[float | None]:
    contender = contender_named(name)
    ready = ready_without_task(contender.strategy, graph)
    rows = row_source(graph, ready)
    distances = pair_distances(graph, np.array(ends)).tolist()
    found: list[float | None] = []
    for number, ((source, target), distance) in enumerate(zip(ends, distances, strict=True)):
        limit, stream = limit_of("auto", distance), int(episode_streams(0, number, 1)[0])
        made = walk(graph, ready, rows, source, target, contender.memory, limit, stream)
        found.append(made.hops / distance if made.delivered else None)
    return found


def _outcome(name: str, ratios: Sequence[float | None]) -> Outcome:
    done = [ratio for ratio in ratios if ratio is not None]
    mean, median = (float(np.mean(done)), float(np.median(done))) if done else (None, None)
    return Outcome(name, len(ratios), len(done), mean, median)
