"""Strategies by name, with their parameters."""

import pytest

from garden.errors import SpecError
from garden.resolve import contenders_named
from garden.strategies.gossip.beacons import Beacons
from garden.strategies.registry import GOSSIP, WALKERS, registered


def test_registered__names_give_strategies_and_other_names_nothing():
    assert registered("beacons") == Beacons()
    assert registered("beacons:k=4,rank=hash,seed=7,neighbours=0") == Beacons(4, "hash", 7, 0)
    assert registered("beacons:seed=1") == Beacons(seed=1)
    assert {registered(name).name for name in (*WALKERS, *GOSSIP)} == {*WALKERS, *GOSSIP}
    assert registered("no-such-strategy") is None
    assert registered("package.module:Class") is None
    assert registered("distance:Mine") is None  # a class in a module called distance


def test_registered__agents_of_walkers_know_ego_graphs_and_those_of_the_others_more():
    assert {make().knows for make in WALKERS.values()} == {"ego"}
    assert {make().knows for make in GOSSIP.values()} == {"gossip"}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "beacons:",
            "unknown parameter '': use k, rank, seed, neighbours, paths, as in",
        ),
        ("beacons:size=4", "unknown parameter 'size': use k, rank, seed, neighbours"),
        ("beacons:k", "beacons:k: k has no value: write k=…"),
        ("beacons:k=4,k=5", "beacons:k=4,k=5: k stands twice: keep one"),
        ("beacons:k=four", "beacons:k=four: k=four is not a whole number"),
        ("beacons:k=", "k= is not a whole number"),
        ("beacons:k=0", "k=0: it must be 1 or more"),
        ("beacons:rank=age", "rank=age: choose degree or hash"),
        ("greedy:k=4", "greedy:k=4: greedy takes no parameters: write greedy"),
    ],
)
def test_registered__wrong_parameters_are_refused_with_the_known(name, message):
    with pytest.raises(SpecError) as raised:
        registered(name)
    assert message in str(raised.value)


def test_contenders__a_memory_comes_last():
    (one,) = contenders_named(["beacons:k=4+backtrack"])
    assert (one.label, one.strategy.k, one.memory.name) == ("beacons:k=4", 4, "backtrack")
