"""An agent on its own: what it chooses, and what it needs for that."""

from pathlib import Path

import pytest

from garden.errors import StrategyError
from garden.peers.actions import Send
from garden.peers.agent import Agent
from garden.peers.envelopes import Ack, Envelope, EnvelopeError, Message
from garden.peers.messages import new_message
from garden.strategies.registry import MEMORIES

ROOT = Path(__file__).parents[2]
A, B, C, D, E = range(5)  # a – b – c – d, and e beside b and c


@pytest.fixture
def heard(peers_of, path_graph):
    """Agents that know their neighbours' rows, by a transport of somebody's own."""
    peers = peers_of(path_graph, "bidirectional+backtrack")
    agents = [Agent(view, peers.strategy, peers.memory) for view in peers.views]
    for agent in agents:
        for neighbour in agent.view.neighbours:
            agents[peers.position[neighbour]].hear(agent.key, agent.card.row)
    return peers, agents


def message_to(agent):
    return new_message(agent.card, b"", b"i" * 16, b"n" * 16)


def test_example__of_the_documentation_has_at_most_20_lines():
    text = (ROOT / "docs" / "peers.md").read_text("utf-8")
    example = text.split("```python\n")[1].split("```")[0]
    assert "next_hop(message)" in example
    assert len(example.splitlines()) <= 20
    assert "asyncio" not in example


def test_choose__gives_the_neighbour_that_the_message_goes_to(heard):
    peers, agents = heard
    assert peers.position[agents[C].choose(message_to(agents[D]))] == D
    assert peers.position[agents[B].choose(message_to(agents[A]))] == A


def test_choose__changes_nothing(heard):
    _, agents = heard
    message = message_to(agents[D])
    assert [agents[B].choose(message) for _ in range(3)] == [agents[B].choose(message)] * 3


def test_next_hop__gives_the_message_with_one_hop_more_and_its_memory(heard):
    peers, agents = heard
    hop = agents[A].next_hop(message_to(agents[D]))
    assert (peers.position[hop.neighbour], hop.message.hop) == (B, 1)
    onward = agents[B].next_hop(hop.message)
    assert peers.position[onward.neighbour] != A  # it remembers where it was
    assert len(onward.message.memory) > len(hop.message.memory)


def test_next_hop__takes_others_where_some_are_excluded(heard):
    _, agents = heard
    found, message = set(), message_to(agents[D])
    for _ in agents[B].view.neighbours:
        found.add(agents[B].next_hop(message, frozenset(found)).neighbour)
    assert found == set(agents[B].view.neighbours)
    with pytest.raises(StrategyError, match="no neighbour left"):
        agents[B].next_hop(message, frozenset(found))


def test_choose__without_rows_says_that_no_neighbour_is_left(peers_of, path_graph):
    peers = peers_of(path_graph, "greedy")
    agent = Agent(peers.views[B], peers.strategy)
    with pytest.raises(StrategyError, match="no neighbour left"):
        agent.choose(message_to(agent))


def test_hear__refuses_a_row_of_another_form(heard):
    _, agents = heard
    with pytest.raises(EnvelopeError, match="another form"):
        agents[B].hear(agents[A].key, b"nonsense")


def test_hear__of_a_strategy_with_rounds_says_how_it_settles(peers_of, path_graph):
    peers = peers_of(path_graph, "beacons")
    with pytest.raises(StrategyError, match="has rounds"):
        peers.agents[A].hear(peers.keys[B], b"")


def test_agent__refuses_a_strategy_that_is_not_tuned(peers_of, path_graph):
    from garden.strategies.walkers import DistanceWalker

    view = peers_of(path_graph, "greedy").views[A]
    with pytest.raises(StrategyError, match="not fitted or tuned"):
        Agent(view, DistanceWalker(), MEMORIES["none"])


def test_card__of_a_sketch_whose_parts_do_not_fit_is_refused(peers_of, path_graph):
    import msgspec

    peers = peers_of(path_graph, "beacons")
    peers.network.settle()
    message = message_to(peers.agents[D])
    parts = msgspec.msgpack.decode(message.row)
    parts[1] = parts[1][:-2]  # a distance less
    bad = msgspec.structs.replace(message, row=msgspec.msgpack.encode(parts))
    with pytest.raises(EnvelopeError, match="do not fit together"):
        peers.agents[A].choose(bad)


def test_new_message__refuses_limits_and_ids_that_are_none(heard):
    _, agents = heard
    card = agents[D].card
    with pytest.raises(EnvelopeError, match="hop limit of 5000"):
        new_message(card, b"", b"i" * 16, b"n" * 16, hop_limit=5_000)
    with pytest.raises(EnvelopeError, match="16 bytes"):
        new_message(card, b"", b"i", b"n" * 16)


def test_agent__admits_no_newcomer_unless_told_to(peers_of, generated):
    whole = peers_of(generated, "beacons")
    peers = peers_of(generated.subgraph([n for n in range(60) if n != 7]), "beacons")
    closed = [Agent(view, peers.strategy, peers.memory) for view in peers.views]
    network = type(peers.network)(closed, seed=0)
    network.settle()
    network.join(Agent(whole.views[7], peers.strategy, peers.memory))
    network.run_until(20_000)
    assert all(whole.keys[7] not in agent.view.neighbours for agent in closed)


def test_unsigned__accepts_what_is_unsigned_and_nothing_else():
    from garden.peers.signing import Unsigned

    assert Unsigned().verify(1, b"content", Unsigned().sign(b"content"))
    assert not Unsigned().verify(1, b"content", b"signature")


def test_accept__acknowledges_before_a_hop_is_chosen_and_proceed_passes_on(heard):
    peers, agents = heard
    hop = agents[A].next_hop(message_to(agents[D]))
    envelope = Envelope(agents[A].key, agents[B].key, hop.message)
    accepted = agents[B].accept(envelope, 0)
    (onward, *_) = agents[B].proceed(0)
    assert [type(one.envelope.body) for one in accepted] == [Ack]
    assert isinstance(onward, Send)
    assert isinstance(onward.envelope.body, Message)
    twin = Agent(peers.views[B], peers.strategy, peers.memory)
    for neighbour in twin.view.neighbours:
        twin.hear(neighbour, agents[peers.position[neighbour]].card.row)
    together = [one for one in twin.receive(envelope, 0) if isinstance(one, Send)]
    assert together == [*accepted, onward]
