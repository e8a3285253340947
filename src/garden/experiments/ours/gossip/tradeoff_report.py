"""Oracle ratio against the size of sketches: the grid of trials, tables and a figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from garden.experiments.ours.gossip.graphs import COLLECTION, by_case, column_of, graphs_of
from garden.experiments.ours.gossip.outcomes import MEMORIES, estimate, ratio_text
from garden.experiments.ours.gossip.sketch_labels import sketch_label, with_memory
from garden.experiments.ours.gossip.tradeoff import (
    BYTES_PER_KEY,
    NUM_PAIRS,
    HubLabelTrial,
    RivalTrial,
    SketchTrial,
)
from garden.experiments.report.claims import Claim, claim_by_case
from garden.experiments.report.figures import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    Style,
    draw_intervals,
    new_figure,
)
from garden.experiments.report.intervals import Estimate
from garden.experiments.report.sections import Table, write_figure
from garden.experiments.report.tables import Row
from garden.experiments.run.config import Scope
from garden.experiments.run.experiment import ResultOf
from garden.experiments.run.jobs import BEST_RULE, Work

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZES = (1, 2, 4, 8, 16, 64)
HASH = "beacons:k=16,rank=hash"
STRATEGIES = (*(sketch_label(k) for k in SIZES), HASH)
RIVALS = {
    "universal+backtrack": ("universal", "backtrack"),
    BEST_RULE: ("bidirectional", "visited"),
}
_FIGURE = "gossip-size"
_DRAWN = ("0", "3437", "musae-facebook", "power-law", "small-world")
_FLOOR = 1e-4  # where the figure ends
_FOOTING = (
    f"{NUM_PAIRS:,} pairs a graph, every node a target, the same for all rows; four walks a pair "
    "by sketches and landmarks, one by others; truncated at 100 hops. Landmarks: random nodes, the "
    "same for all agents, as many entries as the sketches have on average, the same score. Agents "
    "of beacons and landmarks talk before they search; those of universal and bidirectional see "
    "ego graphs alone. Universal as shipped: it was trained on Facebook, Twitch and musae-facebook "
    "graphs, pieces of these among them, not on the collection. Of Twitch, DE and ENGB are not in "
    "the data folder, and FR is in the collection."
)


@dataclass(frozen=True, eq=False)
class GraphResults:
    """What came of all trials on one graph."""

    sketches: Mapping[str, Mapping[str, Any]]  # by strategy
    rivals: Mapping[str, Mapping[str, Any]]  # by label
    labels: Mapping[str, Any]


def works(scope: Scope) -> list[Work]:
    """Every size, every rival, on every graph."""
    return [
        work
        for spec in graphs_of(scope).values()
        for work in (*_sketches(spec).values(), HubLabelTrial(spec), *_rivals(spec).values())
    ]


def findings(
    scope: Scope, result_of: ResultOf, folder: Path
) -> tuple[list[Claim], list[Table], list[tuple[str, str]]]:
    """Claims, tables and the figure.

    Args:
        scope: How much of the experiment was made.
        result_of: Gives what came of a unit of work.
        folder: Where the figure is written.
    """
    found = {name: _results(spec, result_of) for name, spec in graphs_of(scope).items()}
    shown = {name: one for name, one in found.items() if name not in COLLECTION}
    collected = {name: one for name, one in found.items() if name in COLLECTION}
    tables = []
    if shown:
        tables += [_ratio_table(shown), _size_table(shown)]
    if collected:
        tables.append(_collection_table(collected))
    drawn = {name: one for name, one in found.items() if name in _DRAWN} or found
    write_figure(folder, _FIGURE, _figure(drawn))
    caption = (
        "Hops above the shortest path against bytes of sketch per node, k = 1 … 64 "
        "(95 % intervals; 10⁻⁴ and below at the lower edge)"
    )
    return _claims(found), tables, [(_FIGURE, caption)]


def _sketches(spec: str) -> dict[str, SketchTrial]:
    return {strategy: SketchTrial(spec, strategy) for strategy in STRATEGIES}


def _rivals(spec: str) -> dict[str, RivalTrial]:
    return {
        label: RivalTrial(spec, strategy, memory) for label, (strategy, memory) in RIVALS.items()
    }


def _results(spec: str, result_of: ResultOf) -> GraphResults:
    return GraphResults(
        {name: result_of(work) for name, work in _sketches(spec).items()},
        {name: result_of(work) for name, work in _rivals(spec).items()},
        result_of(HubLabelTrial(spec)),
    )


def _claims(found: Mapping[str, GraphResults]) -> list[Claim]:
    statements = {
        "hub labels: every distance of the pairs is exact": {
            name: one.labels["wrong_distances"] == 0
            for name, one in found.items()
            if "empty" not in one.labels
        },
        "beacons:k=16: no more hops than by random landmarks with as many entries, memoryless": {
            name: _ratio(one, "beacons:k=16", "beacons") <= _ratio(one, "beacons:k=16", "landmarks")
            for name, one in found.items()
        },
    }
    return [claim_by_case(text, by_case(so)) for text, so in statements.items() if so]


def _ratio(one: GraphResults, strategy: str, which: str, memory: str = "none") -> float:
    return float(one.sketches[strategy][which][memory]["ratio"])


def _ratio_table(found: Mapping[str, GraphResults]) -> Table:
    rows: list[Row] = []
    for which in ("beacons", "landmarks"):
        for strategy in STRATEGIES:
            if which == "landmarks" and strategy == HASH:
                continue
            for memory in MEMORIES:
                who = strategy if which == "beacons" else f"landmarks, as many as {strategy}"
                played = (one.sketches[strategy][which][memory] for one in found.values())
                rows.append((with_memory(who, memory), *map(ratio_text, played)))
    for label in RIVALS:
        rivals = (one.rivals[label] for one in found.values())
        rows.append((label, *(_unless_empty(rival, _played_text) for rival in rivals)))
    labels = (_unless_empty(one.labels, _exactness) for one in found.values())
    rows.append(("exact hub labels", *labels))
    return Table(
        "gossip-ratios",
        "Oracle ratio (95 % interval), and truncated walks where there are any",
        ("strategy", *map(column_of, found)),
        tuple(rows),
        _FOOTING,
    )


def _unless_empty(result: Mapping[str, Any], text: Callable[[Mapping[str, Any]], str]) -> str:
    """The text of a result, or why there is none."""
    return f"– ({result['empty']})" if "empty" in result else text(result)


def _played_text(result: Mapping[str, Any]) -> str:
    return ratio_text(result["played"])


def _exactness(labels: Mapping[str, Any]) -> str:
    return "1 (exact)" if labels["wrong_distances"] == 0 else "wrong distances"


def _size_table(found: Mapping[str, GraphResults]) -> Table:
    rows: list[Row] = []
    for strategy in STRATEGIES:
        costs = (one.sketches[strategy]["cost"] for one in found.values())
        rows.append((strategy, *map(_size_text, costs)))
    labels = (_unless_empty(one.labels, _entries_and_bytes) for one in found.values())
    rows.append(("exact hub labels", *labels))
    first = STRATEGIES[0]
    keys = (BYTES_PER_KEY * one.sketches[first]["keys_per_node"] for one in found.values())
    rows.append((f"neighbours' keys beside {first}, bytes", *(f"{size:.0f}" for size in keys)))
    return Table(
        "gossip-sizes",
        "Entries / bytes of sketch per node, rounds, bytes told over a link",
        ("strategy", *map(column_of, found)),
        tuple(rows),
        "An entry of a sketch is 11 bytes, one of a hub label 10. Told: entries, once to each "
        "neighbour, both ways. Neighbours' keys are those that are not in the sketch.",
    )


def _size_text(cost: Mapping[str, Any]) -> str:
    return f"{_entries_and_bytes(cost)}, {cost['rounds']}, {cost['bytes_per_link']:.0f}"


def _entries_and_bytes(cost: Mapping[str, Any]) -> str:
    return f"{cost['entries_per_node']:.1f} / {cost['bytes_per_node']:.0f}"


_IN_COLLECTION = ("beacons:k=4", "beacons:k=16", "beacons:k=64")


def _collection_table(found: Mapping[str, GraphResults]) -> Table:
    rows = [_collection_row(name, one) for name, one in found.items()]
    means = {"graph": "mean (worst)"}
    for strategy in _IN_COLLECTION:
        for memory in MEMORIES:
            ratios = [_ratio(one, strategy, "beacons", memory) for one in found.values()]
            means[with_memory(strategy, memory)] = f"{np.mean(ratios):.3f} ({max(ratios):.3f})"
    rows.append([(column, means.get(column, "")) for column, _ in rows[0]])
    return Table.of_cells(
        "gossip-collection",
        "The collection: oracle ratio, and truncated walks where there are any",
        rows,
        _FOOTING,
    )


def _collection_row(name: str, one: GraphResults) -> list[tuple[str, str]]:
    at_16 = one.sketches["beacons:k=16"]
    return [
        ("graph", name),
        ("nodes", str(at_16["num_nodes"])),
        ("entries, k=16", f"{at_16['cost']['entries_per_node']:.1f}"),
        *(
            (with_memory(strategy, memory), _short(one.sketches[strategy]["beacons"][memory]))
            for strategy in _IN_COLLECTION
            for memory in MEMORIES
        ),
        ("landmarks, as many as k=16", _short(at_16["landmarks"]["none"])),
        ("… +backtrack", _short(at_16["landmarks"]["backtrack"])),
        (
            "entries of hub labels",
            "–" if "empty" in one.labels else f"{one.labels['entries_per_node']:.1f}",
        ),
        *(
            (who, _unless_empty(one.rivals[who], lambda rival: _short(rival["played"])))
            for who in RIVALS
        ),
    ]


def _short(played: Mapping[str, Any]) -> str:
    truncated = f", {100 * played['truncated']:.2g} %" if played["truncated"] else ""
    return f"{played['ratio']:.3f}{truncated}"


_LOOK = {
    ("beacons", "none"): Style(BLUE, "o", (4, 1.5)),
    ("beacons", "backtrack"): Style(BLUE, "o"),
    ("landmarks", "none"): Style(ORANGE, "^", (4, 1.5)),
    ("landmarks", "backtrack"): Style(ORANGE, "^"),
}


def _figure(found: Mapping[str, GraphResults]) -> Figure:
    """A panel for each graph, both axes logarithmic."""
    figure = new_figure(3.2 * len(found) + 1, 4.2)
    panels = figure.subplots(1, len(found), sharey=True, squeeze=False)[0]
    for panel, (name, one) in zip(panels, found.items(), strict=True):
        _draw(panel, one)
        panel.set_title(column_of(name), fontsize=10)
    panels[0].set_ylabel("oracle ratio − 1")
    handles: dict[str, Any] = {}
    for panel in panels:
        drawn, names = panel.get_legend_handles_labels()
        handles |= dict(zip(names, drawn, strict=True))
    figure.legend(
        handles.values(),
        handles.keys(),
        frameon=False,
        ncols=min(7, 2 * len(found) - 1),
        loc="outside upper center",
    )
    return figure


def _draw(panel: Axes, one: GraphResults) -> None:
    sizes = [one.sketches[sketch_label(k)] for k in SIZES]
    places = [result["cost"]["bytes_per_node"] for result in sizes]
    for (which, memory), style in _LOOK.items():
        excesses = [_excess(estimate(result[which][memory])) for result in sizes]
        label, hollow = with_memory(which, memory), memory == "none"
        draw_intervals(panel, places, excesses, label, look=style, hollow=hollow)
    if "empty" not in one.labels:
        panel.axvline(
            one.labels["bytes_per_node"], color=BLACK, linestyle=":", label="exact hub labels"
        )
    for label, colour in zip(RIVALS, (GREEN, GREY), strict=True):
        if "empty" not in one.rivals[label]:
            excess = _excess(estimate(one.rivals[label]["played"])).mean
            panel.axhline(excess, color=colour, linestyle="-.", linewidth=1.2, label=label)
    panel.set_xscale("log")
    panel.set_yscale("log")
    panel.set_ylim(bottom=_FLOOR * 0.8)
    panel.set_xlabel("bytes of sketch per node", fontsize=9)
    panel.grid(alpha=0.3, linewidth=0.5)


def _excess(ratio: Estimate) -> Estimate:
    """What a ratio and its interval have above 1, cut where the figure ends."""
    ends = (max(end - 1, _FLOOR) for end in (ratio.mean, ratio.low, ratio.high))
    return Estimate(*ends)
