from dataclasses import replace

import numpy as np
import pytest

from garden.experiments.paper.published import AGENTS
from garden.experiments.paper.table1 import experiment as table1
from garden.experiments.paper.table1.alternatives import (
    RandomTruncation,
    TieRules,
    ordered_wins,
)
from garden.experiments.paper.table1.tables import COMPARED, joining_table, table1_claims
from garden.experiments.report.claims import Claim
from garden.experiments.report.intervals import pooled
from garden.experiments.run.config import Scope
from small_work import outcome


def test_facebook__one_way_of_joining_attributes_can_be_asked_for():
    both = {work.graph for work in table1.works(Scope(graphs=("414",)))}
    one = {work.graph for work in table1.works(Scope(graphs=("414",), attributes="by-id"))}
    other = Scope(graphs=("414",), attributes="as-published")
    assert one == {"facebook:414"}
    assert {work.graph for work in table1.works(other)} == both - one
    assert other.command("facebook").endswith("--graphs 414 --attributes as-published")


def test_facebook__its_report_stands_on_real_results(tmp_path):
    labels = [one.label for one in table1.comparison("by id", "414", 0, True).contenders]

    def result_of(work):
        if isinstance(work, RandomTruncation):
            ends = {"ratio_range": [30.0, 36.0], "truncated_range": [0.5, 0.7]}
            return {
                **{"ratio": 33.0, "truncated": 0.64, "share_as_far": 0.02, **ends},
                **{"limit_of_paper": 53, "plus_minus": 1.3},
            }
        if isinstance(work, TieRules):
            return {"all_truncated": 0.1, "wins": {"shared": dict.fromkeys(AGENTS, 0.2)}}
        rng = np.random.default_rng(work.seed)
        labels = [one.label for one in work.contenders]
        ratios = {label: 1 + rng.random(5) + len(label) for label in labels}
        if work.evaluation.split == "validation":
            ratios["trellis+frontier"] = np.ones(5)
        return {
            "targets": list(range(5)),
            "contenders": {label: outcome(ratios[label].tolist(), [2] * 5) for label in labels},
            "win_groups": {"paper": dict.fromkeys(AGENTS, 0.2)},
            "trained": {
                "garden": {"device": "cpu", "updates": 7000, "best_update": 6500, "stopped": "time"}
            },
        }

    section = table1.report(replace(Scope(), graphs=("414", "0")), result_of, tmp_path)
    ratio = next(table for table in section.tables if table.name == "ratio-by-id")
    assert ratio.columns == ("strategy", "G1 (414)", "G4 (0)")
    assert ratio.rows[4] == ("paper: garden", "10.95 ± 0.76", "12.08 ± 0.71")
    assert [row[0] for row in ratio.rows[5:-1]] == labels
    assert ratio.rows[-1][0] == "trellis, memory chosen on validation"
    assert ratio.rows[-1][1].endswith(", frontier")
    assert [name for name, _ in section.figures] == ["facebook-by-id", "facebook-as-published"]
    for name, _ in section.figures:
        assert "trellis+backtrack" in (tmp_path / f"{name}.svg").read_text()
    assert len(section.claims) == 2 * (len(COMPARED) + 1)
    beside = next(table for table in section.tables if table.name == "paper-protocol")
    rows = {row[0]: row[1:] for row in beside.rows}
    assert rows["garden: oracle ratio"][0].endswith("(10.95 ± 0.76)")
    assert rows["random: truncated, %"] == ("0.0 (76.7)", "0.0 (79.4)")
    assert rows["distance: wins, %"] == ("20.0 (26.2)", "20.0 (32.1)")
    assert rows["episodes of the training, by seed"] == (
        ", ".join(["7,000 (cut off)"] * 3),
        "7,000 (cut off)",
    )
    ties = next(table for table in section.tables if table.name == "paper-ties")
    assert ties.rows[1][1] == " / ".join(["20.0"] * 5)
    headline = next(table for table in section.tables if table.name == "headline-by-id")
    published = [row[0] for row in headline.rows[:3]]
    assert published[0] == "the paper's GARDEN, attributes as published"
    assert "protocol=paper" in published[1]
    assert published[2].startswith("… by `a2c`")


def test_protocol__is_the_papers_training_on_attributes_as_published():
    work = table1.protocol_comparison("686", 20, quick=False)
    (training,) = work.trainings()
    assert training.graph == "facebook:686,attributes=as-published"
    content = training.to_json()
    assert content["options"]["targets_per_update"] * content["options"]["walks_per_target"] == 1
    assert content["options"]["updates"] == 200_000
    assert content["max_minutes"] == training.max_minutes
    labels = tuple(one.label for one in work.contenders)
    assert set(labels) == set(AGENTS)


def test_protocol__is_left_out_where_only_attributes_by_id_are_asked_for(tmp_path):
    works = table1.works(Scope(attributes="by-id"))
    assert all(work.graph.count("published") == 0 for work in works)


def pools_of(**ratios):
    """One comparison of two seeds, whose ratios are the same on every target."""
    contenders = {label: outcome([ratio] * 5, [2] * 5) for label, ratio in ratios.items()}
    return pooled([{"targets": list(range(5)), "contenders": contenders}] * 2)


def test_claims__each_graph_decides_for_itself():
    everyone = {label for mine, other, _ in COMPARED for label in (mine, other)}
    ratios = dict.fromkeys(everyone, 5.0)
    pools = {
        "G1": pools_of(**{**ratios, "garden": 4.0}),
        "G2": pools_of(**{**ratios, "garden": 6.0}),
        "G3": pools_of(**ratios),
    }
    wins = dict.fromkeys(AGENTS, 0.1)
    results = {
        case: [{"win_groups": {"paper": {**wins, winner: 0.6}}}]
        for case, winner in (("G1", "garden"), ("G2", "distance"), ("G3", "garden"))
    }
    claims = {claim.text: claim for claim in table1_claims("by id", pools, results)}
    fewer = "by id: garden: fewer hops than distance"
    assert claims[fewer] == Claim(fewer, ("G1",), ("G2",), ("G3",))
    truncated = claims["by id: garden: fewer truncated walks than distance"]
    assert truncated.undecided_on == ("G1", "G2", "G3")
    winning = claims["by id: of the paper's five, garden wins most pairs"]
    assert (winning.holds_on, winning.fails_on) == (("G1", "G3"), ("G2",))


@pytest.mark.parametrize(("distance", "share"), [(12.0, "90 %"), (25.0, "25 %")])
def test_joining__what_is_left_of_the_hops_that_distance_saves(distance, share):
    by_id = {"414": pools_of(random=30.0, distance=10.0, garden=5.0)}
    as_published = {"414": pools_of(random=30.0, distance=distance, garden=6.0)}
    rows = {row[0]: row[1] for row in joining_table(by_id, as_published).rows}
    assert rows["… share of the former"] == share
    assert (rows["garden, by id"], rows["garden, as published"]) == ("5.00", "6.00")


def test_ties__go_to_whoever_stands_first():
    sure = np.array([[1.0, 0.0, 0.0]])  # delivered in one hop
    late = np.array([[0.0, 0.0, 1.0]])  # truncated at two hops
    even = np.array([[0.5, 0.5, 0.0]])
    assert ordered_wins([sure, sure, late]).tolist() == [1.0, 0.0, 0.0]
    assert ordered_wins([late, late]).tolist() == [1.0, 0.0]
    assert ordered_wins([even, sure]).tolist() == [0.5, 0.5]
    assert ordered_wins([even, even, even]) == pytest.approx([0.625, 0.25, 0.125])


def test_ties__all_rules_hand_out_every_pair():
    rng = np.random.default_rng(0)
    tables = [rng.dirichlet(np.ones(6), size=7) for _ in range(4)]
    assert ordered_wins(tables).sum() == pytest.approx(1)
    assert ordered_wins(tables[::-1])[::-1].sum() == pytest.approx(1)
