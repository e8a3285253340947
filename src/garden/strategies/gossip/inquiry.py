"""Inquiries: what the messages of ``directory`` remember, and where that sends them.

A message knows the profile p of its target and nothing else. The holder h

1. sends it to a node of profile p that it sees, a neighbour or a neighbour's neighbour, unless that
   one is known not to be the target: equal profiles are told apart by trying, or by their ego
   graphs where the sender knows the target's (then a neighbour's neighbour, whose ego graph nobody
   here sees, counts only until another of that profile was met, or once cards are known);
2. else, where the message has learned cards of that profile, towards the owner of the nearest one
   that may be the target, by the scores of ``beacons`` under a rule such as `backtrack`;
   After one hop more than sketches promised, it turns back to the directory, by falling distances,
   and goes from there as the card came;
3. else towards a directory that p points to, the nearer of the two: to a neighbour that is one hop
   less far from it, one of high class before others, as it sees more. A directory that cannot be
   reached or has no card counts as asked;
4. else, with nobody left to ask, anywhere that the rule of 2 allows.

A holder reads its own row, its neighbours' rows, the cards that it keeps itself, and the message.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self, final

import numpy as np

from garden.strategies.gossip.archive import Archive, Inquiry, Quest, Routes, distances_to
from garden.strategies.gossip.beacons import HOP, Beacons
from garden.strategies.gossip.cards import Left, cards_of, directories_of, left_cards, own_keys
from garden.strategies.memory import (
    BacktrackMemory,
    BatchMemory,
    Memory,
    RowTable,
    recalled_in_turn,
)
from garden.strategies.representations import Representations

MAX_REMEMBERED = 1 << 14  # holders and states of one target, tens of megabytes


@final
@dataclass(frozen=True, eq=False)
class InquiryMemory(BatchMemory):
    """The memory of ``directory``; :mod:`its module <garden.strategies.gossip.inquiry>` defines it.

    Attributes:
        beacons: Whose scores lead to the owner of a card.
        rule: What a message under way to the owner of a card remembers.
        by_ego: Whether senders know the key of their target's ego graph too.
        patience: Hops by the rule for each hop that sketches promise, and for one more.

    """

    beacons: Beacons
    rule: Memory
    by_ego: bool = False
    name: str = "cards"
    patience: int = 1
    archive: Archive | None = None
    quest: Quest | None = None

    def among(self, rows: RowTable) -> Self:
        """The memory for these rows, their cards left with their directories."""
        assert isinstance(rows, Representations), "strategies with rounds have all rows at hand"
        return self.with_cards(rows, left_cards(rows, self.beacons.k))

    def with_cards(self, rows: Representations, left: Left) -> Self:
        """The memory for these rows, where directories keep the cards that were left.

        Args:
            rows: The settled rows of all agents.
            left: Whose cards are where; a directory may have lost its own.
        """
        kept = left.by_profile(own_keys(rows), rows.arrays["profile"])
        return self.with_archive(Archive(rows, cards_of(rows, self.beacons), kept, Routes(rows)))

    def with_archive(self, archive: Archive) -> Self:
        """The memory for the rows and cards of this archive."""
        return replace(self, archive=archive, rule=self.rule.among(archive.rows))

    def towards(self, target: int) -> Self:
        """The memory of messages to a target, of which they know the profile."""
        archive = self._archive
        profile = archive.rows.arrays["profile"][target]
        ego = archive.rows.arrays["ego"][target] if self.by_ego else None
        return replace(self, quest=Quest(profile, ego, archive.with_profile_near(profile)))

    def start_many(self, count: int) -> np.ndarray:
        """Messages that have learned nothing, (count,) objects."""
        states = np.empty(count, dtype=object)
        states[:] = Inquiry()
        return states

    def start(self) -> Inquiry:
        """A message that has learned nothing."""
        return Inquiry()

    def recall_many(
        self,
        states: np.ndarray,
        holders: np.ndarray,
        candidates: np.ndarray,
        scores: np.ndarray,
        owner: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        """:meth:`recall` of one message after another.

        Args:
            states: (num_messages,) objects.
            holders: (num_messages,) addresses.
            candidates: (num_candidates,) addresses, of all messages.
            scores: (num_candidates,) scores of the strategy.
            owner: (num_candidates,) the message that each belongs to, ascending.
        """
        return recalled_in_turn(self._remembered, states, holders, candidates, scores, owner)

    def _remembered(
        self, state: Inquiry, holder: int, candidates: np.ndarray, scores: np.ndarray
    ) -> tuple[np.ndarray, Inquiry]:
        """:meth:`recall`, once for messages that reach a holder with the same state."""
        # Messages that try one node after another hardly ever agree; states of other rules than
        # this one cannot be compared.
        if state.others or not isinstance(self.rule, BacktrackMemory):
            return self.recall(state, holder, candidates, scores)
        known = self._quest.recalled
        found = known.get((holder, state))
        if found is None:
            found = self.recall(state, holder, candidates, scores)
            if len(known) < MAX_REMEMBERED:
                known[holder, state] = found
        return found

    def recall(
        self, state: Inquiry, holder: int, candidates: np.ndarray, scores: np.ndarray
    ) -> tuple[np.ndarray, Inquiry]:
        """The candidates that the rules above allow keep finite scores.

        Args:
            state: What the message carries.
            holder: The holder's address.
            candidates: (num_candidates,) addresses of its neighbours.
            scores: (num_candidates,) what the holder sees of them, as ``directory`` scores it.
        """
        state = self._learned(state, holder, candidates)
        in_sight = self._in_sight(state, candidates, scores)
        if in_sight is not None:
            return in_sight, replace(state, trail=None, returning=False, route=())
        if self._astray(state):
            state = replace(state, returning=True)
        if state.returning or state.route:
            led, state = self._led(state, holder, candidates)
            if led is not None:
                return led, state
        if state.trail is None or self._arrived(state):
            card = self._nearest(state, holder)
            if card is None:
                falling, state = self._towards_directory(state, holder, candidates)
                if falling is not None:
                    return falling, replace(state, trail=None)
            left = self._patience(card, holder)
            state = replace(state, leg=card, trail=self.rule.start(), hops_left=left)
        return self._by_rule(state, holder, candidates)

    @property
    def _archive(self) -> Archive:
        assert self.archive is not None, "among comes first"
        return self.archive

    @property
    def _quest(self) -> Quest:
        assert self.quest is not None, "towards comes before a message starts"
        return self.quest

    def _learned(self, state: Inquiry, holder: int, candidates: np.ndarray) -> Inquiry:
        """The message with what its holder knows."""
        archive, quest = self._archive, self._quest
        key = int(archive.keys[holder])
        if state.ask is None:
            row = archive.rows.take(np.array([holder]))
            found = directories_of(row, np.array([quest.profile]), self.beacons.k)
            state = replace(state, ask=tuple(found.keys.tolist()))
        assert state.ask is not None
        if key in state.ask:
            state = replace(state, ask=tuple(one for one in state.ask if one != key))
        kept = archive.kept.get((key, int(quest.profile)), ())
        new = tuple(int(card) for card in kept if card not in state.cards)
        if new:
            state = replace(state, cards=(*state.cards, *new), trail=None, home=key)
        others = self._not_the_target(holder, candidates, new)
        if others:
            state = replace(state, others=state.others.union(others))
        if holder in quest.near:
            here = set(archive.keys[candidates].tolist())
            gone = [one for one in quest.near[holder] if one not in here]
            state = replace(state, lost=state.lost.union(gone)) if gone else state
        return state

    def _not_the_target(
        self, holder: int, candidates: np.ndarray, cards: tuple[int, ...]
    ) -> list[int]:
        """The keys of nodes of the profile that are not the target, as the holder can tell."""
        archive, quest = self._archive, self._quest
        profiles = archive.rows.arrays["profile"]
        others = archive.keys[[holder]] if profiles[holder] == quest.profile else archive.keys[:0]
        if quest.ego is not None:
            near = candidates[profiles[candidates] == quest.profile]
            near = near[archive.rows.arrays["ego"][near] != quest.ego]
            wrong = [card for card in cards if archive.cards.arrays["ego"][card] != quest.ego]
            others = np.concatenate([others, archive.keys[near], archive.card_keys[wrong]])
        return others.tolist()

    def _in_sight(
        self, state: Inquiry, candidates: np.ndarray, scores: np.ndarray
    ) -> np.ndarray | None:
        """Scores that lead to a node of the profile that the holder sees; None: it sees none."""
        archive, quest = self._archive, self._quest
        if not scores.any():
            return None
        equal = np.flatnonzero(archive.rows.arrays["profile"][candidates] == quest.profile)
        keys = archive.keys[candidates[equal]].tolist()
        new = [place for place, key in zip(equal, keys, strict=True) if key not in state.others]
        chosen = np.full(len(scores), -np.inf)
        if new:
            # Of several, first the one that sees the fewest others: it is harder to come by.
            chosen[new] = [-self._num_new(state.others, int(candidates[place])) for place in new]
            return chosen
        if quest.ego is not None and state.others and not state.cards:
            return None  # several share the profile: the directory can tell which one it is
        for place in np.flatnonzero(scores):
            count = self._num_new(state.others | state.lost, int(candidates[place]))
            if count:
                chosen[place] = count
        return chosen if np.isfinite(chosen).any() else None

    def _num_new(self, known: frozenset[int], row: int) -> int:
        """How many neighbours of the profile, but for those known, an agent has."""
        return sum(key not in known for key in self._quest.near.get(row, ()))

    def _towards_directory(
        self, state: Inquiry, holder: int, candidates: np.ndarray
    ) -> tuple[np.ndarray | None, Inquiry]:
        """Scores of the neighbours nearer to a directory; None where none is left to ask."""
        for directory in self._by_distance(state, holder):
            scores = self._falling(directory, holder, candidates)
            if scores is not None:
                return scores, replace(state, asking=directory)
            assert state.ask is not None
            left = tuple(one for one in state.ask if one != directory)
            state = replace(state, ask=left)
        return None, state

    def _falling(self, beacon: int, holder: int, candidates: np.ndarray) -> np.ndarray | None:
        """Scores of the neighbours that are nearer to a beacon; None where there is none."""
        far = self._distances(beacon)
        theirs = far[candidates]
        falls = (theirs >= 0) & (theirs < far[holder])
        if not falls.any():
            return None
        nearest = falls & (theirs == theirs[falls].min())
        return np.where(nearest, self._archive.classes[candidates], -np.inf)

    def _led(
        self, state: Inquiry, holder: int, candidates: np.ndarray
    ) -> tuple[np.ndarray | None, Inquiry]:
        """Scores on the way back to the directory, or from there to the owner of the card.

        None where a link on that way is gone: then nobody goes back there again.
        """
        archive = self._archive
        assert state.home is not None
        assert state.leg is not None
        if state.returning:
            if archive.keys[holder] != state.home:
                falling = self._falling(state.home, holder, candidates)
                given_up = replace(state, returning=False, home=None, trail=None)
                return falling, given_up if falling is None else state
            route = archive.routes.from_directory(state.home, state.leg)
            state = replace(state, returning=False, route=route, trail=None)
        ahead = archive.keys[candidates] == np.uint64(state.route[0])
        if not ahead.any():
            return None, replace(state, route=(), home=None, trail=None)
        return np.where(ahead, 0.0, -np.inf), replace(state, route=state.route[1:])

    def _patience(self, card: int | None, holder: int) -> int:
        """How many hops a message may take by the rule to the owner of a card."""
        if card is None:
            return 0
        promised = -np.floor(self._card_scores(card)[holder] / HOP)
        return self.patience * (int(promised) + 1)

    def _by_distance(self, state: Inquiry, holder: int) -> list[int]:
        """The directories not asked yet, the one that it is under way to first, then the nearer."""
        ask = state.ask or ()
        if state.asking in ask:
            return sorted(ask, key=lambda one: one != state.asking)
        return sorted(ask, key=lambda one: int(self._distances(one)[holder]))

    def _distances(self, directory: int) -> np.ndarray:
        known = self._quest.distances
        if directory not in known:
            known[directory] = distances_to(self._archive.rows, directory)
        return known[directory]

    def _by_rule(
        self, state: Inquiry, holder: int, candidates: np.ndarray
    ) -> tuple[np.ndarray, Inquiry]:
        """Scores under the rule, towards the owner of the card, or anywhere."""
        scores = np.zeros(len(candidates))
        if state.leg is not None:
            scores = self._card_scores(state.leg)[candidates]
        scores, trail = self.rule.recall(state.trail, holder, candidates, scores)
        return scores, replace(state, trail=trail, hops_left=max(0, state.hops_left - 1))

    def _astray(self, state: Inquiry) -> bool:
        """Whether a way by the rule is given up, to go as the card came."""
        under_way = state.trail is not None and state.hops_left == 0 and not self._arrived(state)
        return under_way and state.leg is not None and state.home is not None

    def _arrived(self, state: Inquiry) -> bool:
        return state.leg is not None and int(self._archive.card_keys[state.leg]) in state.others

    def _nearest(self, state: Inquiry, holder: int) -> int | None:
        """The nearest card whose owner may be the target; None where there is none."""
        archive = self._archive
        keys = archive.card_keys[list(state.cards)].tolist()
        new = [card for card, key in zip(state.cards, keys, strict=True) if key not in state.others]
        if len(new) < 2:
            return new[0] if new else None
        mine = archive.rows.take(np.array([holder]))
        scores = self.beacons.score(mine, archive.cards.take(np.array(new)))[:, 0]
        return new[int(np.argmax(scores))]

    def _card_scores(self, card: int) -> np.ndarray:
        known = self._quest.scores
        if card not in known:
            archive = self._archive
            one = archive.cards.take(np.array([card]))
            known[card] = self.beacons.score(archive.rows, one)[0]
        return known[card]
