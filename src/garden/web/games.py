"""You are the letter: games that people play, from the first hop to where they stand.

A player sees what an agent sees: their neighbours, what these share with the target, how many links
they have. Games are kept in memory, by random ids, as many as fit.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import numpy as np

from garden.datasets.snap import found_here
from garden.datasets.wikispeedia import finished_games
from garden.errors import SpecError
from garden.humans.plays import Play, Step, append_play
from garden.search.config import limit_of
from garden.web import schemas, trips
from garden.web.game_rules import Rules, daily_seed, shared_with
from garden.web.library import WIKISPEEDIA, Library, UnknownIdError
from garden.web.pictures import attributes_of

MAX_GAMES = 2_000
MAX_SHARED = 40  # attributes that are named of one neighbour
_SQUARES = {True: "🟩", False: "🟨"}


@dataclass
class _Session:
    """A game with all that it has seen."""

    id: str
    asked: schemas.GameAsked
    rules: Rules
    source: int
    target: int
    hops_to: np.ndarray  # (num_nodes,)
    day: str
    began: float
    path: list[int] = field(default_factory=list)
    trail: list[int] = field(default_factory=list)  # where going back leads, the last first
    steps: list[Step] = field(default_factory=list)
    choices: list[schemas.GameChoice] = field(default_factory=list)
    result: schemas.GameResult | None = None

    @property
    def distance(self) -> int:
        return int(self.hops_to[self.source])

    @property
    def delivered(self) -> bool:
        return self.path[-1] == self.target

    @property
    def max_hops(self) -> int:
        return limit_of("auto", self.distance)


@dataclass(eq=False)
class GameBook:
    """The games of a server.

    Args:
        library: Graphs and the policy that players are set beside.
        plays: The file that plays are added to, with the player's consent; None keeps none.
        clock: The time, for the day's puzzle and what is stored.
    """

    library: Library
    plays: Path | None = None
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _games: OrderedDict[str, _Session] = field(default_factory=OrderedDict, init=False)

    def start(self, asked: schemas.GameAsked) -> schemas.Game:
        """Begin a game on a pair of the server's choice."""
        graph = self.library.graph(asked.graph)
        links = self.library.links(asked.graph) if asked.directed else None
        rules = Rules(graph, links)
        day = self.clock().strftime("%Y-%m-%d")
        seed = daily_seed(graph.content_hash, day) if asked.daily else secrets.randbits(31)
        source, target = rules.pair(seed)
        game = _Session(
            secrets.token_hex(8),
            asked,
            rules,
            source,
            target,
            rules.hops_to(target),
            day,
            time.monotonic(),
            [source],
        )
        game.choices = _choices(game)
        with self._lock:
            self._games[game.id] = game
            while len(self._games) > MAX_GAMES:
                self._games.popitem(last=False)
        return shown(game)

    def move(self, game_id: str, node: int) -> schemas.Game:
        """One hop of the player.

        Args:
            game_id: What the game began with.
            node: The position of a neighbour on offer; any other is refused.
        """
        game = self._game(game_id)
        with self._lock:
            if game.result is not None:
                raise SpecError("this game is over: begin another")
            _step(game, node)
            over = game.delivered or len(game.path) - 1 >= game.max_hops
            if not over:
                return shown(game)
        return self._end(game)

    def give_up(self, game_id: str) -> schemas.Game:
        """End a game where it stands; one that is over stays as it is."""
        game = self._game(game_id)
        return shown(game) if game.result is not None else self._end(game)

    def _game(self, game_id: str) -> _Session:
        game = self._games.get(game_id)
        if game is None:
            raise UnknownIdError("no such game: begin another")
        return game

    def _end(self, game: _Session) -> schemas.Game:
        ends, graph_id = (game.source, game.target), game.asked.graph
        strategy_id = self.library.strategy_for(game.rules.graph)
        policy = trips.policy_path(self.library, graph_id, strategy_id, *ends)
        with self._lock:
            if game.result is None:
                stored = self._stored(game)
                game.choices = []
                game.result = _result(game, policy, self._people(game), stored)
        return shown(game)

    def _people(self, game: _Session) -> schemas.PeopleStanding | None:
        """Where a delivered game stands; people followed directions, so others are not compared."""
        if not game.delivered or game.rules.links is None:
            return None
        if self.library.graphs[game.asked.graph].spec != WIKISPEEDIA:
            return None
        folder = found_here(WIKISPEEDIA)
        games = finished_games(folder) if folder is not None else None
        alike = None if games is None else games.at(game.distance)
        if alike is None or len(alike) == 0:
            return None
        hops = len(game.path) - 1
        return schemas.PeopleStanding(
            games=len(alike),
            better_share=float(np.mean(alike.lengths < hops)),
            mean_ratio=float(alike.ratios.mean()),
        )

    def _stored(self, game: _Session) -> bool:
        if self.plays is None or not game.asked.consent:
            return False
        append_play(self.plays, _play(game))
        return True


def shown(game: _Session) -> schemas.Game:
    """How the page sees a game."""
    graph = game.rules.graph
    return schemas.Game(
        id=game.id,
        graph=game.asked.graph,
        source=game.source,
        target=game.target,
        target_name=graph.node_names[game.target],
        target_attributes=attributes_of(graph, game.target),
        holder=game.path[-1],
        path=game.path,
        choices=game.choices,
        directed=game.rules.links is not None,
        daily=game.day if game.asked.daily else None,
        max_hops=game.max_hops,
        over=game.result is not None,
        delivered=game.delivered,
        result=game.result,
    )


def _choices(game: _Session) -> list[schemas.GameChoice]:
    before = game.trail[-1] if game.trail else None
    nodes = np.array(game.rules.open_to(game.path[-1], before), dtype=np.int64)
    graph = game.rules.graph
    shared = shared_with(graph, nodes, game.target, MAX_SHARED)
    return [
        schemas.GameChoice(
            node=node,
            name=graph.node_names[node],
            degree=int(graph.degrees[node]),
            shared=names,
            is_target=node == game.target,
        )
        for node, names in zip(nodes.tolist(), shared, strict=True)
    ]


def _step(game: _Session, node: int) -> None:
    """Move the player, and remember what was on offer."""
    offered = [choice.node for choice in game.choices]
    if node not in offered:
        raise SpecError("there is no link to that node from here: choose a neighbour")
    game.steps.append(
        Step(
            degrees=tuple(choice.degree for choice in game.choices),
            shared=tuple(len(choice.shared) for choice in game.choices),
            chosen=offered.index(node),
            target_offered=any(choice.is_target for choice in game.choices),
            seconds=round(time.monotonic() - game.began, 2),
        )
    )
    if game.trail and node == game.trail[-1]:
        game.trail.pop()
    else:
        game.trail.append(game.path[-1])
    game.path.append(node)
    game.choices = _choices(game)


def _result(
    game: _Session,
    policy: schemas.PolicyPath,
    people: schemas.PeopleStanding | None,
    stored: bool,
) -> schemas.GameResult:
    hops = len(game.path) - 1
    return schemas.GameResult(
        hops=hops,
        distance=game.distance,
        shortest_path=game.rules.shortest_path(game.source, game.target),
        policy=policy,
        ratio=hops / game.distance if game.delivered else None,
        people=people,
        notes=_notes(game, people),
        share=share_text(game),
        stored=stored,
    )


def _notes(game: _Session, people: schemas.PeopleStanding | None) -> list[str]:
    notes = []
    if game.rules.links is not None:
        notes.append(
            "You followed links as they point, or went back; so does the shortest path here. "
            "The policy walks links both ways."
        )
    if people is not None:
        notes.append(
            "Of all games that people began on Wikispeedia a third were given up; "
            "only finished ones are counted here."
        )
    return notes


def share_text(game: _Session) -> str:
    """A game in three lines: a green square for each hop nearer to the target."""
    graph = game.rules.graph
    names = [graph.node_names[node] for node in game.path]
    hops = [game.hops_to[node] for node in game.path]
    squares = "".join(_SQUARES[bool(b < a)] for a, b in pairwise(hops))
    what = f"puzzle of {game.day}" if game.asked.daily else "You are the letter"
    end = f"{len(names) - 1} hops" if game.delivered else f"given up after {len(names) - 1} hops"
    goal = graph.node_names[game.target]
    return (
        f"garden, {what}, {graph.name}\n"
        f"{names[0]} to {goal}: {end}, shortest {game.distance} {squares}\n"
        f"{' → '.join(names)}"
    )


def _play(game: _Session) -> Play:
    graph = game.rules.graph
    return Play(
        graph=graph.name,
        graph_hash=graph.content_hash,
        player=game.asked.player or game.id,
        day=game.day,
        directed=game.rules.links is not None,
        daily=game.asked.daily,
        source=graph.node_names[game.source],
        target=graph.node_names[game.target],
        path=tuple(graph.node_names[node] for node in game.path),
        distance=game.distance,
        delivered=game.delivered,
        steps=tuple(game.steps),
    )
