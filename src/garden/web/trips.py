"""What the page draws: pictures of graphs, trips of messages, details and values of nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from garden.errors import GraphError, SpecError
from garden.graphs.distances import UNREACHABLE, distances, pair_distances
from garden.graphs.ego import ragged_rows
from garden.graphs.graph import Graph
from garden.plots.pivot_layout import layout
from garden.search.config import limit_of
from garden.search.episode_rng import episode_streams
from garden.search.lazy_rows import LazyRows
from garden.search.rounds import node_keys, representations_of
from garden.search.walk import Choice, Walk, walk
from garden.strategies.base import scores_at_holder
from garden.strategies.gossip.protocol import GossipStrategy
from garden.strategies.representations import Representations
from garden.web import schemas
from garden.web.library import Library, Player, has_value

MAX_DRAWN_EDGES = 20_000
MAX_SEEN = 3_000
MAX_LISTED = 200  # attributes, neighbours' edges and entries of sketches in one reply
MAX_VALUED_NODES = 50_000


def picture(library: Library, graph_id: str) -> schemas.GraphPicture:
    """A graph with coordinates and at most 20,000 edges, an even sample of them.

    Args:
        library: Holds the graph.
        graph_id: Its id.
    """
    return picture_of(library.graph(graph_id), graph_id, library.graphs[graph_id].name)


def picture_of(graph: Graph, graph_id: str, name: str) -> schemas.GraphPicture:
    """The same of any graph, under an id and a name.

    Args:
        graph: The graph.
        graph_id: Its id on the page.
        name: What people see.
    """
    points = layout(graph)
    edges = graph.edges()
    if len(edges) > MAX_DRAWN_EDGES:
        edges = edges[np.linspace(0, len(edges) - 1, MAX_DRAWN_EDGES).astype(np.int64)]
    return schemas.GraphPicture(
        id=graph_id,
        name=name,
        num_nodes=graph.num_nodes,
        num_edges=graph.num_edges,
        names=list(graph.node_names),
        x=np.round(points[:, 0].astype(float), 4).tolist(),
        y=np.round(points[:, 1].astype(float), 4).tolist(),
        degree=graph.degrees.tolist(),
        edges=edges.reshape(-1).tolist(),
        attribute_names=list(graph.attribute_names[:MAX_LISTED]),
    )


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
    names = None if player is None else _key_names(graph, player)
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


def _key_names(graph: Graph, player: Player) -> dict[int, str] | None:
    """The names of nodes by key, where agents told each other distances to beacons."""
    strategy, rows = player.contender.strategy, player.rows
    if not isinstance(strategy, GossipStrategy) or not isinstance(rows, Representations):
        return None
    if not {"keys", "distances"} <= set(rows.ragged):
        return None
    keys = node_keys(graph, strategy.key_seed).tolist()
    return dict(zip(keys, graph.node_names, strict=True))


def heard_by(player: Player, node: int, names: dict[int, str]) -> list[str]:
    """What an agent keeps of what it was told: beacons and how far they are.

    Args:
        player: A strategy of beacons, ready on a graph.
        node: A position.
        names: The names of nodes by key.

    Returns:
        One text for each beacon, at most 200, nearest first.
    """
    row = player.rows.take(np.array([node]))
    keys, hops = row.ragged["keys"].values.tolist(), row.ragged["distances"].values.tolist()
    found = zip(keys[:MAX_LISTED], hops[:MAX_LISTED], strict=True)
    return [f"{names.get(key, '?')}: {hop}" for key, hop in found if hop > 0]


def values(
    library: Library, graph_id: str, kind: schemas.ValueKind, strategy_id: str, target: int
) -> schemas.NodeValues:
    """The true distance, a strategy's score or its learned value of each node to a target.

    Args:
        library: Holds graph and strategy.
        graph_id: The graph.
        kind: Which of the three; learned values are refused of strategies that have none.
        strategy_id: Counts for nothing where distances are asked for.
        target: A position.
    """
    graph = library.graph(graph_id)
    library.node(graph, target)
    if kind == "distance":
        found = distances(graph, np.array([target]))[0].astype(float)
        found[found == UNREACHABLE] = np.nan
    else:
        if graph.num_nodes > MAX_VALUED_NODES:
            raise SpecError(f"colours are for graphs of at most {MAX_VALUED_NODES:,} nodes")
        player = library.player(graph_id, strategy_id)
        found = _table(graph, player, kind, target)
    listed = [None if not np.isfinite(value) else round(float(value), 6) for value in found]
    return schemas.NodeValues(kind=kind, target=target, values=listed)


def _table(graph: Graph, player: Player, kind: schemas.ValueKind, target: int) -> np.ndarray:
    strategy, rows = player.contender.strategy, player.rows
    if kind == "value" and not has_value(strategy):
        raise SpecError(f"{strategy.name} learned no value: colour by score or distance")
    if isinstance(rows, LazyRows):
        rows = representations_of(graph, strategy)
    goal = rows.take(np.array([target]))
    if kind == "score":
        return scores_at_holder(strategy, rows, goal)
    table: np.ndarray = strategy.value(rows, goal)[0]  # type: ignore[attr-defined]
    return table


def details(
    library: Library, graph_id: str, node: int, target: int | None, strategy_id: str | None
) -> schemas.NodeDetails:
    """What is known of one node, its ego graph, and its score towards a target.

    Args:
        library: Holds graph and strategy.
        graph_id: The graph.
        node: A position.
        target: A position; None: no score.
        strategy_id: The strategy that scores; None: no score, and nothing that was heard.
    """
    graph = library.graph(graph_id)
    neighbours = graph.neighbours(library.node(graph, node))
    shown = neighbours[:MAX_LISTED]
    scores, heard = [], []
    if strategy_id is not None:
        player = library.player(graph_id, strategy_id)
        names = _key_names(graph, player)
        heard = [] if names is None else heard_by(player, node, names)
        if target is not None:
            scores = [_score(library, graph, player, strategy_id, node, target)]
    return schemas.NodeDetails(
        node=node,
        name=graph.node_names[node],
        degree=int(graph.degrees[node]),
        attributes=attributes_of(graph, node),
        neighbours=neighbours.tolist(),
        ego_edges=_ego_edges(graph, node, shown),
        scores=scores,
        heard=heard,
    )


def _score(
    library: Library, graph: Graph, player: Player, strategy_id: str, node: int, target: int
) -> schemas.NodeScore:
    library.node(graph, target)
    with player.lock:
        rows = player.rows.take(np.array([node])), player.rows.take(np.array([target]))
        score = float(scores_at_holder(player.contender.strategy, *rows)[0])
    label = library.strategy(strategy_id).name
    return schemas.NodeScore(strategy=strategy_id, label=label, score=round(score, 6))


def attributes_of(graph: Graph, node: int) -> list[str]:
    """The attributes of a node that are not 0, as text: a 1 by its name, numbers with theirs.

    Args:
        graph: The graph.
        node: A position.
    """
    row = graph.attributes[[node]]
    dense = row if isinstance(row, np.ndarray) else row.toarray()
    columns = np.flatnonzero(dense[0])[:MAX_LISTED]
    found = ((graph.attribute_names[at], float(dense[0, at])) for at in columns)
    return [name if value == 1 else f"{name}: {value:.4g}" for name, value in found]


def _ego_edges(graph: Graph, node: int, neighbours: np.ndarray) -> list[int]:
    members = set(neighbours.tolist())
    edges = [end for other in neighbours.tolist() for end in (node, other)]
    for other in neighbours.tolist():
        inner = [int(n) for n in graph.neighbours(other) if n > other and int(n) in members]
        edges += [end for far in inner for end in (other, far)]
    return edges[: 2 * MAX_DRAWN_EDGES]


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
