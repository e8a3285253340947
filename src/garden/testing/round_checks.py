"""Checks on ``begin`` and ``hear``: they keep their input, draw nothing, remember nothing, settle.

That a row comes of what its agent can have heard is checked in
:mod:`garden.testing.round_locality`.
"""

from __future__ import annotations

import copy
from functools import partial

import numpy as np

from garden.graphs.graph import Graph
from garden.search.rounds import settle_by_rounds
from garden.strategies.gossip.protocol import GossipStrategy
from garden.strategies.representations import Representations
from garden.testing.declarations import copy_of
from garden.testing.equality import differing_row
from garden.testing.findings import Findings, StoppedError
from garden.testing.played_rounds import Network, history, node_keys
from garden.testing.probes import changed_fields, copied, sibling
from garden.testing.represent_checks import well_formed
from garden.testing.round_locality import check_locality


def settled_rows(
    strategy: GossipStrategy, fresh: GossipStrategy, graph: Graph, found: Findings
) -> Representations:
    """The settled rows of a graph's agents, checked in every way that needs no scores.

    Args:
        strategy: The strategy, fitted and at a temperature.
        fresh: A copy of it that has not been called.
        graph: The graph.
        found: Where problems are noted.

    """
    _check_declared(strategy, found)
    network = Network.of(graph)
    _check_inputs(strategy, network, found)
    _refuse_changes(fresh, network, found)
    rounds = history(strategy, network, found)
    if not _remembers(strategy, fresh, graph, rounds, found):
        check_locality(strategy, graph, rounds, found)
        _check_counts(strategy, rounds, found)
        _check_silence(strategy, graph, rounds[-1], found)
    return rounds[-1]


def _check_declared(strategy: GossipStrategy, found: Findings) -> None:
    if strategy.knows != "gossip":
        found.add(
            "knows",
            f"knows is {strategy.knows!r}, though its agents hear their neighbours: leave it at "
            "'gossip'.",
        )
    seed: object = strategy.key_seed
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**64:
        found.add("key_seed", f"key_seed is {seed!r}: give a whole number from 0 to 2⁶⁴ − 1.")


def _check_inputs(strategy: GossipStrategy, network: Network, found: Findings) -> None:
    """Check that neither function changes what it is given; ``begin`` may refuse the graph."""
    egos, keys = copied(network.egos), network.member_keys
    rows = found.result_of("begin", lambda: strategy.begin(egos, keys), may_refuse=True)
    changed = changed_fields(network.egos, egos)
    changed += [] if np.array_equal(keys, network.member_keys) else ["keys"]
    if changed:
        found.add(
            "begin changes its input",
            f"begin changes what it is given ({', '.join(changed)}): work on a copy, others read "
            "it too.",
        )
    rows = copy.deepcopy(well_formed("begin", rows, len(egos), found))
    members, owner = network.heard_by(network.listeners)
    given = rows.take(network.listeners), rows.take(members)
    before = copy.deepcopy(given)
    told = owner.copy()
    found.result_of("hear", lambda: strategy.hear(*given, told))
    if not np.array_equal(told, owner) or any(
        differing_row(ours, theirs, exact=True) is not None
        for ours, theirs in zip(before, given, strict=True)
    ):
        found.add(
            "hear changes its input",
            "hear changes the rows that it is given: work on a copy, others read them too.",
        )


def _refuse_changes(fresh: GossipStrategy, network: Network, found: Findings) -> None:
    """Stop where the same call gives other rows: all else would differ, and not settle, by it."""
    if "begin random" in found or "hear random" in found:
        raise StoppedError
    first, second = (network.begun(copy_of(fresh), found) for _ in range(2))
    if differing_row(first, second, exact=True) is not None:
        raise found.stop(
            "begin random",
            "begin gives other rows when it is called again with the same ego graphs "
            f"{found.where}: draw nothing at random.",
        )
    copies = copy_of(fresh), copy_of(fresh)
    one, other = (network.next_rows(made, first, found) for made in copies)
    if differing_row(one, other, exact=True) is not None:
        raise found.stop(
            "hear random",
            f"hear gives other rows when it is called again with the same rows {found.where}: draw "
            "nothing at random, or the rows never settle.",
        )
    again = network.next_rows(copies[0], first, found)
    if differing_row(one, again, exact=True) is not None:
        raise found.stop("rounds remember", _remembering("hear", found))


def _remembers(
    strategy: GossipStrategy,
    fresh: GossipStrategy,
    graph: Graph,
    rounds: list[Representations],
    found: Findings,
) -> bool:
    """Whether a function depends on earlier calls: copies that made none say otherwise."""
    network, others = Network.of(graph), Network.of(sibling(graph))
    of_others, by_copy = (history(made, others, found)[-1] for made in (strategy, copy_of(fresh)))
    by_newcomers = [
        network.begun(copy_of(fresh), found),
        *(network.next_rows(copy_of(fresh), rows, found) for rows in rounds),
    ]
    again = [
        network.begun(strategy, found),
        *(network.next_rows(strategy, rows, found) for rows in rounds),
    ]
    expected = [*rounds, rounds[-1]]
    pairs = [
        ("begin", rounds[0], by_newcomers[0]),
        ("begin", rounds[0], again[0]),
        *(("hear", *pair) for pair in zip(expected, by_newcomers, strict=True)),
        *(("hear", *pair) for pair in zip(expected, again, strict=True)),
        ("begin or hear", of_others, by_copy),
    ]
    for what, ours, theirs in pairs:
        if differing_row(ours, theirs, exact=True) is not None:
            found.add("rounds remember", _remembering(what, found))
            return True
    return False


def _remembering(what: str, found: Findings) -> str:
    return (
        f"{what} remembers earlier calls: its rows depend on what came before {found.where}. What "
        "an agent is to remember must stand in its row."
    )


def _check_silence(
    strategy: GossipStrategy, graph: Graph, rows: Representations, found: Findings
) -> None:
    """Check that hearing only where a neighbour's row changed ends in the same rows."""
    if "size_of" in found or "told" in found:
        return  # the driver counts what is told
    call = partial(settle_by_rounds, graph, strategy, node_keys(graph.num_nodes))
    found.expect_same(
        "silence",
        rows,
        found.result_of("its settling", call).rows,
        "A row changes though no neighbour's row did: an agent hears again only when one of its "
        f"neighbours has changed {found.where}.",
    )


def _check_counts(strategy: GossipStrategy, rounds: list[Representations], found: Findings) -> None:
    """Check what it says of the size of rows, and its rows of one length."""
    last, size = rounds[-1], len(rounds[-1])
    for what, call in (
        ("size_of", lambda: strategy.size_of(last)),
        ("told", lambda: strategy.told(rounds[0], last)),
    ):
        if not _two_counts(found.result_of(what, call), size):
            found.add(
                what,
                f"{what} must give two arrays of whole numbers, entries and bytes of each row "
                f"{found.where}.",
            )
            break  # told counts as size_of does, unless it is written
    table: object = found.result_of("fixed_length", lambda: strategy.fixed_length(last))
    if table is None:
        return
    if not isinstance(table, np.ndarray) or table.ndim != 2 or len(table) != size:
        found.add(
            "fixed_length",
            f"fixed_length must give a table with one row per row that it is given {found.where}.",
        )


def _two_counts(counts: object, size: int) -> bool:
    if not isinstance(counts, tuple) or len(counts) != 2:
        return False
    arrays = [np.asarray(part) for part in counts]
    return all(
        part.shape == (size,) and part.dtype.kind in "iu" and (part >= 0).all() for part in arrays
    )
