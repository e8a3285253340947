"""An agent that runs for real: one peer, from its own view and nothing else.

:class:`Agent` has no clock and does no input or output. It is handed envelopes and the time, and
answers with what is to be done. Whoever only wants to know where a message goes calls
:meth:`Agent.choose`.
"""

from __future__ import annotations

from collections.abc import Callable

from garden.errors import StrategyError
from garden.peers.actions import Action, Send, Wake
from garden.peers.choosing import Chooser
from garden.peers.config import AgentConfig
from garden.peers.delivery import Delivery
from garden.peers.envelopes import (
    MAX_HOPS,
    Ack,
    Announcement,
    AnswerAck,
    Body,
    Envelope,
    Failure,
    Heard,
    Hello,
    Leave,
    Message,
    Newcomer,
    Receipt,
)
from garden.peers.knowledge import EgoKnowledge, knowledge_of
from garden.peers.knowledge_base import Knowledge
from garden.peers.links import Links
from garden.peers.message_memory import check_memory
from garden.peers.messages import Card, NextHop
from garden.peers.reputation import Reputation
from garden.peers.signing import Signer, Unsigned
from garden.peers.timers import Timers
from garden.peers.views import AgentView, Profile, check_profile
from garden.peers.waits import UsualWaits, Waits
from garden.strategies.base import Strategy
from garden.strategies.memory import Memory
from garden.strategies.registry import MEMORIES
from garden.strategies.representations import Representations


def nobody(_key: int) -> bool:
    """Refuse every newcomer: the rule of admission where none is given."""
    return False


class Agent:
    """One peer: what it knows, and what it does when something arrives or time passes.

    Methods that take the time give the actions to carry out, in their order. Times are whole
    milliseconds of any clock that does not go back.
    """

    def __init__(
        self,
        view: AgentView,
        strategy: Strategy,
        memory: Memory = MEMORIES["none"],
        *,
        config: AgentConfig | None = None,
        signer: Signer | None = None,
        admit: Callable[[int], bool] = nobody,
        waits: Waits | None = None,
        incarnation: int = 0,
        restarted_at: int | None = None,
    ) -> None:
        """An agent that has sent and received nothing yet.

        Args:
            view: What it sees of the network.
            strategy: How it scores its neighbours; fitted and tuned.
            memory: The rule on what messages remember.
            config: Its patience and its limits.
            signer: Who signs and checks receipts; by default nothing is signed, which protects
                against nobody.
            admit: Whether a peer that joins, by its key, may become a neighbour.
            waits: How long neighbours are waited for, where the driver knows how fast each answers
                and what it has read. By default as in ``config``.
            incarnation: Larger than in any earlier life of this agent.
            restarted_at: When it came back, where it had an earlier life: what was sent before is
                refused, since it may have been handed over.
        """
        check_memory(memory)
        self._view = view
        self._key = view.key
        self._strategy = strategy
        self._admit = admit
        self._timers = Timers()
        self._actions: list[Action] = []
        config = config or AgentConfig()
        waits = waits or UsualWaits(config.ack_wait)
        self._now = 0
        self._reputation = Reputation(config.receipt_wait) if config.receipt_wait else None
        self._knowledge = knowledge_of(strategy, view)
        self._links = Links(
            view.neighbours,
            self._knowledge,
            self._timers,
            self._send,
            self._neighbour_lost,
            waits,
            config,
            incarnation,
        )
        self._chooser = Chooser(
            view.key, strategy, memory, self._knowledge, self._links, self._reputation
        )
        self._delivery = Delivery(
            view.key,
            self._next_hop,
            self._timers,
            self._send,
            self._actions.append,
            self._links.suspect,
            signer or Unsigned(),
            waits,
            config,
            restarted_at,
        )

    @property
    def key(self) -> int:
        """The 64-bit key that neighbours address the agent by."""
        return self._key

    @property
    def view(self) -> AgentView:
        """What it sees of the network."""
        return self._view

    @property
    def knowledge(self) -> Knowledge:
        """Its row and its neighbours' rows."""
        return self._knowledge

    @property
    def row(self) -> Representations:
        """The representation that the agent tells its neighbours, one row."""
        return self._knowledge.row

    @property
    def card(self) -> Card:
        """What a sender must know of this agent."""
        return Card(self.key, self._knowledge.card_row)

    @property
    def is_quiet(self) -> bool:
        """Whether it has nothing to tell its neighbours."""
        return self._links.is_quiet

    @property
    def sessions(self) -> dict[int, int]:
        """The session of each neighbour whose link is open, by its key."""
        return self._links.sessions

    @property
    def num_held(self) -> int:
        """Messages that wait for an acknowledgement."""
        return self._delivery.num_held

    def choose(self, message: Message) -> int:
        """The key of the neighbour that a message goes to.

        A function of the message and of what the agent has heard; it changes nothing.

        Raises:
            StrategyError: If no neighbour is left.
            EnvelopeError: If the message's row or memory cannot be read.
        """
        return self.next_hop(message).neighbour

    def next_hop(self, message: Message, without: frozenset[int] = frozenset()) -> NextHop:
        """The neighbour that a message goes to, and the message for it.

        Args:
            message: The message.
            without: Keys of neighbours that are not to be taken.
        """
        chosen = self._next_hop(message, without)
        if chosen is None:
            raise StrategyError(f"agent {self.key:016x} has no neighbour left for this message")
        return chosen

    def hear(self, neighbour: int, row: bytes) -> None:
        """A neighbour's row, ``card.row`` there, for whoever carries rows in a way of their own.

        Args:
            neighbour: Its key.
            row: The row as bytes.

        Raises:
            StrategyError: If the strategy has rounds: its agents settle by ``start``, ``receive``
                and ``wake``.
        """
        if not isinstance(self._knowledge, EgoKnowledge):
            raise StrategyError(f"{self._strategy.name} has rounds: hand envelopes to receive")
        self._knowledge.link_up(neighbour)
        self._knowledge.hear(neighbour, Announcement(0, 0, 0, row, (), None))

    def start(self, now: int) -> list[Action]:
        """Open the links to all neighbours; what comes back is to be done by the driver."""
        self._links.start(now)
        return self._done(now)

    def join(self, now: int) -> list[Action]:
        """Greet neighbours that do not know this agent yet, with what they need to see it."""
        own = self._view.profiles[0]
        introductions = {
            key: Newcomer(own.packed, self._view.linked_to(key)) for key in self._view.neighbours
        }
        self._links.start(now, introductions)
        return self._done(now)

    def leave(self, now: int) -> list[Action]:
        """Tell the neighbours that this agent goes; it is to be dropped then."""
        self._links.leave()
        return self._done(now)

    def send(
        self,
        card: Card,
        payload: bytes,
        message_id: bytes,
        nonce: bytes,
        now: int,
        hop_limit: int = MAX_HOPS,
    ) -> list[Action]:
        """Send a message of this agent's owner; an :class:`.actions.Ended` says how it ended.

        Args:
            card: The target's.
            payload: At most 4,096 bytes.
            message_id: 16 random bytes.
            nonce: 16 more.
            now: The time.
            hop_limit: The hop at which an attempt is given up.
        """
        self._delivery.start(card, payload, message_id, nonce, now, hop_limit)
        return self._done(now)

    def receive(self, envelope: Envelope, now: int) -> list[Action]:
        """An envelope has arrived. Those of agents that are no neighbours are dropped.

        Args:
            envelope: What has arrived.
            now: The time.
        """
        return self.proceed(now) if self._take_in(envelope, now) else []

    def accept(self, envelope: Envelope, now: int) -> list[Action]:
        """The first part of :meth:`receive`: what is acknowledged, before a next hop is chosen.

        For drivers that send the acknowledgement at once; :meth:`proceed` is the second part, and
        must follow.

        Args:
            envelope: What has arrived.
            now: The time.
        """
        self._take_in(envelope, now)
        actions = list(self._actions)
        self._actions.clear()
        return actions

    def proceed(self, now: int) -> list[Action]:
        """The second part of :meth:`receive`: a message that was taken goes on."""
        self._delivery.proceed(now)
        return self._done(now)

    def wake(self, now: int) -> list[Action]:
        """The time that was asked for has come; any other time does no harm."""
        return self._done(now)

    def _take_in(self, envelope: Envelope, now: int) -> bool:
        """Take an envelope: whether it was from a neighbour."""
        self._now = now
        sender, body = envelope.sender, envelope.body
        if sender not in self._links and not self._admitted(sender, body, now):
            return False
        if isinstance(body, (Announcement, Heard, Hello)):
            self._links.receive(sender, body, now)
        elif isinstance(body, Leave):
            self._neighbour_left(sender, body, now)
        else:
            self._links.heard(sender, now)
            self._receive_delivery(sender, body, now)
        return True

    def _receive_delivery(self, sender: int, body: Body, now: int) -> None:
        if self._reputation is not None:
            self._reputation.expire(now)
            if isinstance(body, Receipt):
                self._reputation.receipt(sender, body.id, body.attempt)
            elif isinstance(body, Ack) and not body.taken:
                self._reputation.refused(sender, body.id, body.attempt)
        if isinstance(body, Message):
            self._delivery.take(sender, body, now)
        elif isinstance(body, Ack):
            self._delivery.acknowledged(sender, body, now)
        elif isinstance(body, Receipt | Failure):
            self._delivery.take_answer(sender, body, now)
        elif isinstance(body, AnswerAck):
            self._delivery.answer_acknowledged(sender, body, now)

    def _next_hop(self, message: Message, without: frozenset[int]) -> NextHop | None:
        return self._chooser.next_hop(message, without)

    def _admitted(self, sender: int, body: Body, now: int) -> bool:
        """Take a newcomer in, if it may come: whether it is a neighbour now."""
        if not isinstance(body, Hello) or body.newcomer is None or not self._admit(sender):
            return False
        profile = Profile.unpacked(body.newcomer.profile)
        if profile is None or not check_profile(profile, self._view.num_attributes):
            return False
        self._view = self._view.with_neighbour(sender, profile, body.newcomer.linked)
        self._links.add(sender, now)
        self._knowledge.view_changed(self._view)
        self._links.flush_soon(now)
        return True

    def _neighbour_left(self, sender: int, body: Leave, now: int) -> None:
        if not self._links.is_of_now(sender, body):
            return
        self._view = self._view.without_neighbour(sender)
        self._links.remove(sender, now)
        self._knowledge.view_changed(self._view)
        self._delivery.neighbour_lost(sender, now)

    def _neighbour_lost(self, neighbour: int, now: int) -> None:
        if self._reputation is not None:
            self._reputation.forget(neighbour)
        self._delivery.neighbour_lost(neighbour, now)

    def _send(self, neighbour: int, body: Body) -> None:
        if isinstance(body, Message) and self._reputation is not None:
            self._reputation.passed_on(neighbour, body.id, body.attempt, self._now)
        self._actions.append(Send(Envelope(self._key, neighbour, body)))

    def _done(self, now: int) -> list[Action]:
        self._now = now
        self._timers.run(now)
        wake = self._timers.next_wake()
        actions = list(self._actions)
        self._actions.clear()
        if wake is not None:
            actions.append(Wake(wake))
        return actions
