"""What rows give away of attributes."""

import json
from dataclasses import replace

import numpy as np
import pytest

import garden
from garden.cli.main import main
from garden.errors import SpecError
from garden.experiments.peers.leaks import _auc, features_of, measure_leaks
from garden.strategies.representations import Ragged, Representations

SPEC = "power-law:n=200,degree=8,seed=0,attributes=12,homophily=0.95,kind=binary"


@pytest.fixture(scope="module")
def graph():
    return garden.load(SPEC)


def test_leaks__rows_of_universal_hold_the_profile(graph):
    report = measure_leaks(graph, "universal")
    assert report.reads
    assert report.mean_auc == report.mean_accuracy == 1


def test_leaks__sketches_say_something_of_attributes_that_neighbours_share(graph):
    report = measure_leaks(graph, "beacons")
    assert not report.reads
    assert report.mean_auc_ci[0] > 0.5


def test_leaks__sketches_say_nothing_of_attributes_drawn_at_random(graph):
    table = np.random.default_rng(0).integers(0, 2, graph.attributes.shape).astype(np.float32)
    report = measure_leaks(replace(graph, attributes=table), "beacons")
    assert 0.4 < report.mean_auc < 0.6


def test_leaks__refuse_numbers(graph):
    with pytest.raises(SpecError, match="beyond yes and no"):
        measure_leaks(replace(graph, attributes=graph.dense_attributes() * 3), "beacons")


def test_auc__is_the_share_of_pairs_in_order():
    assert _auc(np.array([0.9, 0.2, 0.5, 0.2]), np.array([1, 0, 1, 0])) == 1
    assert _auc(np.array([0.2, 0.2, 0.5]), np.array([1, 0, 0])) == 0.25
    assert np.isnan(_auc(np.array([0.2, 0.3]), np.array([1, 1])))


def test_features__are_numbers_nearness_by_key_and_means():
    rows = Representations(
        {"row": np.array([[1.0], [2.0]]), "own": np.array([5, 6], dtype=np.uint64)},
        {
            "keys": Ragged(np.array([7, 9, 7], dtype=np.uint64), np.array([0, 2, 3])),
            "distances": Ragged(np.array([0, 1, 3], dtype=np.uint16), np.array([0, 2, 3])),
            "values": Ragged(np.array([[2.0], [4.0], [5.0]]), np.array([0, 2, 3])),
        },
    )
    assert features_of(rows).tolist() == [[1, 1, 0.5, 3], [2, 0.25, 0, 5]]


def test_cli__leaks_prints_a_row_for_each_strategy(capsys):
    main(["peers", "leaks", SPEC, "--json", "-", "--quiet"])
    reports = json.loads(capsys.readouterr().out)["reports"]
    assert [one["strategy"] for one in reports] == ["beacons", "universal"]
