"""The rules of the game: where a player can go from here, and how far it is.

Links go both ways, unless the graph's own directions are followed: then a player goes along
out-links, or back to where they came from, as with a browser's button.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from garden.errors import GraphError
from garden.graphs.graph import Graph

MIN_DISTANCE = 2  # of a pair that is worth a game
_DRAWS = 200


@dataclass(frozen=True, eq=False)
class Rules:
    """A graph to play on.

    Args:
        graph: The graph.
        links: Its links by direction, (num_nodes, num_nodes), where they are followed.
    """

    graph: Graph
    links: sp.csr_array | None = None

    def open_to(self, holder: int, before: int | None) -> list[int]:
        """Where a player can go.

        Args:
            holder: Where they are.
            before: Where they came from, if they have not gone back there yet.
        """
        if self.links is None:
            return self.graph.neighbours(holder).tolist()
        out = self.links.indices[self.links.indptr[holder] : self.links.indptr[holder + 1]]
        found = set(out.tolist())
        if before is not None:
            found.add(before)
        return sorted(found)

    def hops_to(self, target: int) -> np.ndarray:
        """Hops of each node to the target, (num_nodes,) float64; infinite where there is no way."""
        import scipy.sparse.csgraph as csgraph

        towards = self.graph.adjacency() if self.links is None else self.links.T
        hops: np.ndarray = csgraph.shortest_path(towards, unweighted=True, indices=target)
        return hops

    def shortest_path(self, source: int, target: int) -> list[int]:
        """A shortest path, the source first: of equally near nodes the first is taken.

        Args:
            source: A position.
            target: A position that it can reach.
        """
        hops = self.hops_to(target)
        path = [source]
        while path[-1] != target:
            path.append(min(self.open_to(path[-1], None), key=lambda node: hops[node]))
        return path

    def pair(self, seed: int) -> tuple[int, int]:
        """A source and a target that it can reach, at least two hops away where there is such."""
        rng = np.random.default_rng(seed)
        best = None
        for _ in range(_DRAWS):
            source, target = (int(n) for n in rng.choice(self.graph.num_nodes, 2, replace=False))
            hops = self.hops_to(target)[source]
            if not np.isfinite(hops):
                continue
            if hops >= MIN_DISTANCE:
                return source, target
            best = best or (source, target)
        if best is None:
            raise GraphError("no way was found between any two nodes: choose another graph")
        return best


def daily_seed(content_hash: str, day: str) -> int:
    """The seed of a day's puzzle: the same for everyone who has the graph.

    Args:
        content_hash: Of the graph.
        day: In UTC, as YYYY-MM-DD.
    """
    digest = hashlib.sha256(f"garden puzzle {day} {content_hash}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


def shared_with(graph: Graph, nodes: np.ndarray, target: int, most: int) -> list[list[str]]:
    """The attributes that each node has in common with the target, by name; numbers do not count.

    Args:
        graph: The graph.
        nodes: Positions, (num_nodes,).
        target: A position.
        most: How many of each are named at most.
    """
    if graph.num_attributes == 0:
        return [[] for _ in nodes]
    table = sp.csr_array(graph.attributes[np.append(nodes, target)])
    table = sp.csr_array((table.data == 1, table.indices, table.indptr), shape=table.shape)
    table.eliminate_zeros()
    both = sp.csr_array(table[:-1].multiply(table[[-1]]))
    names = graph.attribute_names
    rows = (both.indices[both.indptr[row] : both.indptr[row + 1]] for row in range(len(nodes)))
    return [[names[int(at)] for at in sorted(row)[:most]] for row in rows]
