"""Games of people, on graphs that are small enough to play by hand."""

import json
from datetime import UTC, datetime

import numpy as np
import pytest
import scipy.sparse as sp

from garden.errors import GardenError, SpecError
from garden.graphs.graph import Graph
from garden.humans.plays import read_plays
from garden.web import games as games_module
from garden.web.game_rules import Rules, daily_seed, shared_with
from garden.web.games import GameBook
from garden.web.library import WIKISPEEDIA, Library, UnknownIdError
from garden.web.schemas import GameAsked

PATH = np.array([(0, 1), (1, 2), (2, 3), (3, 4)])
COLOURS = np.array([[1, 0], [1, 0], [1, 0], [0, 1], [0, 1]], dtype=float)
DAY = datetime(2026, 3, 1, 23, 59, tzinfo=UTC)


@pytest.fixture
def path_graph():
    names = [*"abcd", "<b>e</b>"]
    return Graph.from_edges(PATH, 5, COLOURS, names, ["red", "blue"], "path")


@pytest.fixture
def library(path_graph):
    found = Library((), ("connection",))
    found.path = found.add_upload("path", path_graph).id
    return found


def begun(book, monkeypatch, source=0, target=4, **asked):
    monkeypatch.setattr(Rules, "pair", lambda *_: (source, target))
    return book.start(GameAsked(graph=book.library.path, **asked))


def played(book, game, nodes):
    for node in nodes:
        game = book.move(game.id, node)
    return game


def test_game__shows_neighbours_and_what_they_share_with_the_target(library, monkeypatch):
    game = begun(GameBook(library), monkeypatch, source=2)
    seen = [(choice.name, choice.degree, choice.shared) for choice in game.choices]
    assert seen == [("b", 2, []), ("d", 2, ["blue"])]
    assert (game.target_name, game.target_attributes) == ("<b>e</b>", ["blue"])


def test_game__ends_at_the_target_with_three_paths_and_a_text_to_share(library, monkeypatch):
    book = GameBook(library)
    game = played(book, begun(book, monkeypatch), [1, 0, 1, 2, 3, 4])
    assert (game.over, game.delivered, game.choices) == (True, True, [])
    result = game.result
    assert (result.hops, result.distance, result.ratio) == (6, 4, 1.5)
    assert result.shortest_path == [0, 1, 2, 3, 4]
    assert result.policy.path[0] == 0
    assert result.people is None
    assert "6 hops, shortest 4" in result.share
    assert "a → b → a → b → c → d → <b>e</b>" in result.share


def test_game__that_is_over_takes_no_move(library, monkeypatch):
    book = GameBook(library)
    game = book.give_up(begun(book, monkeypatch).id)
    assert (game.over, game.delivered, game.result.ratio) == (True, False, None)
    with pytest.raises(SpecError, match="over"):
        book.move(game.id, 1)


def test_move__beyond_the_neighbours_is_refused(library, monkeypatch):
    book = GameBook(library)
    game = begun(book, monkeypatch)
    for node in (0, 2, 4, 99):
        with pytest.raises(SpecError, match="no link"):
            book.move(game.id, node)
    with pytest.raises(UnknownIdError):
        book.move("another", 1)


def test_rules__directed_players_follow_out_links_or_go_back(path_graph):
    links = sp.csr_array((np.ones(4), ([0, 1, 2, 2], [1, 2, 0, 3])), shape=(5, 5))
    rules = Rules(path_graph, links)
    assert rules.open_to(1, before=0) == [0, 2]
    assert rules.open_to(1, before=None) == [2]
    assert rules.hops_to(3).tolist() == [3, 2, 1, 0, np.inf]
    assert rules.shortest_path(0, 3) == [0, 1, 2, 3]
    assert rules.pair(3)[1] != 4  # nothing leads there


def test_going_back__leads_on_to_where_one_came_from_before(library, monkeypatch):
    links = sp.csr_array((np.ones(4), ([0, 1, 2, 3], [1, 2, 3, 4])), shape=(5, 5))
    monkeypatch.setattr(library, "links", lambda _: links)
    book = GameBook(library)
    game = played(book, begun(book, monkeypatch, directed=True), [1, 2, 1, 0])
    assert [choice.node for choice in game.choices] == [1]
    assert game.directed


def test_puzzle_of_the_day__is_the_same_for_all_and_another_tomorrow(library):
    book = GameBook(library, clock=lambda: DAY)
    first, second = (book.start(GameAsked(graph=library.example, daily=True)) for _ in range(2))
    assert (first.source, first.target) == (second.source, second.target)
    assert first.daily == "2026-03-01"
    assert daily_seed("x", "2026-03-01") != daily_seed("x", "2026-03-02")
    assert daily_seed("x", "2026-03-01") != daily_seed("y", "2026-03-01")


def test_shared__numbers_that_happen_not_to_be_zero_are_not_shared():
    graph = Graph.from_edges(PATH, 5, np.full((5, 1), 0.5), None, ["height"], "path")
    assert shared_with(graph, np.array([0, 1]), 2, 5) == [[], []]


def test_people__stand_among_finished_games_of_the_same_distance(library, monkeypatch, tmp_path):
    (tmp_path / "finished_lengths.csv").write_text("a,b,c\n4,4,1\n8,4,2\n12,4,3\n3,3,1\n")
    monkeypatch.setattr(games_module, "found_here", lambda _: tmp_path)
    links = sp.csr_array((np.ones(4), ([0, 1, 2, 3], [1, 2, 3, 4])), shape=(5, 5))
    monkeypatch.setattr(library, "links", lambda _: links)
    library.graphs[library.path].spec = WIKISPEEDIA
    book = GameBook(library)
    people = played(book, begun(book, monkeypatch, directed=True), [1, 2, 3, 4]).result.people
    assert (people.games, people.better_share, people.mean_ratio) == (3, 0.0, 2.0)
    walked_both_ways = played(book, begun(book, monkeypatch), [1, 0, 1, 2, 3, 4])
    assert walked_both_ways.result.people is None


@pytest.mark.parametrize("consent", [True, False])
def test_plays__are_stored_with_consent_alone_and_hold_no_address(
    library, monkeypatch, tmp_path, consent
):
    file = tmp_path / "plays.jsonl"
    book = GameBook(library, file, clock=lambda: DAY)
    game = played(book, begun(book, monkeypatch, consent=consent), [1, 2, 3, 4])
    assert game.result.stored == consent == file.exists()
    if not consent:
        return
    (play,) = read_plays(file)
    assert (play.path, play.hops, play.day) == (("a", "b", "c", "d", "<b>e</b>"), 4, "2026-03-01")
    assert [step.shared for step in play.steps] == [(0,), (0, 0), (0, 1), (0, 1)]
    assert [step.target_offered for step in play.steps] == [False, False, False, True]
    fields = set(json.loads(file.read_text()))
    assert not fields & {"name", "address", "ip", "host", "user"}


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"format": 2}', "no json"])
def test_read_plays__refuses_what_is_none_in_one_line(tmp_path, text):
    file = tmp_path / "plays.jsonl"
    file.write_text(text + "\n")
    with pytest.raises(GardenError, match=r"plays\.jsonl") as caught:
        read_plays(file)
    assert "\n" not in str(caught.value)
