"""Tables of the experiment: one row per graph, a summary by family, and kin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from garden.experiments.report.claims import claim_of_signs
from garden.experiments.report.intervals import Estimate, pooled
from garden.experiments.report.sections import Findings, Table

EARLIER, GRAPH, FAMILY = "universal", "graph left out", "family left out"
TAUGHT = "universal-2"
RULES = ("bidirectional+visited", "greedy+backtrack", "distance+visited", "random")
COMPARED = RULES[:3]
POLICIES = (EARLIER, GRAPH, FAMILY, TAUGHT)
MEMORY, EXPLORE = "backtrack", "explore"
EXPLORING = (f"{EARLIER}+{EXPLORE}", f"{GRAPH}+{EXPLORE}")
SHOWN = (*POLICIES, *EXPLORING)
KIN = (
    ("`facebook:414`", "`facebook:348`, by content: 542 links"),
    ("`citation/cora`", "`citation/cora_ml`, by name"),
    ("`facebook:ID`", "the same graph with attributes as published"),
)
SLACK, WORSE = 1.01, 1.10  # of the best rule's ratio: no worse; clearly worse
METRICS = ("ratio", "truncated")


def label_of(who: str, memory: str) -> str:
    """The name of a policy with its memory, as tables have it.

    Args:
        who: ``rules``, or one of :data:`POLICIES`.
        memory: Left out of the name where it is the usual one.
    """
    return who if memory == MEMORY else f"{who}+{memory}"


Results = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""By graph, then by who played it: what :func:`.play.played` gave."""


def family_of(spec: str, families: Mapping[str, str]) -> str:
    """The column that a graph counts in: circles apart from SNAP's ego networks.

    Args:
        spec: The graph's spec.
        families: The family of each real graph.
    """
    if spec.startswith("collection:"):
        return spec.removeprefix("collection:").partition("/")[0]
    if spec in families:
        return families[spec]
    if spec.startswith(("alike:", "zero:")):
        return "profiles say nothing"
    return spec.partition(",")[0].replace(":", ", ")


def joined(parts: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """One comparison of all who played a graph's pairs."""
    contenders = {
        label: one for result in parts.values() for label, one in result["contenders"].items()
    }
    targets = next(iter(parts.values()))["targets"]
    return {"targets": targets, "contenders": contenders}


def findings_of(
    results: Results, families: Mapping[str, str], folds: Sequence[tuple[str, ...]]
) -> Findings:
    """Ratios by graph and by family, and how far above the best rule each policy is.

    Args:
        results: What was played.
        families: The family of each real graph.
        folds: The real graphs that one training lacks together.

    """
    rows = [_row(spec, parts, families) for spec, parts in results.items()]
    claims = tuple(
        claim_of_signs(
            f"{_in_words(who)} needs at most 1 % more hops than the best of three rules",
            {row.spec: row.verdict(who) for row in rows if who in row.over},
        )
        for who in SHOWN
        if any(who in row.over for row in rows)
    )
    return Findings(claims, (_by_family(rows), _by_graph(rows), _of_folds(folds)))


def _in_words(who: str) -> str:
    head, plus, memory = who.partition("+")
    if head in (GRAPH, FAMILY):
        played_with = f", with `{memory}`," if plus else ""
        return f"A policy trained as `{TAUGHT}` with the {head}{played_with}"
    return f"`{who}`"


@dataclass(frozen=True, eq=False)
class _Row:
    """The figures of one graph."""

    spec: str
    family: str
    ratios: Mapping[str, Estimate]  # by who played: policies and rules under their own names
    over: Mapping[str, Estimate]  # by policy, the difference to the best rule
    truncated: Mapping[str, float]  # by who played

    @property
    def best_rule(self) -> str:
        """The rule with the least ratio."""
        return min(COMPARED, key=lambda rule: self.ratios[rule].mean)

    def share(self, who: str) -> float:
        """The policy's ratio over that of the best rule."""
        return self.ratios[who].mean / self.ratios[self.best_rule].mean

    def verdict(self, who: str) -> int:
        """1 where it is within 1 % of the best rule or below, −1 where it is above by 10 % with an
        interval that excludes zero, else 0.
        """
        if self.share(who) <= SLACK:
            return 1
        return -1 if self.share(who) > WORSE and self.over[who].low > 0 else 0


def _row(spec: str, parts: Mapping[str, Mapping[str, Any]], families: Mapping[str, str]) -> _Row:
    pool = pooled([joined(parts)], metrics=METRICS)
    names = {label: label.removesuffix(f"+{MEMORY}") for label in pool.labels}
    policies = {label: name for label, name in names.items() if name in SHOWN}
    shown = {label: policies.get(label, label) for label in pool.labels}
    ratios = {name: pool.estimate("ratio", label) for label, name in shown.items()}
    over = {}
    if all(rule in ratios for rule in COMPARED):
        best = min(COMPARED, key=lambda rule: ratios[rule].mean)
        over = {name: pool.difference("ratio", label, best) for label, name in policies.items()}
    truncated = {name: pool.mean("truncated", label) for label, name in shown.items()}
    return _Row(spec, family_of(spec, families), ratios, over, truncated)


def _by_graph(rows: Sequence[_Row]) -> Table:
    shown = (*SHOWN, *COMPARED)

    def cells(row: _Row) -> tuple[str, ...]:
        return tuple(row.ratios[who].text() if who in row.ratios else "–" for who in shown)

    return Table(
        "left-out-graphs",
        f"Oracle ratio on each graph, policies with `{MEMORY}` where no memory is named, and rules "
        "(95 % interval)",
        ("graph", *shown, f"truncated, %: {', '.join(SHOWN)}"),
        tuple((row.spec, *cells(row), _truncations(row)) for row in rows),
        "Every pair of graphs up to 600 nodes; the first 20,000 drawn pairs up to 2,900 nodes, the "
        "first 2,000 or fewer above. Intervals by bootstrap over targets.",
    )


def _of_folds(folds: Sequence[tuple[str, ...]]) -> Table:
    return Table(
        "left-out-folds",
        "Graphs that one training lacks together",
        ("fold", "graphs"),
        tuple((str(n), ", ".join(f"`{s}`" for s in fold)) for n, fold in enumerate(folds)),
        "Kin are left out together: graphs that count as met by content, and graphs named as kin. "
        f"Kin among these: {'; '.join(' and '.join(pair) for pair in KIN)}.",
    )


def _truncations(row: _Row) -> str:
    found = [row.truncated.get(who) for who in SHOWN]
    return " / ".join("–" if one is None else f"{100 * one:.1f}" for one in found)


def _by_family(rows: Sequence[_Row]) -> Table:
    groups: dict[str, list[_Row]] = {}
    for row in rows:
        groups.setdefault(row.family, []).append(row)
    return Table(
        "left-out",
        f"Oracle ratio by family, policies with `{MEMORY}` where no memory is named: mean over "
        "graphs (worst graph), and over how many of them where not all were played",
        ("family", "graphs", *SHOWN, "best of three rules", "no worse than the best rule"),
        tuple((name, str(len(of)), *_summary(of)) for name, of in groups.items()),
        "`universal` was trained on the first family, on `twitch:*`, on `musae-facebook` and on "
        "generated graphs of kind `attributed`; `universal-2` on all real graphs here and on other "
        "generated graphs of the four kinds. The last column counts graphs, among those that "
        f"rules played, on which {' / '.join(SHOWN)} needs at most 1 % more hops than the best "
        "of `bidirectional+visited`, `greedy+backtrack` and `distance+visited`.",
    )


def _summary(rows: Sequence[_Row]) -> tuple[str, ...]:
    cells = []
    for who in SHOWN:
        found = [row.ratios[who].mean for row in rows if who in row.ratios]
        fewer = f", {len(found)} of {len(rows)}" if len(found) < len(rows) else ""
        cells.append(f"{np.mean(found):.2f} ({max(found):.2f}){fewer}" if found else "–")
    held = [row for row in rows if row.over]
    if not held:
        return (*cells, "–", "–")
    best = np.mean([row.ratios[row.best_rule].mean for row in held])
    counts = [_count(held, who) for who in SHOWN]
    return (*cells, f"{best:.2f}", f"{' / '.join(counts)} of {len(held)}")


def _count(rows: Sequence[_Row], who: str) -> str:
    if not all(who in row.ratios for row in rows):
        return "–"
    return str(sum(row.share(who) <= SLACK for row in rows))
