"""Trips of messages as the page draws them, hop by hop, and how strategies compare on many."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from garden.errors import GraphError
from garden.graphs.distances import UNREACHABLE, distances, pair_distances
from garden.graphs.ego import ragged_rows
from garden.graphs.graph import Graph
from garden.search.config import limit_of
from garden.search.episode_rng import episode_streams
from garden.search.walk import Choice, Walk, walk
from garden.web import schemas
from garden.web.library import Library, Player
from garden.web.pictures import MAX_LISTED, heard_by, key_names

MAX_SEEN = 3_000


def trip(library: Library, asked: schemas.WalkAsked) -> schemas.Walk:
    """One message's trip, with what each holder chose from.

    Args:
        library: Holds graph and strategy.
        asked: Which of them, the two ends, and what is random.
    """
    graph = library.graph(asked.graph)
    source, target = library.node(graph, asked.source), library.node(graph, asked.target)
    if source == target:
        raise GraphError("source and target are the same node: choose two")
    player = library.player(asked.graph, asked.strategy)
    contender, pair = player.contender, _Pair.of(graph, source, target)
    choices: list[Choice] = []
    made = _walked(graph, player, pair, asked.seed, watch=choices.append)
    return schemas.Walk(
        graph=asked.graph,
        strategy=asked.strategy,
        label=library.strategy(asked.strategy).name,
        memory=contender.memory.name,
        knows=contender.strategy.knows,
        source=source,
        target=target,
        path=list(made.nodes),
        hops=hops_of(graph, player, choices),
        delivered=made.delivered,
        distance=pair.distance,
        shortest_path=shortest_path(graph, source, target),
        max_hops=pair.limit,
        rounds=player.rounds,
    )


class _Pair(NamedTuple):
    """Two nodes, how far apart they are, and the hop at which a message is given up."""

    source: int
    target: int
    distance: int
    limit: int

    @classmethod
    def of(cls, graph: Graph, source: int, target: int) -> _Pair:
        distance = int(pair_distances(graph, np.array([[source, target]]))[0])
        return cls(source, target, distance, limit_of("auto", distance))


def _walked(
    graph: Graph,
    player: Player,
    pair: _Pair,
    seed: int,
    number: int = 0,
    watch: Callable[[Choice], None] | None = None,
) -> Walk:
    """One message of a player; ``number`` tells apart the messages of one seed."""
    contender, stream = player.contender, int(episode_streams(seed, number, 1)[0])
    with player.lock:  # lazy rows are made as they are met
        return walk(
            graph,
            contender.strategy,
            player.rows,
            pair.source,
            pair.target,
            contender.memory,
            pair.limit,
            stream,
            watch,
        )


def policy_path(
    library: Library, graph_id: str, strategy_id: str, source: int, target: int
) -> schemas.PolicyPath:
    """Where a strategy takes one message, without what its holders saw.

    Args:
        library: Holds graph and strategy.
        graph_id: The graph.
        strategy_id: The strategy.
        source: A position.
        target: Another one.
    """
    graph, player = library.graph(graph_id), library.player(graph_id, strategy_id)
    made = _walked(graph, player, _Pair.of(graph, source, target), seed=0)
    label = library.strategy(strategy_id).name
    return schemas.PolicyPath(label=label, path=list(made.nodes), delivered=made.delivered)


def hops_of(graph: Graph, player: Player | None, choices: Sequence[Choice]) -> list[schemas.Hop]:
    """Each holder's choice with what it saw; what agents were told where there is a player.

    Args:
        graph: The graph.
        player: Whose agents tell each other something; None: nobody is told anything.
        choices: What each holder chose from, in order.
    """
    names = None if player is None else key_names(graph, player)
    return [_hop(graph, player, choice, names) for choice in choices]


def _hop(
    graph: Graph, player: Player | None, choice: Choice, names: dict[int, str] | None
) -> schemas.Hop:
    heard = None
    if player is not None and names is not None and len(choice.candidates) <= MAX_LISTED:
        heard = ["; ".join(heard_by(player, int(c), names)[:8]) for c in choice.candidates]
    return schemas.Hop(
        holder=choice.holder,
        candidates=choice.candidates.tolist(),
        probabilities=np.round(choice.probabilities, 6).tolist(),
        scores=[round(float(score), 6) for score in choice.scores],
        chosen=choice.chosen,
        seen=seen_by(graph, choice.holder),
        heard=heard,
    )


def seen_by(graph: Graph, holder: int) -> list[int]:
    """The nodes in the ego graphs of the holder and its neighbours, at most 3,000.

    Args:
        graph: The graph.
        holder: A position.

    Returns:
        Positions, ascending.
    """
    neighbours = graph.neighbours(holder)
    positions, _ = ragged_rows(graph.indptr, neighbours.astype(np.int64))
    seen = np.unique(np.concatenate([[holder], neighbours, graph.indices[positions]]))
    return [int(node) for node in seen[:MAX_SEEN]]


def shortest_path(graph: Graph, source: int, target: int) -> list[int]:
    """A shortest path, the source first: of equally near neighbours the first is taken.

    Args:
        graph: The graph.
        source: A position.
        target: A position; one without a path from the source is refused.
    """
    hops = distances(graph, np.array([target]))[0]
    if hops[source] == UNREACHABLE:
        raise GraphError("there is no path between these nodes")
    path = [source]
    while path[-1] != target:
        neighbours = graph.neighbours(path[-1])
        path.append(int(neighbours[hops[neighbours].argmin()]))
    return path


def standings(
    library: Library, graph_id: str, strategy_ids: list[str], num_pairs: int, seed: int
) -> Iterator[schemas.Standing]:
    """Play pairs one after the other, all strategies on each, and say how they stand.

    Args:
        library: Holds graph and strategies.
        graph_id: The graph.
        strategy_ids: The strategies.
        num_pairs: How many pairs are played.
        seed: Which pairs, and what is random on the way.

    Returns:
        One standing after each trip.
    """
    graph = library.graph(graph_id)
    players = {one: library.player(graph_id, one) for one in strategy_ids}
    rng = np.random.default_rng(seed)
    ratios: dict[str, list[float]] = {one: [] for one in strategy_ids}
    truncated = dict.fromkeys(strategy_ids, 0)
    for number in range(num_pairs):
        source, target = (int(end) for end in rng.choice(graph.num_nodes, 2, replace=False))
        pair = _Pair.of(graph, source, target)
        for one, player in players.items():
            made = _walked(graph, player, pair, seed, number)
            ratios[one].append((made.hops if made.delivered else pair.limit) / pair.distance)
            truncated[one] += not made.delivered
            yield schemas.Standing(
                strategy=one,
                label=library.strategy(one).name,
                pairs_done=number + 1,
                num_pairs=num_pairs,
                oracle_ratio=round(float(np.mean(ratios[one])), 4),
                truncation_rate=truncated[one] / (number + 1),
            )
