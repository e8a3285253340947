"""Peers that crash: what is counted."""

import json

import numpy as np
import pytest

import garden
from garden.cli.main import main
from garden.errors import SpecError
from garden.experiments.peers.faults import measure_faults, wilson_interval
from garden.graphs.graph import Graph

SPEC = "kaiser-hilgetag:n=40,beta=1,seed=1"


def test_faults__count_messages_between_peers_that_live_and_are_joined():
    report = measure_faults(garden.load(SPEC), crashed=0.2, messages=30)
    assert report.crashed == 8
    assert (report.messages, report.delivered, report.handed_over_twice) == (30, 30, 0)
    assert report.mean_tries >= report.mean_hops > 1


def test_faults__lost_envelopes_cost_tries_not_messages():
    report = measure_faults(garden.load(SPEC), crashed=0, loss=0.1, messages=30)
    assert report.delivered == 30
    assert report.mean_tries > report.mean_hops


def test_faults__refuse_a_network_in_which_nobody_is_joined():
    star = Graph.from_edges(np.array([[0, leaf] for leaf in range(1, 12)]), 12, name="star")
    with pytest.raises(SpecError, match="no two living peers are joined"):
        measure_faults(star, crashed=0.9, messages=3)


def test_wilson__interval_is_the_published_one():
    low, high = wilson_interval(81, 263)  # R. G. Newcombe, Statistics in Medicine 17 (1998)
    assert (round(low, 4), round(high, 4)) == (0.2553, 0.3662)


def test_cli__faults_prints_a_report(capsys):
    main(["peers", "faults", SPEC, "--messages", "5", "--at-once", "--json", "-", "--quiet"])
    report = json.loads(capsys.readouterr().out)
    assert (report["messages"], report["settled_anew"]) == (5, False)
