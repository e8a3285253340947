"""What the page draws of a graph: its picture, and what is known of its nodes."""

from __future__ import annotations

import numpy as np

from garden.errors import SpecError
from garden.graphs.distances import UNREACHABLE, distances
from garden.graphs.graph import Graph
from garden.plots.pivot_layout import layout
from garden.search.lazy_rows import LazyRows
from garden.search.rounds import node_keys, representations_of
from garden.strategies.base import scores_at_holder
from garden.strategies.gossip.protocol import GossipStrategy
from garden.strategies.representations import Representations
from garden.web import schemas
from garden.web.library import Library, Player, has_value

MAX_DRAWN_EDGES = 20_000
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
        names = key_names(graph, player)
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


def _ego_edges(graph: Graph, node: int, neighbours: np.ndarray) -> list[int]:
    members = set(neighbours.tolist())
    edges = [end for other in neighbours.tolist() for end in (node, other)]
    for other in neighbours.tolist():
        inner = [int(n) for n in graph.neighbours(other) if n > other and int(n) in members]
        edges += [end for far in inner for end in (other, far)]
    return edges[: 2 * MAX_DRAWN_EDGES]


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


def key_names(graph: Graph, player: Player) -> dict[int, str] | None:
    """The names of nodes by key, where agents told each other distances to beacons.

    Args:
        graph: The graph.
        player: A strategy that is ready on it.
    """
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
