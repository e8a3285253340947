import json
import logging

import numpy as np
import pytest

from garden import route
from garden.datasets.random_graphs import power_law
from garden.search import settled_cache
from garden.search.rounds import settle
from garden.search.settled_cache import cache_file
from garden.strategies.gossip.beacons import Beacons

GRAPH = power_law(n=300, degree=6, seed=0)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("GARDEN_CACHE", str(tmp_path))
    monkeypatch.setattr(settled_cache, "MIN_NODES", 100)
    return tmp_path / "settled"


def arrays_of(rows):
    return [part for ragged in rows.ragged.values() for part in (ragged.values, ragged.offsets)]


def refuse(*_):
    raise AssertionError("settled again")


def test_settled_rows__are_kept_and_read_back_to_the_last_bit(folder, monkeypatch):
    first = settle(GRAPH, Beacons(), cache=True)
    monkeypatch.setattr(Beacons, "begin", refuse)
    again = settle(GRAPH, Beacons(), cache=True)
    assert again.cost == first.cost
    for one, other in zip(arrays_of(first.rows), arrays_of(again.rows), strict=True):
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)


def test_settled_rows__of_other_parameters_graphs_or_versions_have_other_names(folder, monkeypatch):
    names = {cache_file(GRAPH, Beacons()), cache_file(GRAPH, Beacons(k=4))}
    names.add(cache_file(power_law(n=300, degree=6, seed=1), Beacons()))
    monkeypatch.setattr(settled_cache, "__version__", "9.9")
    names.add(cache_file(GRAPH, Beacons()))
    assert len(names) == 4
    assert {name.parent for name in names} == {folder}


@pytest.mark.parametrize(
    "damage", [lambda b: b[: len(b) // 2], lambda b: b"nothing", lambda b: b""]
)
def test_settled_rows__of_a_damaged_file_are_made_anew(folder, damage, caplog):
    expected = settle(GRAPH, Beacons(), cache=True)
    (path,) = folder.iterdir()
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    with caplog.at_level(logging.WARNING, "garden"):
        found = settle(GRAPH, Beacons(), cache=True)
    assert "made anew" in caplog.text
    assert np.array_equal(arrays_of(found.rows)[0], arrays_of(expected.rows)[0])
    assert len(path.read_bytes()) == len(whole)


def test_settled_rows__with_a_flipped_bit_are_made_anew(folder, caplog):
    expected = settle(GRAPH, Beacons(), cache=True)
    (path,) = folder.iterdir()
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    found = settle(GRAPH, Beacons(), cache=True)
    for one, other in zip(arrays_of(found.rows), arrays_of(expected.rows), strict=True):
        assert np.array_equal(one, other)


def test_settled_rows__are_not_kept_of_small_graphs_nor_without_the_cache(folder, monkeypatch):
    settle(GRAPH, Beacons())
    monkeypatch.setattr(settled_cache, "MIN_NODES", 301)
    settle(GRAPH, Beacons(), cache=True)
    assert not folder.exists()


def test_settled_rows__of_a_class_from_elsewhere_are_not_kept(folder):
    elsewhere = type("Mine", (), {"__module__": "mine", "name": "mine", "parameters": {}})()
    assert cache_file(GRAPH, elsewhere) is None


def test_settled_rows__are_not_kept_where_the_folder_cannot_be_written(tmp_path, monkeypatch):
    monkeypatch.setattr(settled_cache, "MIN_NODES", 100)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GARDEN_CACHE", str(tmp_path / "file"))
    assert len(settle(GRAPH, Beacons(), cache=True).rows) == 300


def test_route__keeps_settled_rows_unless_told_not_to(folder):
    route(GRAPH, "beacons", source=0, target=9, cache=False)
    assert not folder.exists()
    message = route(GRAPH, "beacons", source=0, target=9)
    assert len(list(folder.iterdir())) == 1
    assert json.dumps(message.to_json()) == json.dumps(
        route(GRAPH, "beacons", source=0, target=9).to_json()
    )
