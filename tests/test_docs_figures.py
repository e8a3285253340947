"""Figures in sentences of README and the documentation are those of `results/`.

Each has its page, the words around it with a place for every number, and how the numbers come
out of stored runs or tables.
"""

import csv
import json
import re
from math import ceil
from pathlib import Path
from statistics import fmean

import pytest

from garden.strategies.gossip.beacons import RULE, Beacons

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results"
NOT_REAL = ("generated:", "alike:", "zero:")


def rows_of(table):
    with (RESULTS / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    name = next(iter(rows[0]))
    return {row[name]: row for row in rows}


def ratios(cells):
    """The numbers that cells begin with; a cell may be empty."""
    return [float(cell.split()[0].rstrip(",")) for cell in cells if cell[:1].isdigit()]


def missing(strategy, graph, *shares):
    row = rows_of("robustness/robustness-missing")[strategy]
    return tuple(row[f"{graph}, {share} %"] for share in shares)


def rewired():
    row = rows_of("robustness/robustness-rewired")["trellis+backtrack"]
    return row["G4, 0 %"], row["G4, 20 %"]


def noisy():
    row = rows_of("robustness/robustness-noise")["trellis+backtrack"]
    return tuple(row[f"{graph}, ε = 4"] for graph in ("G1", "G4", "G5"))


def on_real_graphs(strategy):
    """Sorted ratios on the real graphs where it was played, citation graphs apart."""
    rows = rows_of("left-out/left-out-graphs").values()
    real = [row for row in rows if not row["graph"].startswith(NOT_REAL)]
    cited = sorted(ratios(row[strategy] for row in real if "citation" in row["graph"]))
    others = sorted(ratios(row[strategy] for row in real if "citation" not in row["graph"]))
    return others, cited


def universal():
    others, cited = on_real_graphs("universal+explore")
    return f"{others[0]:.1f}", f"{others[-1]:.1f}", len(others), len(others) + len(cited)


def citation():
    _, cited = on_real_graphs("universal+explore")
    return f"{cited[0]:.1f}", f"{cited[-1]:.1f}"


def rule():
    others, cited = on_real_graphs("bidirectional+visited")
    every = sorted(others + cited)
    return f"{every[0]:.1f}", f"{every[-1]:.1f}", len(every)


def trained():
    """On graphs of up to 3,000 nodes with the memory chosen: least, most (rounded up), the worst
    training."""
    five = rows_of("facebook/headline-by-id")["`trellis`, memory chosen on validation (worst seed)"]
    chosen = "memory chosen on validation"
    graphs = [row[chosen] for row in rows_of("collection/collection-graphs").values()]
    means = [*ratios(list(five.values())[1:]), *ratios(graphs)]
    worst = re.search(r"\((.*)\)", rows_of("collection/collection")["all"][chosen])[1]
    return f"{min(means):.2f}", f"{ceil(100 * max(means)) / 100:.2f}", worst


def trained_on_many_nodes():
    (ratio,) = ratios([rows_of("larger/larger")["trellis+frontier"]["musae-facebook"]])
    return (f"{ratio:.1f}",)


def beacons():
    """On how many graphs the mean of ten rank seeds is at most 1.03, of how many, the worst."""
    by_graph = {}
    for line in (RESULTS / "gossip/runs.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        work = record.get("work", {})
        asked = (work.get("paths"), work.get("rule")) == (Beacons.paths, RULE)
        if record.get("kind") == "gossip-bar" and asked:
            ratio = record["result"]["backtrack"]["ratio"]
            by_graph.setdefault(work["graph"], []).append(ratio)
    means = [fmean(each) for each in by_graph.values()]
    assert {len(each) for each in by_graph.values()} == {10}
    return sum(mean <= 1.03 for mean in means), len(means), f"{max(means):.2f}"


def newcomers(agent):
    """Towards a tenth of all nodes at once, G1 to G5."""
    row = rows_of("newcomers/newcomers")[agent]
    graphs = ("G1 (414)", "G2 (686)", "G3 (348)", "G4 (0)", "G5 (3437)")
    return tuple(f"{ratio:.2f}" for ratio in ratios(row[graph] for graph in graphs))


README, WHICH, UNIVERSAL = "README.md", "docs/which-strategy.md", "docs/universal.md"
SENTENCES = {
    (README, "`trellis+backtrack` goes from {} to {} on G1"): lambda: missing(
        "trellis+backtrack", "G1", 0, 50
    ),
    (README, "`universal+backtrack` to {}; on G4 and G5"): lambda: missing(
        "universal+backtrack", "G1", 50
    ),
    (WHICH, "`universal+backtrack` then needs {} on G1, `trellis+backtrack` {}."): lambda: (
        missing("universal+backtrack", "G1", 50) + missing("trellis+backtrack", "G1", 50)
    ),
    (WHICH, "takes `trellis+backtrack` from {} to {} on G4"): rewired,
    (UNIVERSAL, "`universal+backtrack` goes from {} to {} on G1"): lambda: missing(
        "universal+backtrack", "G1", 0, 50
    ),
    (UNIVERSAL, "`trellis+backtrack` from {} to {}, `bidirectional+visited`"): lambda: missing(
        "trellis+backtrack", "G1", 0, 50
    ),
    (UNIVERSAL, "`bidirectional+visited` from {} to {}; on G4 and G5"): lambda: missing(
        "bidirectional+visited", "G1", 0, 50
    ),
    (UNIVERSAL, "stays the better one ({} against {}, {} against {})"): lambda: tuple(
        cell
        for graph in ("G4", "G5")
        for strategy in ("trellis+backtrack", "universal+backtrack")
        for cell in missing(strategy, graph, 50)
    ),
    (UNIVERSAL, "changed takes `trellis+backtrack` from {} to {} on G4"): rewired,
    (UNIVERSAL, "leaves `trellis+backtrack` at {}, {} and {} (G1, G4, G5)"): noisy,
    (README, "| {} – {} on {} of {} real graphs, some of which it was trained on"): universal,
    (WHICH, "| {} – {} times the shortest path on {} of {} real graphs, some of"): universal,
    (WHICH, "; {} – {} on citation graphs |"): citation,
    (README, "| `bidirectional+visited` | {} – {} on {} real graphs |"): rule,
    (WHICH, "| `bidirectional+visited` | {} – {} on {} real graphs |"): rule,
    (README, "| {} – {} (worst training {}); "): trained,
    (WHICH, "| {} – {} on graphs of up to 3,000 nodes (worst training {})"): trained,
    (README, "; with a memory {}, {}, {}, {}, {} ([newcomers]"): lambda: newcomers(
        "trellis + memory"
    ),
    (README, "; {} on 22,470 nodes |"): trained_on_many_nodes,
    (WHICH, ", {} on 22,000 |"): trained_on_many_nodes,
    (README, "| at most 1.03 on {} of {} graphs, with or"): lambda: beacons()[:2],
    (WHICH, "| at most 1.03 on {} of {} graphs, {} on the worst"): beacons,
}


@pytest.mark.parametrize(("page", "words"), SENTENCES, ids=lambda part: str(part)[:40])
def test_docs__a_sentence_has_the_figures_of_the_results(page, words):
    text = " ".join((ROOT / page).read_text("utf-8").split())
    assert words.format(*SENTENCES[page, words]()) in text
