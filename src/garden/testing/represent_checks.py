"""Checks on ``represent``: a row per ego graph, of that ego graph alone, that fits in a message."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from garden.errors import kind_of
from garden.graphs.ego import EgoGraphs
from garden.graphs.ego_extraction import ego_graphs
from garden.strategies.base import Strategy
from garden.strategies.representations import Ragged, Representations
from garden.testing.declarations import copy_of
from garden.testing.equality import dense, differing_row
from garden.testing.findings import Findings, counted
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

    Args:
        strategy: The strategy, fitted and at a temperature.
        fresh: A copy of it that has not been called.
        probe: The graph.
        found: Where problems are noted.

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
    """What ``represent`` gives for a copy of these ego graphs, if it is well formed.

    Args:
        strategy: The strategy.
        egos: The ego graphs, which stay as they are.
        where: The end of sentences: on which graph.
        found: Where problems are noted.

    """
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
    """Whether the same ego graphs get other rows the next time: randomness, or state kept."""
    egos, others = ego_graphs(probe.graph), ego_graphs(sibling(probe.graph))

    def rows_by(which: Strategy, of: EgoGraphs) -> Representations:
        return represented(which, of, probe.where, found)

    first, second = (rows_by(copy_of(fresh), egos) for _ in range(2))
    if differing_row(first, second, exact=True) is not None:
        found.add(
            "represent random",
            "represent gives other rows when it is called again with the same ego graphs "
            f"{probe.where}: draw nothing at random.",
        )
        return True
    again, of_others, back = (rows_by(strategy, of) for of in (egos, others, egos))
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
        row = np.array([centre])
        if differing_row(rows.take(row), after.take(row), found.exact) is not None:
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
    if differing_row(rows.take(order), after, found.exact) is not None:
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
        if differing_row(rows, after, found.exact) is not None:
            found.add(kind, f"{sentence} {probe.where}.")


def _check_alone(strategy: Strategy, probe: Probe, rows: Representations, found: Findings) -> None:
    """Each ego graph by itself, as a peer has it; noted only where no other check found a cause."""
    egos = ego_graphs(probe.graph)
    for row in range(len(egos)):
        only, ego = np.array([row]), egos.alone(row)
        alone = represented(strategy, ego.as_batch(), probe.where, found)
        if differing_row(rows.take(only), alone, found.exact) is not None:
            if not any(cause in found for cause in _ROOT_CAUSES):
                found.add(
                    "alone",
                    f"An ego graph represented alone gets another row than in a batch "
                    f"{probe.where}.",
                )
            return
        one = found.result_of("represent_one", probe.where, partial(strategy.represent_one, ego))
        one = well_formed("represent_one", one, 1, probe.where, found)
        if differing_row(alone, one, found.exact) is not None:
            found.add(
                "represent_one",
                f"represent_one gives another row than represent for the same ego graph "
                f"{probe.where}.",
            )
            return


def well_formed(
    what: str, rows: object, num_rows: int, where: str, found: Findings
) -> Representations:
    """What a strategy gave, if it is one row of numbers per ego graph; else the checks stop.

    Args:
        what: The function that gave it.
        rows: What it gave.
        num_rows: The number of ego graphs.
        where: The end of sentences: on which graph.
        found: Where problems are noted.

    """
    if not isinstance(rows, Representations):
        raise found.stop(
            "type",
            f"{what} gives {kind_of(rows)}: give Representations({{'name': array}}), one "
            "row per ego graph.",
        )
    if not isinstance(rows.arrays, Mapping) or not isinstance(rows.ragged, Mapping):
        raise found.stop("mapping", f"{what} gives Representations of no dictionaries of arrays.")
    parts: dict[str, Any] = {**rows.arrays, **rows.ragged}
    if not parts:
        raise found.stop("empty", f"{what} gives Representations without any array.")
    for name, array in parts.items():
        wrong = _ragged_fault(array) if name in rows.ragged else _array_fault(array)
        if wrong:
            raise found.stop("array", f"{what} gives {name!r} as {wrong} {where}.")
        size = len(array) if isinstance(array, Ragged) else array.shape[0]
        if size != num_rows:
            raise found.stop(
                "rows",
                f"{what} gives {counted(size, 'row')} in {name!r} for "
                f"{counted(num_rows, 'ego graph')} {where}: give one each, in their order.",
            )
        numbers = array.values if isinstance(array, Ragged) else dense(array)
        if numbers.dtype.kind == "f" and np.isnan(numbers).any():
            found.add("nan rows", f"{what} gives NaN in {name!r} {where}.")
    found.result_of("bytes_per_row", where, lambda: rows.bytes_per_row)
    return rows


def _array_fault(array: Any) -> str:
    if not isinstance(array, np.ndarray) and not isinstance(array, sp.csr_array):
        return f"{kind_of(array)}, not a NumPy array or a SciPy csr_array"
    if array.ndim == 0:
        return "a single number, not one row per ego graph"
    return _dtype_fault(array.dtype)


def _ragged_fault(rows: Any) -> str:
    if not isinstance(rows, Ragged):
        return f"{kind_of(rows)}, not Ragged(values, offsets)"
    values: object = rows.values
    offsets: object = rows.offsets
    if not isinstance(values, np.ndarray) or not isinstance(offsets, np.ndarray):
        return "Ragged rows that are no NumPy arrays"
    if offsets.dtype.kind != "i" or offsets.ndim != 1 or len(offsets) == 0:
        return "Ragged rows whose offsets are no list of whole numbers"
    if offsets[0] != 0 or offsets[-1] != len(values) or (np.diff(offsets) < 0).any():
        return "Ragged rows whose offsets do not lead from 0 to the number of values"
    return _dtype_fault(values.dtype)


def _dtype_fault(dtype: np.dtype[Any]) -> str:
    if dtype.kind in "biuf":
        return ""
    return f"an array of {dtype}, which cannot travel in a message: give numbers"
