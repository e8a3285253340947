"""Checks on ``represent``: a row per ego graph, of that ego graph alone, that fits in a message."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from garden.errors import kind_of
from garden.graphs.ego import EgoGraphs
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.strategies.base import Strategy
from garden.strategies.representations import Ragged, Representations
from garden.testing.declarations import copy_of
from garden.testing.equality import dense, differing_row
from garden.testing.findings import Findings, counted
from garden.testing.probes import (
    changed_fields,
    changed_outside,
    copied,
    renumbered,
    reordered,
    sibling,
    some_in_another_order,
    some_nodes,
)

_ROOT_CAUSES = ("outside", "batch", "numbers", "order")


def checked_rows(
    strategy: Strategy, fresh: Strategy, graph: Graph, found: Findings
) -> Representations:
    """The rows of a graph's ego graphs, checked in every way that needs no scores.

    Args:
        strategy: The strategy, fitted and at a temperature.
        fresh: A copy of it that has not been called.
        graph: The graph.
        found: Where problems are noted.

    """
    egos = ego_graphs(graph)
    rows = _first_rows(strategy, egos, found)
    if _changes_by_itself(strategy, fresh, graph, rows, found):
        return rows  # whatever else would differ, differs because of this
    _check_outside(strategy, graph, rows, found)
    _check_batch(strategy, egos, rows, found)
    _check_storage(strategy, egos, rows, found)
    _check_alone(strategy, egos, rows, found)
    return rows


def represented(strategy: Strategy, egos: EgoGraphs, found: Findings) -> Representations:
    """What ``represent`` gives for a copy of these ego graphs, if it is well formed.

    Args:
        strategy: The strategy.
        egos: The ego graphs, which stay as they are.
        found: Where problems are noted.

    """
    rows = found.result_of("represent", lambda: strategy.represent(copied(egos)))
    return well_formed("represent", rows, len(egos), found)


def _first_rows(strategy: Strategy, egos: EgoGraphs, found: Findings) -> Representations:
    given = copied(egos)
    rows = found.result_of("represent", lambda: strategy.represent(given), may_refuse=True)
    changed = changed_fields(egos, given)
    if changed:
        found.add(
            "represent changes its input",
            f"represent changes the ego graphs that it is given ({', '.join(changed)}): work on a "
            "copy, others read them too.",
        )
    return well_formed("represent", rows, len(egos), found)


def _changes_by_itself(
    strategy: Strategy, fresh: Strategy, graph: Graph, rows: Representations, found: Findings
) -> bool:
    """Whether the same ego graphs get other rows the next time: randomness, or state kept."""
    egos, others = ego_graphs(graph), ego_graphs(sibling(graph))
    first, second = (represented(copy_of(fresh), egos, found) for _ in range(2))
    if differing_row(first, second, exact=True) is not None:
        found.add(
            "represent random",
            "represent gives other rows when it is called again with the same ego graphs "
            f"{found.where}: draw nothing at random.",
        )
        return True
    again, of_others, back = (represented(strategy, of, found) for of in (egos, others, egos))
    pairs = [
        (first, rows),
        (rows, again),
        (rows, back),
        (represented(copy_of(fresh), others, found), of_others),
    ]
    if any(differing_row(ours, theirs, exact=True) is not None for ours, theirs in pairs):
        found.add(
            "represent remembers",
            f"represent remembers earlier calls: its rows depend on what came before "
            f"{found.where}. Keep nothing between calls, a random generator included.",
        )
        return True
    return False


def _check_outside(
    strategy: Strategy, graph: Graph, rows: Representations, found: Findings
) -> None:
    for centre in some_nodes(graph):
        after = represented(strategy, ego_graphs(changed_outside(graph, centre)), found)
        row = np.array([centre])
        if not found.expect_same(
            "outside",
            rows.take(row),
            after.take(row),
            "A representation changes when something outside its ego graph changes: other nodes' "
            f"attributes, links or number {found.where}. Use only what the members of that ego "
            "graph show.",
        ):
            return


def _check_batch(
    strategy: Strategy, egos: EgoGraphs, rows: Representations, found: Findings
) -> None:
    order = some_in_another_order(len(egos))
    order = np.append(order, order[0])
    found.expect_same(
        "batch",
        rows.take(order),
        represented(strategy, egos.take(order), found),
        "A representation depends on the batch: it changes when the ego graphs come in another "
        f"order or with others beside them {found.where}.",
    )


def _check_storage(
    strategy: Strategy, egos: EgoGraphs, rows: Representations, found: Findings
) -> None:
    found.expect_same(
        "numbers",
        rows,
        represented(strategy, renumbered(egos), found),
        "A representation depends on the numbers in egos.members, or on rows of egos.profiles that "
        "are not its members': they say where profiles are stored, and nothing else "
        f"{found.where}.",
    )
    found.expect_same(
        "order",
        rows,
        represented(strategy, reordered(egos), found),
        "A representation depends on the order in which an ego graph's neighbours or edges stand, "
        f"which means nothing {found.where}.",
    )


def _check_alone(
    strategy: Strategy, egos: EgoGraphs, rows: Representations, found: Findings
) -> None:
    """Each ego graph by itself, as a peer has it; noted only where no other check found a cause."""
    for row in range(len(egos)):
        only, ego = np.array([row]), egos.alone(row)
        alone = represented(strategy, ego.as_batch(), found)
        if differing_row(rows.take(only), alone, found.exact) is not None:
            if not any(cause in found for cause in _ROOT_CAUSES):
                found.add(
                    "alone",
                    f"An ego graph represented alone gets another row than in a batch "
                    f"{found.where}.",
                )
            return
        one = found.result_of("represent_one", partial(strategy.represent_one, ego))
        if not found.expect_same(
            "represent_one",
            alone,
            well_formed("represent_one", one, 1, found),
            f"represent_one gives another row than represent for the same ego graph {found.where}.",
        ):
            return


def well_formed(what: str, rows: object, num_rows: int, found: Findings) -> Representations:
    """What a strategy gave, if it is one row of numbers per ego graph; else the checks stop.

    Args:
        what: The function that gave it.
        rows: What it gave.
        num_rows: The number of ego graphs.
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
            raise found.stop("array", f"{what} gives {name!r} as {wrong} {found.where}.")
        size = len(array) if isinstance(array, Ragged) else array.shape[0]
        if size != num_rows:
            raise found.stop(
                "rows",
                f"{what} gives {counted(size, 'row')} in {name!r} for "
                f"{counted(num_rows, 'ego graph')} {found.where}: give one each, in their order.",
            )
        numbers = array.values if isinstance(array, Ragged) else dense(array)
        if numbers.dtype.kind == "f" and np.isnan(numbers).any():
            found.add("nan rows", f"{what} gives NaN in {name!r} {found.where}.")
    found.result_of("bytes_per_row", lambda: rows.bytes_per_row)
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
