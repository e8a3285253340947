import json
from collections import Counter

import pytest

from garden.experiments.ours.gossip import experiment, graphs, million, tradeoff
from garden.experiments.ours.gossip.bars import BarTrial
from garden.experiments.ours.gossip.beside_trellis import SplitTrial, stored_ratios
from garden.experiments.ours.gossip.by_profile import OrderTrial, ProfileTrial
from garden.experiments.ours.gossip.cards import CardLimitTrial, CardPrivacyTrial
from garden.experiments.ours.gossip.changes import ChangeTrial
from garden.experiments.ours.gossip.million import MillionTrial
from garden.experiments.ours.gossip.tradeoff import HubLabelTrial, RivalTrial, SketchTrial
from garden.experiments.ours.gossip.traffic import ShortestTrafficTrial, TrafficTrial
from garden.experiments.run.config import Scope
from garden.experiments.run.jobs import FORMAT

GRAPH = "kaiser-hilgetag:n=40,beta=2,seed=1"
BARE = "power-law:n=60,degree=4,seed=1"

pytest.importorskip("numba", reason="labels are found by compiled code")


def done(work):
    """What comes of a unit, as it is read back from its file."""
    return json.loads(json.dumps(work.perform(None), allow_nan=False))


def on_small_graphs(work):
    """The same unit on a small graph that needs no data."""
    small = {
        SketchTrial: lambda: SketchTrial(GRAPH, work.strategy, 30, 1),
        RivalTrial: lambda: RivalTrial(BARE, work.strategy, work.memory, 30),
        HubLabelTrial: lambda: HubLabelTrial(GRAPH, 30),
        BarTrial: lambda: BarTrial(GRAPH, work.rank_seed),
        SplitTrial: lambda: SplitTrial(GRAPH, work.seed),
        CardLimitTrial: lambda: CardLimitTrial(GRAPH, num_pairs=30),
        CardPrivacyTrial: lambda: CardPrivacyTrial(GRAPH, work.rank, num_pairs=50),
        TrafficTrial: lambda: TrafficTrial(GRAPH, work.rank, work.price, 50),
        ShortestTrafficTrial: lambda: ShortestTrafficTrial(GRAPH, 50),
        ChangeTrial: lambda: ChangeTrial(GRAPH, work.rank, 2),
        ProfileTrial: lambda: ProfileTrial(GRAPH, work.contender),
        OrderTrial: lambda: OrderTrial(GRAPH),
    }
    return small[type(work)]()


def test_gossip__the_report_has_every_part_of_what_units_found(tmp_path):
    found = {}

    def result_of(work):
        small = on_small_graphs(work)
        if small.key not in found:
            found[small.key] = done(small)
        return found[small.key]

    findings = experiment.report(Scope(quick=True), result_of, tmp_path / "gossip")
    tables = {table.name: table for table in findings.tables}
    assert set(tables) == {
        "gossip-bars",
        "gossip-bars-without-paths",
        "gossip-paths",
        "gossip-paths-collection",
        "gossip-ratios",
        "gossip-sizes",
        "gossip-collection",
        "gossip-trellis",
        "gossip-card-limit",
        "gossip-card-privacy",
        "gossip-traffic",
        "gossip-changes",
        "gossip-by-profile",
        "gossip-directories",
    }
    assert all(len(row) == len(one.columns) for one in findings.tables for row in one.rows)
    ratios = {row[0]: row[1:] for row in tables["gossip-ratios"].rows}
    assert ratios["exact hub labels"] == ("1 (exact)", "1 (exact)")
    assert ratios["universal+backtrack"] == ("– (no attributes)",) * 2
    trained = {row[0]: row[1:] for row in tables["gossip-trellis"].rows}
    assert trained["trellis"] == ("– (no stored run on these pairs)",) * 2
    truncated = next(one for one in findings.claims if "truncated" in one.text)
    assert truncated.holds_on == ("G1 (414)", "G2 (686)", "web")
    profiles = {row[0]: row[1:] for row in tables["gossip-by-profile"].rows}
    assert len(profiles) == len(tables["gossip-by-profile"].rows) == 11
    assert profiles["directory"][0].endswith("(0)")
    changes = tables["gossip-changes"].rows
    assert len(changes) == 2 * 2 * 5  # graphs, ranks, kinds of change
    for name, _ in findings.figures:
        assert "oracle ratio" in (tmp_path / "gossip" / f"{name}.svg").read_text()


def test_gossip__scopes_choose_graphs_and_all_units_have_addresses_of_their_own():
    quick = experiment.works(Scope(quick=True))
    assert {work.graph for work in quick} == {
        "facebook:414",
        "facebook:686",
        "collection:web/texas",
    }
    everything = experiment.works(Scope())
    assert len({work.key for work in everything}) == len(everything)
    kinds = Counter(work.kind for work in everything if "1000000" in work.graph)
    assert kinds == {"gossip-million": 20, "gossip-sketches": 11}
    named = experiment.works(Scope(graphs=("power-law-1e6",)))
    assert {work.graph for work in named} == {graphs.LARGE["power-law-1e6"]}


def test_gossip__a_large_trial_counts_sketches_and_its_table_has_their_means():
    one = done(MillionTrial(BARE, 1))
    assert one["num_targets"] <= 60
    assert 1 <= one["backtrack"]["ratio"] <= one["none"]["ratio"] + 0.5
    assert one["cost"]["entries_per_node"] > 1
    assert one["gigabytes"] > 0
    scope = Scope(graphs=("power-law-1e6",), seeds=(0, 1))
    table, without_paths = million.tables(scope, lambda _: one)
    assert without_paths.name == "gossip-million-without-paths"
    assert [row[0] for row in table.rows] == ["0", "1", "mean", "bar"]
    assert table.rows[0][1:] == table.rows[2][1:]
    assert million.tables(Scope(graphs=("414",)), lambda _: one) == []


def test_gossip__sizes_at_a_million_nodes_stand_in_one_table():
    one = done(SketchTrial(BARE, "beacons:k=4", 30, 1))
    assert million.size_tables(Scope(quick=True), lambda _: one) == []
    (table,) = million.size_tables(Scope(), lambda _: one)
    assert len(table.rows) == 11
    assert table.rows[0][:2] == ("power-law, 10⁶", "beacons:k=1")
    assert all(len(row) == len(table.columns) for row in table.rows)


def test_gossip__the_collection_has_ninety_graphs():
    assert len(graphs.COLLECTION) == 90


def test_gossip__a_rival_says_why_its_cell_is_empty(monkeypatch):
    assert done(RivalTrial(BARE, "universal", "backtrack")) == {"empty": "no attributes"}
    monkeypatch.setattr(tradeoff, "MAX_NODES", 30)
    assert done(HubLabelTrial(GRAPH)) == {"empty": "more than 30 nodes"}


def test_gossip__plain_walks_of_rivals_are_those_of_tables(monkeypatch):
    by_table = done(RivalTrial(GRAPH, "bidirectional", "visited", 40))
    monkeypatch.setattr(tradeoff, "MAX_TABLE", 0)
    assert done(RivalTrial(GRAPH, "bidirectional", "visited", 40)) == by_table


def test_gossip__sampled_and_exact_bars_agree(monkeypatch):
    from garden.experiments.ours.gossip import bars

    exact = done(BarTrial(GRAPH, 0, k=2))
    monkeypatch.setattr(bars, "MAX_EXACT", 0)
    sampled = done(BarTrial(GRAPH, 0, k=2))
    assert (exact["evaluation"], sampled["evaluation"]) == ("exact", "sampled")
    assert sampled["none"]["ratio"] == pytest.approx(exact["none"]["ratio"], rel=0.05)
    assert sampled["backtrack"] == exact["backtrack"]


def test_gossip__hubs_come_last_where_they_cost_something():
    free = done(TrafficTrial(BARE, "degree", 0.0, 2000))
    priced = done(TrafficTrial(BARE, "degree", 2.0**26, 2000))
    assert priced["busiest_share"] < free["busiest_share"]
    assert done(ShortestTrafficTrial(BARE, 2000))["busiest_share"] > 1 / 60


def test_gossip__trained_figures_are_taken_from_results_of_the_same_pairs(tmp_path):
    contender = {"pairs": [1, 3], "ratio": [2.0, 1.0]}
    record = {
        "key": "k",
        "work": {"evaluation": {"split": "test", "all_pairs": False}},
        "result": {"task_hash": "abc", "contenders": {"trellis": contender}},
    }
    other = {**record, "key": "l", "work": {"evaluation": {"split": "validation"}}}
    (tmp_path / "larger").mkdir()
    lines = [{"format": FORMAT}, record, other]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (tmp_path / "larger" / "runs.jsonl").write_text(text)
    assert stored_ratios(tmp_path) == {("abc", "trellis"): 1.25}


def test_gossip__by_profile_no_rule_is_below_what_shared_profiles_allow():
    by_profile, by_ego = (
        done(ProfileTrial(GRAPH, f"directory{end}")) for end in ("", ":target=ego")
    )
    orders = done(OrderTrial(GRAPH))
    assert 1 <= orders["least"] == orders["best_known"] <= orders["nearest_first"]
    assert orders["exact"]
    assert orders["least"] <= by_profile["ratio"]
    assert by_ego["by_way_of_directory"] >= 1
    assert by_ego["truncated"] == 0
    assert 0 < by_ego["share_of_hops"] <= 1
    assert by_ego["cards"]["directories"] <= 16
