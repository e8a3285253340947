"""Exact evaluation: a memoryless strategy is an absorbing Markov chain per target.

No score depends on the holder, so one row of scores per target gives every transition. The chance
that a message is still on its way after k hops comes from k sparse products; expected hops, the
truncation rate and the whole distribution of hops follow without sampling.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from garden.graphs.graph import Graph
from garden.search.score_blocks import ScoreSource, score_blocks
from garden.strategies.base import Selection, Strategy
from garden.strategies.representations import Representations
from garden.strategies.selection import choice_weights
from garden.threads import usable_threads

NEGLIGIBLE = 1e-15  # the chance of being on the way below which a chain has ended


@dataclass(frozen=True, eq=False)
class ChainTable:
    """Exact results of all sources for some targets."""

    expected_hops: np.ndarray  # (num_targets, num_nodes) of min(hops, max_hops); 0 at the target
    truncation: np.ndarray  # (num_targets, num_nodes): chance of no delivery within max_hops


def chain_table(
    graph: Graph,
    strategy: Strategy,
    representations: Representations,
    targets: np.ndarray,
    max_hops: int,
) -> ChainTable:
    """Expected hops and truncation from every source to each target."""
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
    """Expected hops and truncation, each like ``scores``, (num_targets, num_nodes)."""
    expected = np.empty_like(scores)
    truncation = np.empty_like(scores)
    nobody = np.empty(0, dtype=np.int64)

    def solve(row: int) -> None:
        expected[row], truncation[row], _ = solve_chain(
            graph, scores[row], selection, int(targets[row]), max_hops, nobody
        )

    for_each(solve, len(targets))
    return expected, truncation


def hop_distributions(
    graph: Graph,
    strategy: Strategy,
    representations: Representations,
    pairs: np.ndarray,
    max_hops: int,
    scored: ScoreSource = score_blocks,
) -> np.ndarray:
    """The distribution of hops of each (source, target) pair, (num_pairs, max_hops + 1).

    Column k − 1 is the chance of delivery in exactly k hops; the last is that of truncation.
    """
    targets, target_of = np.unique(pairs[:, 1], return_inverse=True)
    order = np.argsort(target_of, kind="stable")
    starts = np.searchsorted(target_of[order], np.arange(len(targets) + 1))
    distributions = np.empty((len(pairs), max_hops + 1))
    for block, scores in scored(strategy, representations, targets):

        def solve(row: int, first: int = block.start, scores: np.ndarray = scores) -> None:
            number = first + row
            mine = order[starts[number] : starts[number + 1]]
            _, _, survival = solve_chain(
                graph,
                scores[row],
                strategy.selection,
                int(targets[number]),
                max_hops,
                pairs[mine, 0],
            )
            distributions[mine, :-1] = survival[:, :-1] - survival[:, 1:]
            distributions[mine, -1] = survival[:, -1]

        for_each(solve, block.stop - block.start)
    return distributions


Solution = tuple[np.ndarray, np.ndarray, np.ndarray]


def solve_chain(
    graph: Graph,
    scores: np.ndarray,
    selection: Selection,
    target: int,
    max_hops: int,
    sources: np.ndarray,
) -> Solution:
    """Expected hops, truncation (each (num_nodes,)), and survival of ``sources``."""
    try:
        from garden.search.chain_kernels import chain_of_target
    except ImportError:  # no numba on this machine
        return solve_chain_plain(graph, scores, selection, target, max_hops, sources)
    expected, truncation = np.empty(graph.num_nodes), np.empty(graph.num_nodes)
    survival = np.empty((len(sources), max_hops + 1))
    chain_of_target(
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
    """The definition of the compiled chain."""
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
    """The chance of each hop under one target's scores, (num_nodes, num_nodes)."""
    chances = np.empty(len(graph.indices))
    for node in range(graph.num_nodes):
        row = slice(graph.indptr[node], graph.indptr[node + 1])
        weights = choice_weights(scores[graph.indices[row]], selection)
        chances[row] = weights / weights.sum()
    shape = (graph.num_nodes, graph.num_nodes)
    return sp.csr_array((chances, graph.indices, graph.indptr), shape=shape)


def for_each(solve: Callable[[int], None], count: int) -> None:
    """Solve 0 to count − 1, several at a time."""
    if count == 1:
        solve(0)
        return
    with ThreadPoolExecutor(usable_threads()) as pool:
        list(pool.map(solve, range(count)))
