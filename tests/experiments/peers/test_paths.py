"""Peers beside the simulator, and how long they take."""

import json

import pytest

import garden
from garden.cli.main import main
from garden.experiments.peers import paths
from garden.experiments.peers.paths import compare_paths
from garden.strategies.registry import MEMORIES

SPEC = "kaiser-hilgetag:n=40,beta=1,seed=1"


def test_paths__are_the_simulators():
    report = compare_paths(garden.load(SPEC), "beacons+backtrack", messages=20)
    assert (report.differing, report.delivered, report.messages) == (0, 20, 20)
    assert report.hops >= 20
    assert report.mean_card_bytes < report.mean_envelope_bytes <= report.largest_envelope_bytes


def test_paths__of_walks_of_more_than_twenty_seconds_are_the_simulators():
    report = compare_paths(garden.load("kaiser-hilgetag:n=250,beta=1,seed=0"), "random", 15)
    assert (report.differing, report.delivered) == (0, 13)
    assert report.hops > 4_000  # two walks of a thousand hops, 30 ms each


def test_paths__another_walk_is_counted(monkeypatch):
    honest = paths.walk_by_keys

    def without_memory(graph, strategy, rows, source, target, _memory, *rest):
        other = MEMORIES["none"]
        return honest(graph, strategy, rows, source, target, other, *rest)

    monkeypatch.setattr(paths, "walk_by_keys", without_memory)
    assert compare_paths(garden.load(SPEC), "greedy+backtrack", messages=20).differing > 0


def test_cli__paths_and_speed_print_a_row_for_each_strategy(capsys):
    flags = ["--strategy", "greedy+backtrack", "--strategy", "lookahead", "--json", "-", "--quiet"]
    main(["peers", "paths", SPEC, "--messages", "5", *flags])
    reports = json.loads(capsys.readouterr().out)["reports"]
    assert [one["memory"] for one in reports] == ["backtrack", "none"]
    main(["peers", "speed", SPEC, "--choices", "5", *flags])
    times = json.loads(capsys.readouterr().out)["times"]
    assert [one["strategy"] for one in times] == ["greedy", "lookahead"]
    assert all(0 < one["median_us"] <= one["ninetieth_us"] for one in times)


def test_speed__refuses_to_time_nothing():
    from garden.errors import SpecError
    from garden.experiments.peers.speed import time_choices

    with pytest.raises(SpecError, match="choices"):
        time_choices(garden.load(SPEC), choices=0)
