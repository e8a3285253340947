"""How an agent keeps its sketch while links and nodes come and go.

A :class:`SketchKeeper` is the state machine of one agent: it is told that a link came or went, or
handed the envelopes of its neighbours, and answers with the envelopes to send. It has no clock and
does no input or output. It keeps the last row of each neighbour, and its own row is always the
pruned union of its own entry and theirs one hop further, never of what it held before, under one
rule:

    A distance may fall at once. It rises, or an entry goes, only by *withdrawal*: the entry is
    taken out of the row, the neighbours are told, and it may come back when each of them has
    acknowledged that. An agent acknowledges at once, unless the withdrawal takes its own last
    support away: then it withdraws the entry too, and acknowledges when all of its own neighbours
    have acknowledged that.

So nobody takes a distance that rests, over however many hops, on what it told itself, and distances
of a lost beacon do not count up. This is the diffusing computation of Dijkstra and Scholten (1980)
as in the routing algorithm DUAL (Garcia-Luna-Aceves, "Loop-free routing using diffusing
computations", IEEE/ACM Trans. Networking 1, 1993). No entry needs a version, so an agent may forget
everything and come back, and at rest it remembers nothing of what is in no row.

A beacon is a key *and* its class: a node whose class changes withdraws the one and tells the other.

Envelopes must arrive in the order sent on each link, each once, after ``link_up`` at both ends, or
the link must go down: a silent neighbour is a lost link, and whoever drives the agent says so.
What was sent before a link went must not arrive after it came again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from garden.errors import StrategyError
from garden.strategies.gossip.kept_paths import KeptPaths, Path, Paths
from garden.strategies.gossip.paths import BYTES_PER_STEP
from garden.strategies.gossip.sketches import (
    BYTES_PER_ENTRY,
    MAX_DISTANCE,
    Beacon,
    Row,
    degree_class,
    pruned_row,
)

BYTES_PER_BEACON = 9  # key 8, class 1: what a withdrawal or an acknowledgement names


class Envelope(NamedTuple):
    """What one agent tells a neighbour at a time."""

    sender: int  # keys of agents
    receiver: int
    entries: tuple[tuple[Beacon, int], ...]  # new in the sender's row, or nearer than before
    withdrawn: tuple[Beacon, ...]  # no longer in it; each is to be acknowledged, once
    acknowledged: tuple[Beacon, ...]  # the receiver's withdrawals on which nothing rests here
    paths: tuple[tuple[Beacon, Path], ...] = ()  # of the sender, new or other than before

    @property
    def num_bytes(self) -> int:
        """The bytes of its items; a path names its beacon and its steps."""
        named = len(self.withdrawn) + len(self.acknowledged) + len(self.paths)
        steps = sum(len(path) for _, path in self.paths)
        rest = BYTES_PER_BEACON * named + BYTES_PER_STEP * steps
        return BYTES_PER_ENTRY * len(self.entries) + rest


class _Withdrawal(NamedTuple):
    """A withdrawal that neighbours have still to acknowledge."""

    awaited: set[int]  # the neighbours that have not
    owed: list[int]  # those whose own withdrawal caused it: they hear when it is done
    distance: int  # at which the entry was


class SketchKeeper:
    """One agent that keeps its sketch up to date.

    Each method gives the envelopes to send, at most one for each neighbour; none where there is
    nothing to say. Neighbours that an agent starts with are told its row by :meth:`greeting`.
    """

    def __init__(
        self,
        key: int,
        k: int,
        class_of: Callable[[int], int] = degree_class,
        neighbours: Iterable[int] = (),
        paths: int = 0,
        rest: int = 0,
    ) -> None:
        """An agent that knows nobody's row yet.

        Args:
            key: Its key.
            k: How many better-ranked nodes push a beacon out of its sketch.
            class_of: The class of a node by its degree.
            neighbours: Keys of the neighbours that it starts with.
            paths: How many better-ranked nodes leave a beacon without a path.
            rest: How many calls of :meth:`receive` a withdrawn beacon stays out after all have
                acknowledged that, for each hop that it was away; 0 where rounds are synchronous.
        """
        self.key = key
        self.k = k
        self._class_of = class_of
        self._rows: dict[int, Row] = {neighbour: {} for neighbour in neighbours}
        self._row: Row = {self._own_beacon(): 0}
        self._withdrawals: dict[Beacon, _Withdrawal] = {}
        self._rest = rest
        self._resting: dict[Beacon, int] = {}  # how often `receive` is still to be called
        self._paths = KeptPaths(paths)

    @property
    def row(self) -> Row:
        """Its sketch as it was last told to its neighbours."""
        return self._row

    @property
    def neighbours(self) -> tuple[int, ...]:
        """The keys of its neighbours."""
        return tuple(self._rows)

    @property
    def neighbour_rows(self) -> Mapping[int, Row]:
        """The last row of each neighbour, by its key; empty until it has told one."""
        return self._rows

    @property
    def paths(self) -> Paths:
        """The path to each beacon that has one, as last told to its neighbours."""
        return self._paths.own

    @property
    def is_waiting(self) -> bool:
        """Whether a withdrawal has still to be acknowledged."""
        return bool(self._withdrawals)

    @property
    def is_resting(self) -> bool:
        """Whether something that was withdrawn stays out until :meth:`receive` is called again."""
        return bool(self._resting)

    def greeting(self) -> list[Envelope]:
        """Its row, for all of its neighbours."""
        return [self._whole_row(neighbour) for neighbour in self._rows]

    def link_up(self, neighbour: int) -> list[Envelope]:
        """A link came: its neighbours hear if its class changed, the new one hears its row."""
        if neighbour == self.key or neighbour in self._rows:
            raise StrategyError(f"agent {self.key} cannot have a new link to {neighbour}")
        others = tuple(self._rows)
        self._rows[neighbour] = {}
        return [*self._told(others, [], None), self._whole_row(neighbour)]

    def link_down(self, neighbour: int) -> list[Envelope]:
        """A link went, and with it the neighbour's row and whatever it had to acknowledge."""
        if neighbour not in self._rows:
            raise StrategyError(f"agent {self.key} has no link to {neighbour}")
        del self._rows[neighbour]
        self._paths.forget(neighbour)
        for withdrawal in self._withdrawals.values():
            withdrawal.awaited.discard(neighbour)
            if neighbour in withdrawal.owed:
                withdrawal.owed.remove(neighbour)
        return self._told(tuple(self._rows), [], None)

    def receive(self, envelopes: Iterable[Envelope]) -> list[Envelope]:
        """Envelopes arrived, in this order; they are answered together.

        Those of agents that are no neighbours are ignored: they were sent before a link went.
        """
        changed = self._rested()
        asked = []
        for envelope in envelopes:
            if envelope.sender in self._rows:
                changed |= self._noted(envelope)
                asked += [(beacon, envelope.sender) for beacon in envelope.withdrawn]
        return self._told(tuple(self._rows), asked, changed)

    def _noted(self, envelope: Envelope) -> set[Beacon]:
        """Bring the sender's row and the own withdrawals up to date.

        Returns:
            The beacons for which that matters to the own row.
        """
        row = self._rows[envelope.sender]
        changed: set[Beacon] = set()
        if envelope.entries or envelope.withdrawn:
            row, changed = self._next_neighbour_row(row, envelope)
            self._rows[envelope.sender] = row
        self._paths.hear(envelope.sender, envelope.paths, row)
        for beacon in envelope.acknowledged:
            if beacon in self._withdrawals:
                self._withdrawals[beacon].awaited.discard(envelope.sender)
        return changed

    def _next_neighbour_row(self, row: Row, envelope: Envelope) -> tuple[Row, set[Beacon]]:
        """A neighbour's next row, and the beacons with which it offers more, or less support.

        The own row holds each beacon at its least offer, so that other offers of what it holds do
        not matter to it, nor does it matter if what it does not hold is offered no more.
        """
        after, held = dict(row), self._row.get
        changed = set()
        for beacon, distance in envelope.entries:
            if not 0 <= distance < MAX_DISTANCE:
                raise StrategyError(
                    f"a beacon is {MAX_DISTANCE} hops away or more: sketches end there"
                )
            own = held(beacon)
            if own is None or distance + 1 < own or after.get(beacon) == own - 1 != distance:
                changed.add(beacon)
            after[beacon] = distance
        for beacon in envelope.withdrawn:
            if beacon in after and held(beacon) == after.pop(beacon) + 1:
                changed.add(beacon)
        return after, changed

    def _told(
        self,
        audience: tuple[int, ...],
        asked: list[tuple[Beacon, int]],
        changed: set[Beacon] | None,
    ) -> list[Envelope]:
        """Bring the own row up to date, and tell an audience what is new in it.

        Args:
            audience: The neighbours that hold the own row as it was.
            asked: Withdrawals of neighbours, to be acknowledged now or later.
            changed: The beacons whose offers changed so that it matters; None where links changed.

        """
        finished = self._finished()
        at_once = self._rest_after(finished)
        if changed is not None:
            changed |= at_once
        row = self._pruned_union() if changed is None else self._next_row(changed)
        entries, withdrawn = _differences(self._row, row)
        opened = {
            beacon: _Withdrawal(set(audience), [], self._row[beacon])
            for beacon in withdrawn
            if audience
        }
        self._row = row
        self._withdrawals |= opened
        answers = [(beacon, one) for beacon, done in finished.items() for one in done.owed]
        for beacon, neighbour in asked:
            if beacon in opened:
                opened[beacon].owed.append(neighbour)
            else:
                answers.append((beacon, neighbour))
        paths = self._paths.update(row, self._rows)
        return self._envelopes(audience, entries, withdrawn, answers, paths)

    def _envelopes(
        self,
        audience: tuple[int, ...],
        entries: tuple[tuple[Beacon, int], ...],
        withdrawn: tuple[Beacon, ...],
        answers: list[tuple[Beacon, int]],
        paths: tuple[tuple[Beacon, Path], ...],
    ) -> list[Envelope]:
        """One for each of the audience; for those that get an answer where the row is as it was."""
        acknowledged: dict[int, list[Beacon]] = {}
        for beacon, neighbour in answers:
            acknowledged.setdefault(neighbour, []).append(beacon)
        return [
            Envelope(
                self.key, receiver, entries, withdrawn, tuple(acknowledged.get(receiver, ())), paths
            )
            for receiver in (audience if entries or withdrawn or paths else acknowledged)
        ]

    def _finished(self) -> dict[Beacon, _Withdrawal]:
        """Forget the withdrawals that all have acknowledged; they are handed back."""
        done = [beacon for beacon, pending in self._withdrawals.items() if not pending.awaited]
        return {beacon: self._withdrawals.pop(beacon) for beacon in done}

    def _rest_after(self, finished: Mapping[Beacon, _Withdrawal]) -> set[Beacon]:
        """Let beacons rest whose withdrawal is over; those that need not, and may come back."""
        rests = {beacon: self._rest * done.distance for beacon, done in finished.items()}
        self._resting |= {beacon: rest for beacon, rest in rests.items() if rest}
        return {beacon for beacon, rest in rests.items() if not rest}

    def _rested(self) -> set[Beacon]:
        """The beacons that may come back from now on; others are a call nearer to that."""
        self._resting = {beacon: left - 1 for beacon, left in self._resting.items()}
        rested = {beacon for beacon, left in self._resting.items() if not left}
        for beacon in rested:
            del self._resting[beacon]
        return rested

    def _next_row(self, changed: Iterable[Beacon]) -> Row:
        """The row if offers of these beacons alone have changed: the pruned union, in less time."""
        own, row, nearer = self._own_beacon(), self._row, {}
        for beacon in changed:
            offer = 0 if beacon == own else self._nearest_offer(beacon)
            held = row.get(beacon)
            if held is None:
                if self._may_hold(beacon, offer) and self._has_room(beacon, offer):
                    nearer[beacon] = offer
            elif offer > held:
                return self._pruned_union()
            elif offer < held and self._may_hold(beacon, offer):
                nearer[beacon] = offer
        # Nothing goes, so that nothing that was pruned comes back: only what is nearer matters.
        return pruned_row({**row, **nearer}, self.k) if nearer else row

    def _has_room(self, beacon: Beacon, distance: int) -> bool:
        """Whether fewer than k entries of the row push another one out."""
        row = self._row
        if len(row) < self.k:
            return True
        better = [one for one, far in row.items() if far <= distance and one < beacon]
        return len(better) < self.k

    def _pruned_union(self) -> dict[Beacon, int]:
        nearest: dict[Beacon, int] = {}
        get = nearest.get
        for row in self._rows.values():
            for beacon, distance in row.items():
                if distance < get(beacon, MAX_DISTANCE):
                    nearest[beacon] = distance
        may_hold = self._may_hold
        offers = {b: d + 1 for b, d in nearest.items() if may_hold(b, d + 1)}
        if may_hold(own := self._own_beacon(), 0):
            offers[own] = 0
        return pruned_row(offers, self.k)

    def _may_hold(self, beacon: Beacon, distance: int) -> bool:
        if beacon in self._withdrawals or beacon in self._resting:
            return False
        if beacon.key == self.key and distance > 0:
            return False
        return distance <= self._row.get(beacon, MAX_DISTANCE)

    def _nearest_offer(self, beacon: Beacon) -> int:
        """The distance of another beacon over the neighbour nearest to it.

        Too far to hold if none knows it.
        """
        offers = [row[beacon] for row in self._rows.values() if beacon in row]
        return min(offers, default=MAX_DISTANCE) + 1

    def _whole_row(self, neighbour: int) -> Envelope:
        paths = tuple(self._paths.own.items())
        return Envelope(self.key, neighbour, tuple(self._row.items()), (), (), paths)

    def _own_beacon(self) -> Beacon:
        return Beacon(-self._class_of(len(self._rows)), self.key)


def _differences(
    before: Row, after: Row
) -> tuple[tuple[tuple[Beacon, int], ...], tuple[Beacon, ...]]:
    """The entries of a row that are new or at another distance, and the beacons that went."""
    if after is before:
        return (), ()
    get = before.get
    entries = tuple([item for item in after.items() if get(item[0]) != item[1]])
    return entries, tuple([beacon for beacon in before if beacon not in after])
