"""A class with two functions is a strategy like any other."""

import copy

import numpy as np
import pytest
import scipy.sparse as sp

import garden
from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.task import SearchTask
from garden.errors import StrategyError
from garden.graphs.ego_extraction import ego_graphs
from garden.search.temperature_tuning import prepare
from garden.strategies.base import Strategy
from garden.strategies.duck_typed import as_strategy
from garden.strategies.gossip.protocol import GossipStrategy
from garden.strategies.representations import Ragged, Representations
from garden.strategies.walkers import DistanceWalker, GreedyWalker

TASK = SearchTask.split(kaiser_hilgetag(n=40, beta=1, seed=1))


class Near:
    """DistanceWalker by hand, its temperature and all."""

    def __init__(self, temperature=None):
        self.temperature = temperature

    def with_temperature(self, temperature):
        return Near(temperature)

    def represent(self, egos):
        return Representations({"profile": egos.profiles[egos.centres]})

    def score(self, candidates, targets):
        return DistanceWalker(self.temperature).score(candidates, targets)


class Pairwise:
    name = "pairwise"
    selection = "argmax"
    represent = Near.represent

    def score_pairs(self, candidates, targets):
        return GreedyWalker().score_pairs(candidates, targets)


class Derived(Strategy):
    """A subclass may write the table alone, too."""

    selection = "argmax"

    def represent(self, egos):
        return GreedyWalker().represent(egos)

    def score(self, candidates, targets):
        return GreedyWalker().score(candidates, targets)


class Centred:
    """Something to fit: the mean profile of the training nodes."""

    selection = "argmax"
    represent = Near.represent

    def __init__(self, mean=None):
        self.mean, self.fitted = mean, mean is not None

    def fit(self, egos):
        return Centred(egos.profiles[egos.centres].mean(axis=0))

    def score(self, candidates, targets):
        assert self.fitted
        return (targets.arrays["profile"] - self.mean) @ candidates.arrays["profile"].T


class Lost(Centred):
    def fit(self, egos):
        self.mean = 0.0


class Mute:
    begin = hear = represent = Near.represent


class Deaf:
    begin = score = Near.score


class Silent(Strategy):
    def represent(self, egos):
        return GreedyWalker().represent(egos)


def test_own__two_functions_play_like_the_walker_they_repeat():
    mine = garden.evaluate(TASK, Near()).results[0]
    walker = garden.evaluate(TASK, "distance").results[0]
    assert mine.name == "Near"
    assert mine.parameters == walker.parameters  # tuned alike
    assert mine.oracle_ratio == pytest.approx(walker.oracle_ratio)


@pytest.mark.parametrize("own", [Pairwise(), Derived()])
def test_own__either_way_of_scoring_gives_the_other(own):
    strategy, greedy = as_strategy(own), GreedyWalker()
    rows = strategy.represent(ego_graphs(TASK.graph))
    targets = rows.take(np.array([5, 0, 5, 17]))
    assert strategy.score(rows, targets) == pytest.approx(greedy.score(rows, targets))
    mixed = rows.take(np.arange(40) // 9)
    assert strategy.score_pairs(rows, mixed) == pytest.approx(greedy.score_pairs(rows, mixed))


def test_own__scores_of_one_target_are_asked_for_at_once():
    calls = []

    class Counting(Derived):
        def score(self, candidates, targets):
            calls.append((len(targets), len(candidates)))
            return super().score(candidates, targets)

    rows = Counting().represent(ego_graphs(TASK.graph))
    Counting().score_pairs(rows, rows.take(np.repeat([3, 4], 20)))
    assert calls == [(1, 20), (1, 20)]


def test_own__routes_and_takes_its_name_and_memory():
    message = garden.route(TASK.graph, Pairwise(), source="3", target="17", memory="backtrack")
    assert (message.strategy, message.memory, message.delivered) == ("pairwise", "backtrack", True)


class Flood:
    """Hops to every node, by rounds: column c of a row is the distance to the c-th key."""

    name = "flood"
    selection = "argmax"
    needs_attributes = False
    key_seed = 5

    def begin(self, egos, keys):
        self_alone = np.arange(len(egos) + 1)
        return Representations(
            {},
            {
                "keys": Ragged(keys[egos.offsets[:-1]], self_alone),
                "hops": Ragged(np.zeros(len(egos), dtype=np.int64), self_alone),
            },
        )

    def hear(self, own, neighbours, owner):
        known = [{} for _ in range(len(own))]
        for rows, whose, further in ((own, np.arange(len(own)), 0), (neighbours, owner, 1)):
            keys, hops = rows.ragged["keys"], rows.ragged["hops"].values
            for row, key, hop in zip(keys.owner, keys.values, hops, strict=True):
                best = known[whose[row]]
                best[key] = min(best.get(key, hop + further), hop + further)
        offsets = np.concatenate([[0], np.cumsum([len(one) for one in known])])
        told = [sorted(one.items()) for one in known]
        return Representations(
            {},
            {
                "keys": Ragged(np.array([key for one in told for key, _ in one]), offsets),
                "hops": Ragged(np.array([hop for one in told for _, hop in one]), offsets),
            },
        )

    def score(self, candidates, targets):
        keys = candidates.ragged["keys"]
        table = np.full((len(targets), len(candidates)), -1e9)
        mine = targets.ragged["hops"].values == 0
        for number, key in enumerate(targets.ragged["keys"].values[mine]):
            here = keys.values == key
            table[number, keys.owner[here]] = -candidates.ragged["hops"].values[here]
        return table

    def size_of(self, rows):
        entries = np.diff(rows.ragged["keys"].offsets)
        return entries, 16 * entries


def test_own__begin_and_hear_in_place_of_represent_play_by_rounds():
    report = garden.evaluate(TASK, [Flood(), Near()])
    ours, near = report.results
    assert (ours.name, ours.knows, near.knows, near.gossip) == ("flood", "gossip", "ego", None)
    assert ours.oracle_ratio == pytest.approx(1.0)
    assert ours.gossip.entries_per_node == TASK.graph.num_nodes
    assert ours.gossip.bytes_per_node == 16 * TASK.graph.num_nodes
    message = garden.route(TASK.graph, Flood(), source="3", target="17", memory="visited")
    assert message.hops == message.distance


def test_own__an_object_with_rounds_keeps_what_it_says_of_itself():
    strategy = as_strategy(Flood())
    assert isinstance(strategy, GossipStrategy)
    assert (strategy.name, strategy.selection, strategy.key_seed) == ("flood", "argmax", 5)
    assert strategy.fixed_length(None) is None
    assert type(copy.copy(strategy).own) is Flood
    assert as_strategy(strategy) is strategy


def test_own__is_fitted_on_training_nodes():
    ready = prepare(as_strategy(Centred()), TASK)
    expected = TASK.graph.attributes[TASK.train_targets].mean(axis=0)
    assert ready.own.mean == pytest.approx(expected)
    assert garden.evaluate(TASK, Centred()).results[0].oracle_ratio >= 1


@pytest.mark.parametrize(
    ("own", "message"),
    [
        (Near, "Near is a class: give an object of it, Near()"),
        (42, "42 is not a strategy: it has no represent and no score"),
        (Mute(), "it has no score (a strategy is a class with begin, hear and score)"),
        (Deaf(), "it has no hear (a strategy is a class with begin, hear and score)"),
        (Silent(), "Silent: it cannot score: write score or score_pairs"),
        (Lost(), "Lost.fit gave None: it must give the strategy back"),
    ],
)
def test_own__what_is_missing_is_said(own, message):
    with pytest.raises(StrategyError) as raised:
        garden.evaluate(TASK, [own])
    assert message in str(raised.value)


def test_own__a_strategy_that_cannot_score_does_not_ask_itself_for_ever():
    rows = Silent().represent(ego_graphs(TASK.graph))
    for score in (Silent().score, Silent().score_pairs):
        with pytest.raises(StrategyError, match="it cannot score"):
            score(rows, rows)


def test_repeats__rows_that_equal_their_neighbours_stand_in_one_run():
    flat = np.array([1, 1, 2, 2, 2, 2])
    wide = np.array([[0.0], [0], [0], [0], [5], [5]])
    lists = Ragged(np.array([[7], [7], [7], [8], [8]]), np.array([0, 1, 2, 3, 3, 4, 5]))
    for table in (wide, sp.csr_array(wide)):
        rows = Representations({"flat": flat, "wide": table}, {"lists": lists})
        runs = [(run.start, run.stop) for run in rows.runs_of_equal_rows()]
        assert runs == [(0, 2), (2, 3), (3, 4), (4, 6)]
    assert list(Representations({"flat": flat[:0]}).runs_of_equal_rows()) == []


@pytest.mark.parametrize(
    ("values", "offsets", "bounds"),
    [
        ([7, 8, 7, 8, 7, 8], [0, 2, 4, 6], [(0, 3)]),
        ([7, 7, 7, 7, 7, 7], [0, 2, 5, 6], [(0, 1), (1, 2), (2, 3)]),  # as long as if all alike
        ([7, 8, 7, 8, 7, 9], [0, 2, 4, 6], [(0, 2), (2, 3)]),
        ([0.0, -0.0, 0.0], [0, 1, 2, 3], [(0, 3)]),  # equal, though not byte for byte
        ([], [0, 0, 0, 0], [(0, 3)]),
    ],
)
def test_repeats__rows_that_are_all_alike_are_one_run_and_others_are_not(values, offsets, bounds):
    lists = Ragged(np.array(values, dtype=float), np.array(offsets))
    for flat in (np.ones(3), sp.csr_array(np.ones((3, 1)))):
        runs = Representations({"flat": flat}, {"lists": lists}).runs_of_equal_rows()
        assert [(run.start, run.stop) for run in runs] == bounds
