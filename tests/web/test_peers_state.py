"""The network that is up on this machine, as far as it can be asked."""

import pytest
from fastapi.testclient import TestClient

from garden.errors import DataError
from garden.web.app import make_app
from garden.web.library import Library
from garden.web.peers_state import from_overview, peers_state

OVERVIEW = {
    "hosts": [
        {
            "host": "h0",
            "settled": True,
            "ended": {"delivered": 3, "failed": 1},
            "agents": [
                {"key": "a1", "name": "Ada", "open": ["b2"], "lost": ["c3"], "held": 1},
                {"key": "b2", "name": "Ben", "open": ["a1"], "lost": [], "held": 0},
            ],
        }
    ],
    "dead_peers": ["c3"],
    "under_way": 1,
}


def unreachable():
    raise DataError("no host answers")


@pytest.mark.parametrize("ask", [None, lambda: None, unreachable, lambda: {"peers": "all"}])
def test_peers_state__nobody_who_answers_well_means_that_no_hosts_are_up(ask):
    state = peers_state(ask)
    assert (state.up, state.peers) == (False, [])
    assert state.message.startswith("no hosts are up")


def test_from_overview__living_and_dead_peers_stand_with_their_open_links():
    state = peers_state(lambda: from_overview(OVERVIEW))
    assert state.up
    assert [(peer.name, peer.alive, peer.under_way) for peer in state.peers] == [
        ("Ada", True, 1),
        ("Ben", True, 0),
        ("c3", False, 0),
    ]
    assert (state.links, state.delivered, state.under_way) == ([0, 1], 3, 1)


def test_api__asks_the_hosts_that_it_was_given():
    app = make_app(Library((), ("connection",)), ask_hosts=lambda: from_overview(OVERVIEW))
    reply = TestClient(app, base_url="http://127.0.0.1").get("/api/peers").json()
    assert (reply["up"], len(reply["peers"])) == (True, 3)
