"""Tables of entries: one for each track, memoryless and with memory apart, never mixed.

A mean is taken over the tasks that every entry of a table has played, has a ratio on and was not
trained on; what an entry lacks is counted beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from garden.errors import SpecError
from garden.experiments.benchmark.entry import TRACKS, Entry
from garden.experiments.paper.published import FACEBOOK, GRAPHS

COLUMNS = (
    "strategy", "memory", "mean ratio", "worst", "truncated", "wins", "bytes per node", "trained",
    "tasks", "missing", "seen in training",
)  # fmt: skip


@dataclass(frozen=True)
class EntryTable:
    """Entries of one track that may be compared."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        """The title in bold, then the columns and rows as a Markdown table."""
        lines = [self.columns, ("---",) * len(self.columns), *self.rows]
        table = "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
        return f"**{self.title}**\n\n{table}\n"


def entry_tables(entries: Sequence[Entry]) -> list[EntryTable]:
    """One table for each track and kind of memory that has an entry.

    Raises:
        SpecError: If quick entries and whole ones are given together.
    """
    if len({entry["quick"] for entry in entries}) > 1:
        raise SpecError("quick entries and whole ones play other pairs: make a table of each")
    tables = []
    for track in TRACKS:
        for remembers in (False, True):
            some = [
                one
                for one in entries
                if one["track"] == track and (one["memory"] != "none") == remembers
            ]
            if some:
                tables.append(_table(track, remembers, some))
    return tables


def _table(track: str, remembers: bool, entries: Sequence[Entry]) -> EntryTable:
    common = set.intersection(*({*_ratios(entry)} for entry in entries))
    rows = sorted((_row(entry, common) for entry in entries), key=lambda row: row[0])
    quick = ", quick" if entries[0]["quick"] else ""
    memory = "with memory" if remembers else "memoryless"
    title = f"{track}, {memory}{quick}: means over the {len(common)} tasks that all have played"
    return EntryTable(title, COLUMNS, tuple(cells for _, cells in rows))


def _ratios(entry: Entry) -> dict[str, float]:
    """The ratio by task, of tasks that have one and were not trained on."""
    return {
        task["spec"]: task["oracle_ratio"]
        for task in entry["tasks"]
        if task["oracle_ratio"] is not None and not task["seen_in_training"]
    }


def _row(entry: Entry, common: set[str]) -> tuple[float, tuple[str, ...]]:
    tasks = [task for task in entry["tasks"] if task["spec"] in common]

    def mean(name: str) -> float:
        return sum(task[name] for task in tasks) / len(tasks) if tasks else float("nan")

    ratios = [task["oracle_ratio"] for task in tasks]
    seconds = entry["training_seconds"]
    cells = (
        entry["strategy"],
        entry["memory"],
        f"{mean('oracle_ratio'):.2f}" if tasks else "–",
        f"{max(ratios):.2f}" if tasks else "–",
        f"{100 * mean('truncation_rate'):.1f} %" if tasks else "–",
        f"{100 * mean('win_rate'):.1f} %" if tasks else "–",
        f"{mean('bytes_per_node'):,.0f}" if tasks else "–",
        "–" if seconds is None else f"{seconds:,.0f} s",
        str(len(entry["tasks"])),
        str(len(entry["missing"])),
        str(sum(task["seen_in_training"] for task in entry["tasks"])),
    )
    return (mean("oracle_ratio") if tasks else float("inf")), cells


def paper_table() -> EntryTable:
    """The paper's Table 1: its own pairs, so that no mean stands beside an entry's."""
    agents = next(iter(FACEBOOK.values()))
    rows = tuple(
        (agent, *(f"{FACEBOOK[graph][agent].oracle_ratio:.2f}" for graph in GRAPHS))
        for agent in agents
    )
    title = "the paper's own figures: other pairs, attributes as published, trained on the graph"
    return EntryTable(title, ("agent", *(f"facebook:{graph}" for graph in GRAPHS)), rows)
