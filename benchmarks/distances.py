"""All-pairs distances of a 4,000-node, 88,000-edge graph, beside three graph libraries."""

from __future__ import annotations

import igraph
import networkx as nx
import numpy as np
import rustworkx

from _timing import best_seconds, report
from garden.graphs.distances import distances
from garden.graphs.graph import Graph

NUM_NODES, NUM_EDGES = 4000, 88_000


def main() -> None:
    drawn = nx.gnm_random_graph(NUM_NODES, NUM_EDGES, seed=0)
    edges = np.array(drawn.edges)
    graph = Graph.from_edges(edges, NUM_NODES)
    rx = rustworkx.PyGraph()
    rx.add_nodes_from(range(NUM_NODES))
    rx.add_edges_from_no_data([tuple(edge) for edge in edges.tolist()])
    ig = igraph.Graph(n=NUM_NODES, edges=edges.tolist())
    seconds = {
        "ours": best_seconds(lambda: distances(graph)),
        "rustworkx": best_seconds(lambda: rustworkx.distance_matrix(rx)),
        "igraph": best_seconds(lambda: ig.distances(), repeats=1),
        "networkx": best_seconds(lambda: dict(nx.all_pairs_shortest_path_length(drawn)), repeats=1),
    }
    assert np.array_equal(distances(graph), rustworkx.distance_matrix(rx))
    rows = [(name, f"{s:.3f} s", f"{s / seconds['ours']:.1f} ×") for name, s in seconds.items()]
    content = {**seconds, "ratio": seconds["rustworkx"] / seconds["ours"]}
    report("All-pairs distances, 4,000 nodes", ("library", "time", "to ours"), rows, content)


if __name__ == "__main__":
    main()
