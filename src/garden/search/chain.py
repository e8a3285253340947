"""Exact evaluation: a memoryless strategy is an absorbing Markov chain per target.

For a target t, every node v has one score f_t(v), which no holder changes. The holder u passes the
message to its neighbour v with probability ::

    P_t(u → v) = w_t(v) / Σ_{x ∈ N(u)} w_t(x),

where w_t = exp(f_t) under softmax selection, and 1 for the best neighbours and 0 for others under
argmax. The probability that a message from u is still on its way after k hops is ::

    s_0(u) = 1[u ≠ t],    s_k(u) = 1[u ≠ t] · Σ_v P_t(u → v) s_{k−1}(v).

With H the number of hops and T = max_hops, all results follow without sampling::

    P(H = k)         = s_{k−1}(u) − s_k(u)
    E[min(H, T)]     = s_0(u) + … + s_{T−1}(u)
    truncation rate  = s_T(u)

:func:`solve_chain_plain` is this definition in SciPy; the compiled kernel in
:mod:`garden.search.chain_kernels` gives the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from garden.datasets.task import pairs_by_target
from garden.graphs.graph import Graph
from garden.process_settings import map_in_threads
from garden.strategies.base import ScoreSource, Selection, Strategy, score_blocks
from garden.strategies.representations import Representations
from garden.strategies.selection import choice_weights

NEGLIGIBLE = 1e-15  # once every s_k(u) is below it, the chain counts as absorbed


@dataclass(frozen=True, eq=False)
class ChainTable:
    """Exact results from every source to some targets."""

    expected_hops: np.ndarray  # (num_targets, num_nodes): E[min(hops, max_hops)]; 0 at the target
    truncation: np.ndarray  # (num_targets, num_nodes): probability of no delivery in max_hops


def chain_table(
    graph: Graph,
    strategy: Strategy,
    representations: Representations,
    targets: np.ndarray,
    max_hops: int,
) -> ChainTable:
    """Expected hops and truncation from every source to each target.

    Args:
        graph: The graph that messages travel on.
        strategy: Whose scores and selection decide; without a memory.
        representations: One row per node of the graph, made by this strategy.
        targets: Positions of the targets, (num_targets,).
        max_hops: The hop at which an episode is truncated, T.

    Returns:
        Tables with a row per target and a column per source.
    """
    targets = np.asarray(targets)
    expected = np.empty((len(targets), graph.num_nodes))
    truncation = np.empty_like(expected)
    for block, scores in score_blocks(strategy, representations, targets):
        expected[block], truncation[block] = chain_of_scores(
            graph, scores, strategy.selection, targets[block], max_hops
        )
    return ChainTable(expected, truncation)


def chain_of_scores(
    graph: Graph, scores: np.ndarray, selection: Selection, targets: np.ndarray, max_hops: int
) -> tuple[np.ndarray, np.ndarray]:
    """The same from a table of scores, one chain per row.

    Args:
        graph: The graph that messages travel on.
        scores: f_t(v) of each target and node, (num_targets, num_nodes) float64.
        selection: How a holder chooses among its neighbours' scores.
        targets: Positions of the targets, (num_targets,).
        max_hops: The hop at which an episode is truncated, T.

    Returns:
        E[min(H, T)] and the truncation probability, each shaped like ``scores``.
    """
    expected = np.empty_like(scores)
    truncation = np.empty_like(scores)
    no_sources = np.empty(0, dtype=np.int64)

    def solve(row: int) -> None:
        expected[row], truncation[row], _ = solve_chain(
            graph, scores[row], selection, int(targets[row]), max_hops, no_sources
        )

    map_in_threads(solve, range(len(targets)))
    return expected, truncation


def hop_distributions(
    graph: Graph,
    strategy: Strategy,
    representations: Representations,
    pairs: np.ndarray,
    max_hops: int,
    scored: ScoreSource = score_blocks,
) -> np.ndarray:
    """The exact distribution of hops of each pair.

    Args:
        graph: The graph that messages travel on.
        strategy: Whose scores and selection decide; without a memory.
        representations: One row per node of the graph, made by this strategy.
        pairs: Positions of source and target, (num_pairs, 2).
        max_hops: The hop at which an episode is truncated, T.
        scored: Where score tables come from; a :class:`ScoreMemo` shares them between calls.

    Returns:
        (num_pairs, max_hops + 1): column k − 1 is P(H = k), the last column the truncation
        probability. Every row sums to 1.
    """
    targets, rows_of = pairs_by_target(pairs)
    distributions = np.empty((len(pairs), max_hops + 1))
    for block, scores in scored(strategy, representations, targets):

        def solve(row: int, first: int = block.start, scores: np.ndarray = scores) -> None:
            number = first + row
            rows, target = rows_of[number], int(targets[number])
            _, _, survival = solve_chain(
                graph, scores[row], strategy.selection, target, max_hops, pairs[rows, 0]
            )
            distributions[rows, :-1] = survival[:, :-1] - survival[:, 1:]
            distributions[rows, -1] = survival[:, -1]

        map_in_threads(solve, range(block.stop - block.start))
    return distributions


Solution = tuple[np.ndarray, np.ndarray, np.ndarray]
"""E[min(H, T)] and s_T, (num_nodes,) each; s_0 … s_T of some sources, (num_sources, T + 1)."""


def solve_chain(
    graph: Graph,
    scores: np.ndarray,
    selection: Selection,
    target: int,
    max_hops: int,
    sources: np.ndarray,
) -> Solution:
    """The chain of one target, compiled where numba is installed.

    Args:
        graph: The graph that messages travel on.
        scores: The target's row of scores, (num_nodes,) float64.
        selection: How a holder chooses among its neighbours' scores.
        target: The position of the target.
        max_hops: The hop at which an episode is truncated, T.
        sources: Whose survival s_0 … s_T is wanted, (num_sources,); may be empty.

    Returns:
        Expected hops and truncation of every node, and survival of ``sources``.
    """
    try:
        from garden.search.chain_kernels import solve_chain_compiled
    except ImportError:  # no numba on this machine
        return solve_chain_plain(graph, scores, selection, target, max_hops, sources)
    expected, truncation = np.empty(graph.num_nodes), np.empty(graph.num_nodes)
    survival = np.empty((len(sources), max_hops + 1))
    solve_chain_compiled(
        graph.indptr,
        graph.indices,
        scores,
        selection == "argmax",
        target,
        max_hops,
        NEGLIGIBLE,
        np.asarray(sources, dtype=np.int64),
        expected,
        truncation,
        survival,
    )
    return expected, truncation, survival


def solve_chain_plain(
    graph: Graph,
    scores: np.ndarray,
    selection: Selection,
    target: int,
    max_hops: int,
    sources: np.ndarray,
) -> Solution:
    """The definition, in SciPy; :func:`solve_chain` gives the same bits.

    Args:
        graph: The graph that messages travel on.
        scores: The target's row of scores, (num_nodes,) float64.
        selection: How a holder chooses among its neighbours' scores.
        target: The position of the target.
        max_hops: The hop at which an episode is truncated, T.
        sources: Whose survival s_0 … s_T is wanted, (num_sources,); may be empty.

    Returns:
        Expected hops and truncation of every node, and survival of ``sources``.
    """
    transitions = transition_matrix(graph, scores, selection)
    on_way = np.ones(graph.num_nodes)
    on_way[target] = 0.0
    expected = np.zeros(graph.num_nodes)
    survival = np.zeros((len(sources), max_hops + 1))
    survival[:, 0] = on_way[sources]
    for hop in range(1, max_hops + 1):
        expected += on_way
        on_way = transitions @ on_way
        on_way[target] = 0.0
        if on_way.max() < NEGLIGIBLE:
            on_way[:] = 0.0
            break
        survival[:, hop] = on_way[sources]
    return expected, on_way, survival


def transition_matrix(graph: Graph, scores: np.ndarray, selection: Selection) -> sp.csr_array:
    """P_t(u → v) under one target's scores, (num_nodes, num_nodes); rows sum to 1.

    Args:
        graph: the graph.
        scores: of all nodes towards the target, (num_nodes,).
        selection: how a holder chooses by scores.

    Returns:
        Sparse, (num_nodes, num_nodes).
    """
    probabilities = np.empty(len(graph.indices))
    for node in range(graph.num_nodes):
        row = slice(graph.indptr[node], graph.indptr[node + 1])
        weights = choice_weights(scores[graph.indices[row]], selection)
        probabilities[row] = weights / weights.sum()
    shape = (graph.num_nodes, graph.num_nodes)
    return sp.csr_array((probabilities, graph.indices, graph.indptr), shape=shape)
