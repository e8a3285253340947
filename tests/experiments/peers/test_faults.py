"""Peers that crash: what is counted."""

import json

import numpy as np
import pytest

import garden
from garden.cli.main import main
from garden.errors import SpecError
from garden.experiments.peers.faults import FaultPlan, measure_faults
from garden.experiments.peers.liveness import Liveness, Trip
from garden.experiments.peers.report import wilson_interval
from garden.experiments.peers.trial import region
from garden.graphs.graph import Graph
from garden.peers.faults import Partition

SPEC = "kaiser-hilgetag:n=40,beta=1,seed=1"


def test_faults__count_messages_between_peers_that_live_and_are_joined():
    report = measure_faults(garden.load(SPEC), plan=FaultPlan(crashed=0.2, messages=30))
    assert report.num_gone == 8
    assert (report.counted, report.delivered, report.handed_over_twice) == (30, 30, 0)
    assert report.mean_tries >= report.mean_hops > 1


def test_faults__lost_envelopes_cost_tries_not_messages():
    report = measure_faults(garden.load(SPEC), plan=FaultPlan(loss=0.1, messages=30))
    assert report.delivered == 30
    assert report.mean_tries > report.mean_hops


def test_faults__refuse_a_network_in_which_nobody_is_joined():
    star = Graph.from_edges(np.array([[0, leaf] for leaf in range(1, 12)]), 12, name="star")
    with pytest.raises(SpecError, match="no two living peers are joined"):
        measure_faults(star, plan=FaultPlan(crashed=0.9, messages=3))


def test_wilson__interval_is_the_published_one():
    low, high = wilson_interval(81, 263)  # R. G. Newcombe, Statistics in Medicine 17 (1998)
    assert (round(low, 4), round(high, 4)) == (0.2553, 0.3662)


def test_cli__faults_prints_a_report(capsys):
    main(["peers", "faults", SPEC, "--messages", "5", "--at-once", "--json", "-", "--quiet"])
    report = json.loads(capsys.readouterr().out)
    assert (report["messages"], report["settle_anew"]) == (5, False)


@pytest.mark.parametrize(
    "plan",
    [
        FaultPlan(stale_views=0.2, settle_anew=False, messages=20),
        FaultPlan(stale_cards=0.2, messages=20),
        FaultPlan(churn=0.5, messages=40, pace=1_000),
    ],
    ids=["views", "cards", "churn"],
)
def test_faults__stale_views_stale_cards_and_churn_cost_hops_not_messages(plan):
    report = measure_faults(garden.load(SPEC), plan=plan)
    assert report.delivered == report.counted > 0.5 * plan.messages
    assert report.handed_over_twice == 0
    assert report.mean_extra_hops >= 0
    assert (report.num_gone > 0) == (plan.churn > 0)


def test_faults__messages_between_parted_peers_do_not_count():
    plan = FaultPlan(parted=0.4, messages=60, pace=2_000)
    report = measure_faults(garden.load(SPEC), plan=plan)
    assert report.counted < 60
    assert report.delivered >= 0.9 * report.counted


def test_faults__refuse_shares_and_counts_that_are_none():
    for bad in ({"churn": 1.5}, {"messages": 0}, {"pace": 0}):
        with pytest.raises(SpecError):
            FaultPlan(**bad)


def path_of_five():
    return Graph.from_edges(np.array([[0, 1], [1, 2], [2, 3], [3, 4]]), 5, name="path")


def test_liveness__a_trip_counts_while_all_on_some_way_live():
    liveness = Liveness(path_of_five())
    liveness.went(2, 100)
    liveness.came(2, 200)
    assert liveness.joined(Trip(0, 4, 0, 99))
    assert not liveness.joined(Trip(0, 4, 50, 150))
    assert liveness.joined(Trip(0, 1, 50, 150))
    assert not liveness.joined(Trip(2, 3, 150, 160))
    assert liveness.joined(Trip(0, 4, 201, 300))
    assert not liveness.lived(2, 0, 100)


def test_liveness__a_partition_parts_while_it_lasts():
    liveness = Liveness(path_of_five(), Partition(100, 200, frozenset({3, 4})))
    assert liveness.joined(Trip(0, 4, 200, 300))
    assert not liveness.joined(Trip(0, 4, 150, 300))
    assert liveness.joined(Trip(3, 4, 150, 160))
    assert liveness.distances([Trip(0, 2, 150, 160), Trip(4, 0, 0, 50)]).tolist() == [2, 4]


def test_region__is_what_a_search_meets_first():
    assert region(path_of_five(), 3, 4) == {4, 3, 2}
