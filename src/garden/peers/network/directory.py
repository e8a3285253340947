"""Finding agents by their profile alone: agents leave their cards with others, who are asked.

The best-ranked agents of a network stand in every settled sketch of ``beacons``. A profile points
to two of them (:mod:`garden.strategies.gossip.cards`), which keep the signed cards of agents with
that profile, and are asked in turn: where the first is dead, the second answers. All of this
travels in ordinary messages. A card is signed, but that its agent has the profile is its own word.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Final, NamedTuple, final

import numpy as np

from garden.errors import GardenError, StrategyError
from garden.graphs.identity import profile_keys
from garden.peers.messages import Card
from garden.peers.network.host import Host
from garden.peers.network.members import Member
from garden.peers.network.payloads import (
    Answer,
    Content,
    LeftCard,
    Question,
    open_payload,
)
from garden.peers.rows import encoded_row
from garden.peers.signed_cards import SignedCard
from garden.peers.sketch_rows import sketch_row
from garden.strategies.gossip.beacons import Beacons
from garden.strategies.gossip.cards import directories_of
from garden.strategies.gossip.sketches import Beacon

MAX_PROFILES: Final = 65_536  # that one agent keeps cards for; the oldest go first
MAX_CARDS: Final = 8  # of one profile
MAX_ANSWERED: Final = 2  # as many cards as surely fit into a message, where rows are short
INTERVAL: Final = 500  # ms between two looks at whose cards have changed
PER_LOOK: Final = 16  # agents looked at
MOST_UNDER_WAY: Final = 64  # messages of the host's agents, beyond which cards wait
UNSETTLED: Final = 60_000  # ms that cards wait at most, for that or until the host has settled
CHANGED: Final = 10_000  # ms after which a card that has changed is left again
REFRESH: Final = 300_000  # ms after which a card is left again, unchanged
PATIENCE: Final = 4_000  # ms that a directory is given to answer

Found = Callable[[tuple[SignedCard, ...]], None]


class _Left(NamedTuple):
    directories: tuple[int, ...]
    row: bytes
    at: int


class _Search(NamedTuple):
    source: int
    profile: int
    others: tuple[Card, ...]  # directories that were not asked yet
    found: Found


@final
class DirectoryService:
    """The directory's part in one host: leaves its agents' cards, keeps others', asks."""

    def __init__(self, host: Host) -> None:
        strategy = host.programme.strategy
        if not isinstance(strategy, Beacons):
            raise StrategyError(f"a directory needs beacons, and these peers run {strategy.name}")
        self._host = host
        self._k = strategy.k
        self._kept: dict[int, OrderedDict[int, OrderedDict[int, SignedCard]]] = {}
        self._left: dict[int, _Left] = {}
        self._searches: dict[tuple[int, int], _Search] = {}  # by who asks, and for which profile
        self._profiles = {
            key: int(profile_keys(one.view.ego_graph().profiles[:1])[0])
            for key, one in host.members.items()
        }
        self._turn = list(host.members)
        self._looked_at = host.now()
        host.serve(self._take)
        host.timers.at(host.now() + INTERVAL, self._look)

    @property
    def num_kept(self) -> int:
        """Cards that this host's agents keep."""
        return sum(len(cards) for kept in self._kept.values() for cards in kept.values())

    def profile_of(self, key: int) -> int:
        """The profile of an agent of this host."""
        return self._profiles[key]

    def find(self, source: int, profile: int, found: Found) -> None:
        """Ask for the cards of a profile.

        Args:
            source: The key of the agent that asks.
            profile: The profile's key.
            found: Called once, with the cards; with none where nobody answered.
        """
        search = _Search(source, profile, tuple(self._directories(source, profile)), found)
        self._ask_next(self._host.now(), search)

    def _ask_next(self, now: int, search: _Search) -> None:
        """Ask the next directory; where none is left, nothing was found."""
        place = (search.source, search.profile)
        if not search.others:
            self._searches.pop(place, None)
            search.found(())
            return
        directory, later = search.others[0], search._replace(others=search.others[1:])
        self._searches[place] = later
        if directory.key == search.source:
            cards = self._kept_for(search.source, search.profile)
            self._host.timers.at(now, self._answered, place, cards)
            return
        question = Question(search.profile, self._host.card_of(search.source))
        try:
            self._host.send_unproved(search.source, directory, open_payload(question))
        except GardenError:
            self._ask_next(now, later)
            return
        self._host.timers.at(now + PATIENCE, self._gave_no_answer, place, later)

    def _gave_no_answer(self, now: int, place: tuple[int, int], asked: _Search) -> None:
        if self._searches.get(place) is asked:
            self._ask_next(now, asked)

    def _answered(self, now: int, place: tuple[int, int], cards: tuple[SignedCard, ...]) -> None:
        search = self._searches.get(place)
        genuine = tuple(card for card in cards if card.is_genuine)
        if search is None:
            return
        if not genuine:
            self._ask_next(now, search)
            return
        del self._searches[place]
        search.found(genuine)

    def _take(self, member: Member, content: Content) -> None:
        """A message for the directory's part has arrived for an agent of this host."""
        key = member.view.key
        if isinstance(content, LeftCard):
            if content.card.is_genuine:
                self._keep(key, content)
        elif isinstance(content, Question):
            if content.card.is_genuine and content.card.card.key != key:
                self._answer(key, content)
        elif isinstance(content, Answer):
            self._answered(self._host.now(), (key, content.profile), content.cards)

    def _keep(self, key: int, left: LeftCard) -> None:
        kept = self._kept.setdefault(key, OrderedDict())
        cards = kept.setdefault(left.profile, OrderedDict())
        kept.move_to_end(left.profile)
        cards[left.card.card.key] = left.card
        cards.move_to_end(left.card.card.key)
        if len(cards) > MAX_CARDS:
            cards.popitem(last=False)
        if len(kept) > MAX_PROFILES:
            kept.popitem(last=False)

    def _kept_for(self, key: int, profile: int) -> tuple[SignedCard, ...]:
        cards = self._kept.get(key, OrderedDict()).get(profile)
        return tuple(cards.values()) if cards else ()

    def _answer(self, key: int, question: Question) -> None:
        cards = self._kept_for(key, question.profile)
        for count in (min(len(cards), MAX_ANSWERED), 1, 0):  # as many as fit
            try:
                answer = Answer(question.profile, cards[len(cards) - count :] if count else ())
                self._host.send_sealed(key, question.card, answer)
                return
            except GardenError:
                continue

    def _look(self, now: int) -> None:
        """Leave the cards of some agents where they, or their directories, have changed."""
        is_calm = len(self._host.under_way) < MOST_UNDER_WAY and self._host.is_settled
        if is_calm or now - self._looked_at >= UNSETTLED:
            self._looked_at = now
            for key in self._turn[:PER_LOOK]:
                if self._host.agents[key].is_quiet and self._host.open_links(key):
                    self._leave(now, key)
            self._turn = self._turn[PER_LOOK:] + self._turn[:PER_LOOK]
        self._host.timers.at(now + INTERVAL, self._look)

    def _leave(self, now: int, key: int) -> None:
        before = self._left.get(key)
        if before is not None and now - before.at < CHANGED:
            return
        profile = self._profiles[key]
        directories = self._directories(key, profile)
        card = self._host.card_of(key)
        left = _Left(tuple(one.key for one in directories), card.row, now)
        if before is not None and before[:2] == left[:2] and now - before.at < REFRESH:
            return
        self._left[key] = left
        content = LeftCard(profile, card)
        for directory in directories:
            try:
                if directory.key == key:
                    self._keep(key, content)
                else:
                    self._host.send_unproved(key, directory, open_payload(content))
            except GardenError:
                continue  # it does not fit: this agent is found by its card alone

    def _directories(self, key: int, profile: int) -> list[Card]:
        """The directories that a profile points to, as an agent's sketch knows them."""
        row = self._host.agents[key].row
        found = directories_of(row, np.array([profile], dtype=np.uint64), self._k)
        pairs = zip(found.keys.tolist(), found.classes.tolist(), strict=True)
        # nothing but key and class is known of them: a row has their own entry alone
        rows = ((other, sketch_row({Beacon(-rank, other): 0}, ())) for other, rank in pairs)
        return [Card(other, encoded_row(row)) for other, row in rows]
