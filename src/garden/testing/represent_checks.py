"""Checks on ``represent``: a row per ego graph, made from that ego graph and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from garden.graphs.ego import EgoGraphs
from garden.graphs.ego_extraction import ego_graphs
from garden.strategies.base import Strategy
from garden.strategies.representations import Representations
from garden.testing.declarations import copy_of
from garden.testing.equality import differing_row
from garden.testing.findings import Findings
from garden.testing.formed import well_formed
from garden.testing.probes import (
    Probe,
    changed_fields,
    changed_outside,
    copied,
    renumbered,
    reordered,
    sibling,
)

_ROOT_CAUSES = ("outside", "batch", "numbers", "order")


def checked_rows(
    strategy: Strategy, fresh: Strategy, probe: Probe, found: Findings
) -> Representations:
    """The rows of the probe's ego graphs, checked in every way that needs no scores.

    ``fresh`` is a copy that has not been called.
    """
    rows = _first_rows(strategy, probe, found)
    if _changes_by_itself(strategy, fresh, probe, rows, found):
        return rows  # whatever else would differ, differs because of this
    _check_outside(strategy, probe, rows, found)
    _check_batch(strategy, probe, rows, found)
    _check_storage(strategy, probe, rows, found)
    _check_alone(strategy, probe, rows, found)
    return rows


def represented(
    strategy: Strategy, egos: EgoGraphs, where: str, found: Findings
) -> Representations:
    """What ``represent`` gives for ego graphs of its own, once it is known to be well formed."""
    return well_formed(
        "represent",
        found.result_of("represent", where, lambda: strategy.represent(copied(egos))),
        len(egos),
        where,
        found,
    )


def _first_rows(strategy: Strategy, probe: Probe, found: Findings) -> Representations:
    egos = copied(ego_graphs(probe.graph))
    untouched = copied(egos)
    rows = found.result_of(
        "represent", probe.where, lambda: strategy.represent(egos), may_refuse=True
    )
    changed = changed_fields(untouched, egos)
    if changed:
        found.add(
            "represent changes its input",
            f"represent changes the ego graphs that it is given ({', '.join(changed)}): work on a "
            "copy, others read them too.",
        )
    return well_formed("represent", rows, len(egos), probe.where, found)


def _changes_by_itself(
    strategy: Strategy, fresh: Strategy, probe: Probe, rows: Representations, found: Findings
) -> bool:
    """Whether the same ego graphs get other rows the next time: chance, or something kept."""
    egos, others = ego_graphs(probe.graph), ego_graphs(sibling(probe.graph))

    def rows_by(asked: Strategy, shown: EgoGraphs) -> Representations:
        return represented(asked, shown, probe.where, found)

    first, second = (rows_by(copy_of(fresh), egos) for _ in range(2))
    if differing_row(first, second, exact=True) is not None:
        found.add(
            "represent random",
            "represent gives other rows when it is called again with the same ego graphs "
            f"{probe.where}: draw nothing at random.",
        )
        return True
    again, of_others, back = (rows_by(strategy, shown) for shown in (egos, others, egos))
    pairs = [
        (first, rows),
        (rows, again),
        (rows, back),
        (rows_by(copy_of(fresh), others), of_others),
    ]
    if any(differing_row(ours, theirs, exact=True) is not None for ours, theirs in pairs):
        found.add(
            "represent remembers",
            f"represent remembers earlier calls: its rows depend on what came before "
            f"{probe.where}. Keep nothing between calls, a random generator included.",
        )
        return True
    return False


def _check_outside(
    strategy: Strategy, probe: Probe, rows: Representations, found: Findings
) -> None:
    degrees = probe.graph.degrees
    for centre in sorted({int(degrees.argmin()), int(degrees.argmax()), len(degrees) - 1}):
        changed = ego_graphs(changed_outside(probe.graph, centre))
        after = represented(strategy, changed, probe.where, found)
        place = np.array([centre])
        if differing_row(rows.take(place), after.take(place)) is not None:
            found.add(
                "outside",
                "A representation changes when something outside its ego graph changes: other "
                f"nodes' attributes, links or number {probe.where}. Use only what the members of "
                "that ego graph show.",
            )
            return


def _check_batch(strategy: Strategy, probe: Probe, rows: Representations, found: Findings) -> None:
    egos = ego_graphs(probe.graph)
    order = np.random.default_rng(1).permutation(len(egos))
    order = np.append(order[: 2 * len(egos) // 3 + 1], order[0])
    after = represented(strategy, egos.take(order), probe.where, found)
    if differing_row(rows.take(order), after) is not None:
        found.add(
            "batch",
            "A representation depends on the batch: it changes when the ego graphs come in another "
            f"order or with others beside them {probe.where}.",
        )


def _check_storage(
    strategy: Strategy, probe: Probe, rows: Representations, found: Findings
) -> None:
    egos = ego_graphs(probe.graph)
    causes: tuple[tuple[str, Callable[[EgoGraphs], EgoGraphs], str], ...] = (
        (
            "numbers",
            renumbered,
            "A representation depends on the numbers in egos.members, or on rows of egos.profiles "
            "that are not its members': they say where profiles are stored, and nothing else",
        ),
        (
            "order",
            reordered,
            "A representation depends on the order in which an ego graph's neighbours or edges "
            "stand, which means nothing",
        ),
    )
    for kind, change, sentence in causes:
        after = represented(strategy, change(egos), probe.where, found)
        if differing_row(rows, after) is not None:
            found.add(kind, f"{sentence} {probe.where}.")


def _check_alone(strategy: Strategy, probe: Probe, rows: Representations, found: Findings) -> None:
    """Each ego graph by itself, as a peer has it; only what no other check has explained."""
    egos = ego_graphs(probe.graph)
    for row in range(len(egos)):
        place, ego = np.array([row]), egos.alone(row)
        alone = represented(strategy, ego.as_batch(), probe.where, found)
        if differing_row(rows.take(place), alone) is not None:
            if not any(cause in found for cause in _ROOT_CAUSES):
                found.add(
                    "alone",
                    f"An ego graph represented alone gets another row than in a batch "
                    f"{probe.where}.",
                )
            return
        one = found.result_of("represent_one", probe.where, partial(strategy.represent_one, ego))
        one = well_formed("represent_one", one, 1, probe.where, found)
        if differing_row(alone, one) is not None:
            found.add(
                "represent_one",
                f"represent_one gives another row than represent for the same ego graph "
                f"{probe.where}.",
            )
            return
