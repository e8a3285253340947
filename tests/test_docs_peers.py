"""Tables of peers in the documentation are those of `results/peers`."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results" / "peers"
PEERS, THREATS = "docs/peers.md", "docs/threat-model.md"
GRAPHS = (414, 686, 348, 0, 3437)
WALKERS = ("bidirectional", "lookahead", "distance", "greedy", "connection", "evn", "random")


def stored(name):
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


def row(*cells):
    return f"| {' | '.join(cells)} |"


def counted(record):
    return f"{record['delivered']:,} of {record['counted']:,}"


def lower_end(record):
    return f"{100 * record['delivery_rate_ci'][0]:.2f}"


def mean(record, *names):
    return [f"{record[f'mean_{name}']:.2f}" for name in names]


def crashes():
    """What went wrong, and the end of a file's name."""
    yield "none", "crashed00-settled"
    for share in (1, 5, 10, 20, 30):
        yield f"{share} % crashed, messages at once", f"crashed{share:02}-at-once"
        yield f"{share} % crashed, settled anew", f"crashed{share:02}-settled"
    for share in (1, 5, 20):
        yield f"{share} % of envelopes lost", f"lost{share:02}"


def crash_rows():
    for strategy in ("beacons", "trellis"):
        for what, name in crashes():
            record = stored(f"faults-{strategy}-{name}")
            figures = lower_end(record), *mean(record, "hops", "tries")
            yield row(f"{strategy}+backtrack", what, counted(record), *figures)


def changes():
    """What went wrong, its flags, and the end of a file's name."""
    for share in (5, 10, 20):
        flag = f"--stale-views {share / 100:g}"
        what = f"{share} % of links changed, views stale"
        yield f"{what}, at once", f"`{flag} --at-once --pace 1`", f"views{share:02}-at-once"
        yield f"{what}, lost links found out", f"`{flag}`", f"views{share:02}-settled"
    for share in (5, 10, 20):
        flag = f"`--stale-cards {share / 100:g}`"
        yield f"{share} % of links changed, cards stale", flag, f"cards{share:02}"
    yield "30 % of peers parted for a while", "`--parted 0.3`", "parted30"
    yield "churn, 1 % a minute", "`--churn 0.01`", "churn01"


def change_rows():
    for what, flags, name in changes():
        for strategy in ("beacons", "trellis"):
            record = stored(f"faults-{strategy}-{name}")
            figures = lower_end(record), *mean(record, "hops", "extra_hops", "tries")
            yield row(what, flags, strategy, counted(record), *figures)


def growth_rows():
    for peers in (3_000, 30_000, 100_000):
        record = stored(f"growth-{peers}")
        figures = lower_end(record), *mean(record, "hops", "extra_hops")
        yield row(f"{peers:,}", counted(record), *figures, f"{record['envelopes']:,}")


def paths():
    """Of each graph and strategy that was played, the reports by memory."""
    for graph in GRAPHS:
        for strategy in ("beacons", "universal", "trellis", *WALKERS):
            if (RESULTS / f"paths-{graph}-{strategy}.json").exists():
                yield stored(f"paths-{graph}-{strategy}")["reports"]


def path_rows():
    for reports in paths():
        first = reports[0]
        sums = [
            f"{sum(one[name] for one in reports):,}" for name in ("messages", "differing", "hops")
        ]
        yield row(
            f"`{first['graph']}`", first["strategy"], ", ".join(one["memory"] for one in reports),
            *sums, ", ".join(f"{one['mean_envelope_bytes']:,.0f}" for one in reports),
            f"{max(one['largest_envelope_bytes'] for one in reports):,}",
            f"{first['mean_card_bytes']:,.0f}",
        )  # fmt: skip


def leak_rows():
    for graph in GRAPHS:
        for one in stored(f"leaks-{graph}")["reports"]:
            low, high = one["mean_auc_ci"]
            yield row(
                f"`{one['graph']}`", one["strategy"], str(one["attributes"]),
                f"{one['mean_auc']:.3f} [{low:.3f}, {high:.3f}]",
                f"{100 * one['share_of_large_auc']:.0f} %", f"{100 * one['mean_accuracy']:.1f}",
                f"{100 * one['mean_base_accuracy']:.1f}",
            )  # fmt: skip


@pytest.mark.parametrize(
    ("page", "rows"),
    [
        (PEERS, crash_rows),
        (PEERS, change_rows),
        (PEERS, growth_rows),
        (PEERS, path_rows),
        (THREATS, leak_rows),
    ],
)
def test_docs__tables_of_peers_are_the_results_own(page, rows):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert "\n".join(rows()) in text


def test_docs__say_how_many_paths_were_compared():
    every = [one for reports in paths() for one in reports]
    compared, differing = (
        sum(one["messages"] for one in every),
        sum(one["differing"] for one in every),
    )
    text = (ROOT / PEERS).read_text(encoding="utf-8")
    assert f"Of {compared:,} messages on the Facebook graphs {differing} took another path" in text


@pytest.mark.parametrize("model", ["garden", "trellis"])
def test_docs__exports_choose_as_torch_does(model):
    choices = [stored(f"export-{model}-{graph}")["choices"] for graph in GRAPHS]
    assert [(one["hops"], one["differing"]) for one in choices] == [(20_000, 0)] * len(GRAPHS)
    share = max(one["differing_share"] for one in choices)
    gap = max(one["largest_score_difference"] for one in choices)
    said = f"`{model}`: {1e6 * share:.1f} in a million, {gap:.1g}"
    assert said in (ROOT / PEERS).read_text(encoding="utf-8")
