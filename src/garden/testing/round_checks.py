"""Checks on ``begin`` and ``hear``: they keep their input, draw nothing, remember nothing, settle.

That a row comes of what its agent can have heard is checked in
:mod:`garden.testing.round_locality`.
"""

from __future__ import annotations

import copy
from functools import partial

import numpy as np

from garden.search.rounds import settle_by_rounds
from garden.strategies.gossip.protocol import GossipStrategy
from garden.strategies.representations import Representations
from garden.testing.declarations import copy_of
from garden.testing.equality import differing_row
from garden.testing.findings import Findings, StoppedError
from garden.testing.played_rounds import (
    Network,
    begun,
    history,
    next_rows,
)
from garden.testing.probes import (
    Probe,
    changed_fields,
    copied,
    sibling,
)
from garden.testing.represent_checks import well_formed
from garden.testing.round_locality import check_locality


def settled_rows(
    strategy: GossipStrategy, fresh: GossipStrategy, probe: Probe, found: Findings
) -> Representations:
    """The settled rows of the probe's agents, checked in every way that needs no scores.

    Args:
        strategy: The strategy, fitted and at a temperature.
        fresh: A copy of it that has not been called.
        probe: The graph.
        found: Where problems are noted.

    """
    _check_declared(strategy, found)
    network = Network.of(probe.graph)
    _check_inputs(strategy, network, probe, found)
    _refuse_changes(fresh, network, probe, found)
    rounds = history(strategy, network, probe.where, found)
    if _remembers(strategy, fresh, network, rounds, probe, found):
        return rounds[-1]
    check_locality(strategy, network, rounds, probe, found)
    _check_counts(strategy, rounds, probe, found)
    _check_silence(strategy, network, rounds[-1], probe, found)
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


def _check_inputs(
    strategy: GossipStrategy, network: Network, probe: Probe, found: Findings
) -> None:
    """Check that neither function changes what it is given; ``begin`` may refuse the graph."""
    egos, keys = copied(network.egos), network.member_keys
    rows = found.result_of(
        "begin", probe.where, lambda: strategy.begin(egos, keys), may_refuse=True
    )
    changed = changed_fields(network.egos, egos)
    changed += [] if np.array_equal(keys, network.member_keys) else ["keys"]
    if changed:
        found.add(
            "begin changes its input",
            f"begin changes what it is given ({', '.join(changed)}): work on a copy, others read "
            "it too.",
        )
    rows = copy.deepcopy(well_formed("begin", rows, len(egos), probe.where, found))
    members, owner = network.heard_by(network.listeners)
    given = rows.take(network.listeners), rows.take(members)
    before = copy.deepcopy(given)
    told = owner.copy()
    found.result_of("hear", probe.where, lambda: strategy.hear(*given, told))
    if not np.array_equal(told, owner) or any(
        differing_row(ours, theirs, exact=True) is not None
        for ours, theirs in zip(before, given, strict=True)
    ):
        found.add(
            "hear changes its input",
            "hear changes the rows that it is given: work on a copy, others read them too.",
        )


def _refuse_changes(fresh: GossipStrategy, network: Network, probe: Probe, found: Findings) -> None:
    """Stop where the same call gives other rows: all else would differ, and not settle, by it."""
    if "begin random" in found or "hear random" in found:
        raise StoppedError
    first, second = (
        begun(copy_of(fresh), network.egos, network.member_keys, probe.where, found)
        for _ in range(2)
    )
    if differing_row(first, second, exact=True) is not None:
        raise found.stop(
            "begin random",
            "begin gives other rows when it is called again with the same ego graphs "
            f"{probe.where}: draw nothing at random.",
        )
    copies = copy_of(fresh), copy_of(fresh)
    one, other = (next_rows(made, network, first, probe.where, found) for made in copies)
    if differing_row(one, other, exact=True) is not None:
        raise found.stop(
            "hear random",
            f"hear gives other rows when it is called again with the same rows {probe.where}: draw "
            "nothing at random, or the rows never settle.",
        )
    again = next_rows(copies[0], network, first, probe.where, found)
    if differing_row(one, again, exact=True) is not None:
        raise found.stop("rounds remember", _remembering("hear", probe))


def _remembers(
    strategy: GossipStrategy,
    fresh: GossipStrategy,
    network: Network,
    rounds: list[Representations],
    probe: Probe,
    found: Findings,
) -> bool:
    """Whether a function depends on earlier calls: copies that made none say otherwise."""
    others = Network.of(sibling(probe.graph))
    of_others, by_copy = (
        history(made, others, probe.where, found)[-1] for made in (strategy, copy_of(fresh))
    )
    by_newcomers = [
        begun(copy_of(fresh), network.egos, network.member_keys, probe.where, found),
        *(next_rows(copy_of(fresh), network, rows, probe.where, found) for rows in rounds),
    ]
    again = [
        begun(strategy, network.egos, network.member_keys, probe.where, found),
        *(next_rows(strategy, network, rows, probe.where, found) for rows in rounds),
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
            found.add("rounds remember", _remembering(what, probe))
            return True
    return False


def _remembering(what: str, probe: Probe) -> str:
    return (
        f"{what} remembers earlier calls: its rows depend on what came before {probe.where}. What "
        "an agent is to remember must stand in its row."
    )


def _check_silence(
    strategy: GossipStrategy, network: Network, rows: Representations, probe: Probe, found: Findings
) -> None:
    """Check that hearing only where a neighbour's row changed ends in the same rows."""
    if "size_of" in found or "told" in found:
        return  # the driver counts what is told
    call = partial(settle_by_rounds, probe.graph, strategy, network.keys)
    after = found.result_of("its settling", probe.where, call).rows
    if differing_row(rows, after, found.exact) is not None:
        found.add(
            "silence",
            "A row changes though no neighbour's row did: an agent hears again only when one of "
            f"its neighbours has changed {probe.where}.",
        )


def _check_counts(
    strategy: GossipStrategy, rounds: list[Representations], probe: Probe, found: Findings
) -> None:
    """Check what it says of the size of rows, and its rows of one length."""
    last, size = rounds[-1], len(rounds[-1])
    for what, call in (
        ("size_of", lambda: strategy.size_of(last)),
        ("told", lambda: strategy.told(rounds[0], last)),
    ):
        counts = found.result_of(what, probe.where, call)
        if not _two_counts(counts, size):
            found.add(
                what,
                f"{what} must give two arrays of whole numbers, entries and bytes of each row "
                f"{probe.where}.",
            )
            break  # told counts as size_of does, unless it is written
    table: object = found.result_of(
        "fixed_length", probe.where, lambda: strategy.fixed_length(last)
    )
    if table is None:
        return
    if not isinstance(table, np.ndarray) or table.ndim != 2 or len(table) != size:
        found.add(
            "fixed_length",
            f"fixed_length must give a table with one row per row that it is given {probe.where}.",
        )


def _two_counts(counts: object, size: int) -> bool:
    if not isinstance(counts, tuple) or len(counts) != 2:
        return False
    arrays = [np.asarray(part) for part in counts]
    return all(
        part.shape == (size,) and part.dtype.kind in "iu" and (part >= 0).all() for part in arrays
    )
