"""The checker finds what a strategy with rounds can do wrong, and lets right ones pass."""

import numpy as np
import pytest
import scipy.sparse as sp

import garden
from garden.errors import StrategyError
from garden.strategies.registry import GOSSIP
from garden.strategies.representations import Ragged, Representations
from garden.testing import check_strategy, strategy_problems


class Right:
    """Each agent learns the largest key of its component; nothing is wrong with it."""

    needs_attributes = False

    def begin(self, egos, keys):
        largest = np.maximum.reduceat(keys, egos.offsets[:-1])
        return Representations({"largest": largest, "own": keys[egos.offsets[:-1]]})

    def hear(self, own, neighbours, owner):
        largest = own.arrays["largest"].copy()
        np.maximum.at(largest, owner, neighbours.arrays["largest"])
        return Representations({"largest": largest, "own": own.arrays["own"]})

    def score(self, candidates, targets):
        ours, theirs = candidates.arrays["own"], targets.arrays["own"][:, None]
        return (ours == theirs) + (candidates.arrays["largest"] == theirs).astype(float)


class Averaging:
    """The mean profile of those whom it hears; floats, with a temperature."""

    def __init__(self, temperature=None):
        self.temperature = temperature

    def with_temperature(self, temperature):
        return Averaging(temperature)

    def begin(self, egos, keys):
        table = egos.profiles.toarray() if sp.issparse(egos.profiles) else egos.profiles
        own = table[egos.centres].astype(np.float64)
        return Representations({"own": own, "nearby": np.zeros_like(own)})

    def hear(self, own, neighbours, owner):
        total = np.zeros_like(own.arrays["own"])
        np.add.at(total, owner, neighbours.arrays["own"])
        counts = np.bincount(owner, minlength=len(own))[:, None]
        return Representations({"own": own.arrays["own"], "nearby": total / counts})

    def score(self, candidates, targets):
        return targets.arrays["own"] @ candidates.arrays["nearby"].T / self.temperature


def with_more(rows, **arrays):
    return Representations({**rows.arrays, **arrays}, rows.ragged)


# What begin can do wrong, one class each.


class Outside(Right):
    def begin(self, egos, keys):
        level = np.full(len(egos), float(egos.profiles.sum()))
        return with_more(super().begin(egos, keys), level=level)

    def hear(self, own, neighbours, owner):
        return with_more(super().hear(own, neighbours, owner), level=own.arrays["level"])


class Placed(Outside):
    def begin(self, egos, keys):
        return with_more(Right.begin(self, egos, keys), level=np.arange(len(egos)) % 3)


class Numbered(Outside):
    def begin(self, egos, keys):
        return with_more(Right.begin(self, egos, keys), level=egos.centres)


class Ordered(Outside):
    def begin(self, egos, keys):
        return with_more(Right.begin(self, egos, keys), level=keys[egos.offsets[1:] - 1])


class Dicing(Outside):
    def begin(self, egos, keys):
        luck = np.random.default_rng().random(len(egos))
        return with_more(Right.begin(self, egos, keys), level=luck)


class Scribbling(Right):
    def begin(self, egos, keys):
        rows = super().begin(egos, keys.copy())
        keys[:] = 0
        return rows


class Bare(Right):
    def begin(self, egos, keys):
        return keys


class Haughty(Right):
    def begin(self, egos, keys):
        raise StrategyError("Haughty wants larger graphs")


# What hear can do wrong.


class Crowd(Right):
    """The largest of the whole block, neighbours or not."""

    def hear(self, own, neighbours, owner):
        largest = np.full(len(own), neighbours.arrays["largest"].max())
        return with_more(own, largest=np.maximum(largest, own.arrays["largest"]))


class FirstVoice(Right):
    """Whoever is heard first counts, the first time."""

    def begin(self, egos, keys):
        return with_more(super().begin(egos, keys), heard=np.zeros(len(egos), dtype=np.uint64))

    def hear(self, own, neighbours, owner):
        first = neighbours.arrays["own"][np.searchsorted(owner, np.arange(len(own)))]
        told = own.arrays["heard"]
        return with_more(super().hear(own, neighbours, owner), heard=np.where(told, told, first))


class Guessing(Right):
    def hear(self, own, neighbours, owner):
        luck = np.random.default_rng().integers(1 << 64, size=len(own), dtype=np.uint64)
        return with_more(own, largest=own.arrays["largest"] | luck)


class Counting(Right):
    calls = 0

    def hear(self, own, neighbours, owner):
        self.calls += 1
        return with_more(own, largest=own.arrays["largest"] + np.uint64(self.calls))


class FirstNetwork(Right):
    """Keeps the largest key of the first block that it hears."""

    first = None

    def begin(self, egos, keys):
        return with_more(super().begin(egos, keys), first=np.zeros(len(egos), dtype=np.uint64))

    def hear(self, own, neighbours, owner):
        self.first = self.first or neighbours.arrays["own"].max()
        heard = super().hear(own, neighbours, owner)
        return with_more(heard, first=np.full(len(own), self.first))


class Restless(Right):
    def hear(self, own, neighbours, owner):
        return with_more(own, largest=own.arrays["largest"] + np.uint64(1))


class Lingering(Right):
    """Counts down from its degree, whether anybody speaks or not."""

    def begin(self, egos, keys):
        return with_more(super().begin(egos, keys), left=3 * egos.degrees)

    def hear(self, own, neighbours, owner):
        heard = super().hear(own, neighbours, owner)
        return with_more(heard, left=np.maximum(own.arrays["left"] - 1, 0))


class Grabbing(Right):
    def hear(self, own, neighbours, owner):
        rows = super().hear(own, neighbours, owner)
        neighbours.arrays["largest"][:] = 0
        return rows


class Renaming(Right):
    def hear(self, own, neighbours, owner):
        rows = super().hear(own, neighbours, owner)
        return Representations({"best": rows.arrays["largest"], "own": rows.arrays["own"]})


class Widening(Right):
    def hear(self, own, neighbours, owner):
        rows = super().hear(own, neighbours, owner)
        return with_more(rows, largest=np.stack([rows.arrays["largest"]] * 2, axis=1))


class Short(Right):
    def hear(self, own, neighbours, owner):
        return super().hear(own, neighbours, owner).take(np.arange(1, len(own)))


class Torn(Right):
    def begin(self, egos, keys):
        rows = super().begin(egos, keys)
        empty = Ragged(keys[:0], np.zeros(len(egos) + 1, dtype=np.int64))
        return Representations(rows.arrays, {"torn": empty})

    def hear(self, own, neighbours, owner):
        torn = Ragged(np.ones(3), np.zeros(len(own) + 1, dtype=np.int64))
        return Representations(super().hear(own, neighbours, owner).arrays, {"torn": torn})


class Crashing(Right):
    def hear(self, own, neighbours, owner):
        raise ValueError("not today")


# What it can say of itself, and do with settled rows.


class Seedless(Right):
    key_seed = -1


class Half(Right):
    def size_of(self, rows):
        return np.full(len(rows), 0.5), np.ones(len(rows), dtype=int)


class Untold(Right):
    def told(self, before, after):
        return np.ones(len(after), dtype=int)


class Sideways(Right):
    def fixed_length(self, rows):
        return np.zeros((2, len(rows)))


class Dithering(Right):
    def score(self, candidates, targets):
        return super().score(candidates, targets) + 1e-9 * np.random.default_rng().random()


class Recalling(Right):
    """Scores read what hear last saw."""

    level = 1.0

    def hear(self, own, neighbours, owner):
        self.level = float(len(own))
        return super().hear(own, neighbours, owner)

    def score(self, candidates, targets):
        return super().score(candidates, targets) * self.level


class Rival(Right):
    def score(self, candidates, targets):
        scores = super().score(candidates, targets)
        return scores - scores.mean(axis=0)


WRONG = [
    (Outside, ["After 0 rounds a row changes when something changes beyond the ego graphs"]),
    (Placed, ["begin depends on the batch"]),
    (Numbered, ["Settled rows change when nodes are numbered otherwise"]),
    (Ordered, ["begin depends on the order in which an ego graph's neighbours or edges stand"]),
    (Dicing, ["begin gives other rows when it is called again with the same ego graphs"]),
    (Scribbling, ["begin changes what it is given (keys)"]),
    (Bare, ["begin gives a ndarray: give Representations"]),
    (Haughty, ["refuses every graph that it was tried on (Haughty wants larger graphs)"]),
    (
        Crowd,
        [
            "hear depends on the block: an agent gets another row",
            "After 1 round a row changes when something changes beyond the ego graphs of agents "
            "within 1 hop (",
        ],
    ),
    (FirstVoice, ["hear depends on the order in which neighbours are heard"]),
    (Guessing, ["hear gives other rows when it is called again with the same rows"]),
    (Counting, ["hear remembers earlier calls: its rows depend on what came before"]),
    (FirstNetwork, ["begin or hear remembers earlier calls: its rows depend on what came before"]),
    (Restless, ["Its rows still change after 1000 rounds (on a star"]),
    (Lingering, ["A row changes though no neighbour's row did"]),
    (Grabbing, ["hear changes the rows that it is given"]),
    (Renaming, ["hear and begin give different arrays (best, largest)"]),
    (Widening, ["hear and begin give different arrays (largest)"]),
    (Short, ["hear gives 8 rows in 'largest' for 9 ego graphs"]),
    (Torn, ["hear gives 'torn' as Ragged rows whose offsets do not lead from 0 to the number"]),
    (Crashing, ["ValueError: not today (on a star"]),
    (Seedless, ["key_seed is -1: give a whole number from 0 to 2⁶⁴ − 1"]),
    (Half, ["size_of must give two arrays of whole numbers"]),
    (Untold, ["told must give two arrays of whole numbers"]),
    (Sideways, ["fixed_length must give a table with one row per row"]),
    (Dithering, ["score gives other scores when it is called again"]),
    (Recalling, ["score remembers earlier calls"]),
    (Rival, ["depends on which other targets"]),
]


@pytest.mark.parametrize(("kind", "sentences"), WRONG)
def test_check__each_wrongness_in_rounds_gets_its_sentence_and_no_other(kind, sentences):
    found = strategy_problems(kind)
    assert len(found) == len(sentences), found
    for sentence, problem in zip(sentences, found, strict=True):
        assert sentence in problem
        assert "\n" not in problem
        assert problem.endswith((".", ")"))


@pytest.mark.parametrize("kind", [Right, Averaging])
def test_check__rounds_that_are_right_pass_and_play(kind):
    check_strategy(kind)
    check_strategy(kind())
    report = garden.evaluate("kaiser-hilgetag:n=40,beta=1,seed=1", kind())
    assert report.results[0].knows == "gossip"


def test_check__agents_that_hear_say_so():
    class Modest(garden.strategies.gossip.protocol.GossipStrategy):
        knows = "ego"
        begin, hear, score = Right.begin, Right.hear, Right.score

    (problem,) = strategy_problems(Modest())
    assert problem.startswith("knows is 'ego', though its agents hear their neighbours")


@pytest.mark.parametrize("name", [*GOSSIP, "beacons:k=1", "beacons:k=2,rank=hash,neighbours=1"])
def test_check__strategies_with_rounds_pass_to_the_last_bit(name):
    check_strategy(name, exact=True)
    check_strategy(name, num_attributes=5)
