"""The network that is up on this machine, as far as it can be asked."""

import copy
import logging

import pytest
from fastapi.testclient import TestClient

from garden.errors import DataError
from garden.web.app import make_app
from garden.web.library import Library
from garden.web.peers_state import NOBODY, PeersWatch


def agent(key, name, links, lost=(), held=0, settled=True):
    return {
        "key": key,
        "name": name,
        "open": list(links),
        "lost": list(lost),
        "held": held,
        "settled": settled,
    }


OVERVIEW = {
    "hosts": [
        {
            "host": "h0",
            "settled": False,
            "ended": {"delivered": 118, "failed": 1},
            "texts": {"under_way": 1, "delivered": 3},
            "agents": [
                agent("a1", "Ada", ["b2", "d4"], lost=["c3"], held=1, settled=False),
                agent("b2", "Ben", ["a1"], lost=["c3"]),
            ],
        },
        {
            "host": "h1",
            "settled": True,
            "ended": {"delivered": 7},
            "texts": {"under_way": 0, "delivered": 2},
            "agents": [agent("d4", "Dan", ["a1"])],
        },
    ],
    "dead_peers": ["c3"],
    "under_way": 9,
}


def unreachable():
    raise DataError("no host answers")


@pytest.mark.parametrize("ask", [None, lambda: None, unreachable, lambda: {"hosts": "all"}])
def test_state__nobody_who_answers_well_means_that_no_hosts_are_up(ask):
    state = PeersWatch(ask).state()
    assert (state.up, state.peers, state.message) == (False, [], NOBODY)


def test_state__peers_stand_with_what_their_hosts_tell_of_each():
    state = PeersWatch(lambda: OVERVIEW).state()
    assert state.up
    told = [(p.name, p.host, p.alive, p.settled, p.under_way) for p in state.peers]
    assert told == [
        ("Ada", "h0", True, False, 1),
        ("Ben", "h0", True, True, 0),
        ("Dan", "h1", True, True, 0),
        ("c3", "?", False, False, 0),
    ]


def test_state__links_are_those_of_the_peers_open_or_not():
    state = PeersWatch(lambda: OVERVIEW).state()
    pairs = list(zip(state.links[::2], state.links[1::2], strict=True))
    assert dict(zip(pairs, state.open, strict=True)) == {
        (0, 1): True,
        (0, 2): True,
        (0, 3): False,
        (1, 3): False,
    }


def test_state__counts_messages_of_people_and_not_those_of_the_directory():
    state = PeersWatch(lambda: OVERVIEW).state()
    assert (state.delivered, state.under_way) == (5, 1)


def test_state__of_a_host_without_these_fields_goes_by_the_host():
    old = copy.deepcopy(OVERVIEW)
    for host in old["hosts"]:
        del host["texts"]
        for one in host["agents"]:
            del one["settled"]
    state = PeersWatch(lambda: old).state()
    assert [peer.settled for peer in state.peers] == [False, False, True, False]
    assert state.delivered == 0


def test_state__a_peer_that_goes_down_keeps_its_place_and_its_name():
    later = copy.deepcopy(OVERVIEW)
    del later["hosts"][1]
    later["hosts"][0]["agents"][0]["lost"].append(later["hosts"][0]["agents"][0]["open"].pop())
    later["dead_peers"].append("d4")
    answers = iter([OVERVIEW, later])
    watch = PeersWatch(lambda: next(answers))
    before, after = watch.state(), watch.state()
    places = [{peer.name: (peer.x, peer.y) for peer in state.peers} for state in (before, after)]
    assert places[0] == places[1]
    assert len(set(places[0].values())) == 4
    assert {peer.name for peer in after.peers if not peer.alive} == {"c3", "Dan"}


def test_state__a_peer_whose_host_is_gone_is_down_before_its_neighbours_notice():
    later = copy.deepcopy(OVERVIEW)
    del later["hosts"][1]
    answers = iter([OVERVIEW, later])
    watch = PeersWatch(lambda: next(answers))
    watch.state()
    state = watch.state()
    assert {peer.name for peer in state.peers if not peer.alive} == {"c3", "Dan"}
    assert sum(state.open) == 1
    assert len(PeersWatch(lambda: later).state().peers) == 3  # Dan may be up on another machine


def test_state__without_any_link_or_peer_is_told_all_the_same():
    alone = {"hosts": [{**OVERVIEW["hosts"][1], "agents": [agent("d4", "Dan", [])]}]}
    nobody = {"hosts": [{**OVERVIEW["hosts"][1], "agents": []}]}
    for found, count in ((alone, 1), (nobody, 0)):
        state = PeersWatch(lambda found=found: {**found, "dead_peers": []}).state()
        assert (state.up, len(state.peers), state.links) == (True, count, [])


def test_state__a_bad_answer_is_warned_of_once_and_nobody_up_is_no_warning(caplog):
    bad, nobody = PeersWatch(lambda: {"hosts": "all"}), PeersWatch(unreachable)
    with caplog.at_level(logging.INFO, logger="garden"):
        for _ in range(3):
            bad.state()
            nobody.state()
    assert len(caplog.records) == 1


def test_api__asks_the_hosts_that_it_was_given():
    app = make_app(Library((), ("connection",)), ask_hosts=lambda: OVERVIEW)
    reply = TestClient(app, base_url="http://127.0.0.1").get("/api/peers").json()
    assert (reply["up"], len(reply["peers"])) == (True, 4)
