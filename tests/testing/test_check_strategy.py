"""The checker finds each kind of wrongness, says nothing else, and lets right ones pass."""

import sys
import threading

import numpy as np
import pytest
import scipy.sparse as sp

import garden
from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.errors import GardenError, StrategyError
from garden.strategies.base import Strategy
from garden.strategies.ego_matching import key_representations
from garden.strategies.registry import WALKERS
from garden.strategies.representations import Ragged, Representations
from garden.testing import StrategyCheckError, check_strategy, strategy_problems
from garden.training.config import TrainingOptions


def dense(table):
    return table.toarray() if sp.issparse(table) else np.asarray(table)


class Right:
    """The mean profile around a node, beside the target's own; nothing is wrong with it."""

    def represent(self, egos):
        profiles = dense(egos.profiles)[egos.members].astype(np.float64)
        mean = np.add.reduceat(profiles, egos.offsets[:-1]) / egos.sizes[:, None]
        return Representations({"mean": mean, "own": profiles[egos.is_centre]})

    def score(self, candidates, targets):
        return targets.arrays["own"] @ candidates.arrays["mean"].T


def with_row(egos, **arrays):
    return Representations({**Right().represent(egos).arrays, **arrays})


# What represent can do wrong, one class each.


class Outside(Right):
    def represent(self, egos):
        return with_row(egos, level=np.full(len(egos), dense(egos.profiles).mean()))


class Popular(Right):
    """In how many ego graphs of the batch its members stand: their degrees in the graph."""

    def represent(self, egos):
        stands = np.bincount(egos.members, minlength=egos.profiles.shape[0])
        return with_row(egos, popular=np.add.reduceat(stands[egos.members], egos.offsets[:-1]))


class Placed(Right):
    def represent(self, egos):
        return with_row(egos, place=np.arange(len(egos)))


class Numbered(Right):
    def represent(self, egos):
        return with_row(egos, number=egos.centres)


class Ordered(Right):
    def represent(self, egos):
        last = dense(egos.profiles)[egos.members[egos.offsets[1:] - 1]]
        return with_row(egos, last=last)


class OrderedRagged(Right):
    """Its entries may stand in any order, but the scores read the first."""

    def represent(self, egos):
        values = dense(egos.profiles)[egos.members[~egos.is_centre]].sum(axis=1)
        values = values + np.bincount(egos.edges[0], minlength=len(egos.members))[~egos.is_centre]
        ragged = Ragged(values, egos.offsets - np.arange(len(egos) + 1))
        return Representations(Right().represent(egos).arrays, {"beside": ragged})

    def score(self, candidates, targets):
        rows = candidates.ragged["beside"]
        return super().score(candidates, targets) + rows.values[rows.offsets[:-1]]


class Lonely(Right):
    """A batch of one is treated as no other."""

    def represent(self, egos):
        return with_row(egos, alone=np.full(len(egos), len(egos) == 1))


class TwoMinds(Right):
    def represent_one(self, ego):
        return Right().represent(without_last(ego))


class OneTooMany(Right):
    def represent_one(self, ego):
        return self.represent(ego.as_batch()).take(np.array([0, 0]))


def without_last(ego):
    """The ego graph without its last member."""
    batch = ego.as_batch()
    size = len(batch.members) - 1
    return type(batch)(
        np.array([0, size]), batch.members[:size], np.array([0, 0]), batch.edges[:, :0],
        batch.profiles,
    )  # fmt: skip


class Dicing(Right):
    def represent(self, egos):
        return with_row(egos, luck=np.random.default_rng().random(len(egos)))


class Drawing(Right):
    """Seeded, but each call draws on."""

    def __init__(self):
        self.rng = np.random.default_rng(0)

    def represent(self, egos):
        return with_row(egos, luck=self.rng.random(len(egos)))


class Caching(Right):
    """The statistics of whatever it saw first."""

    level = None

    def represent(self, egos):
        if self.level is None:
            self.level = float(dense(egos.profiles).sum())
        return with_row(egos, level=np.full(len(egos), self.level))


class Scribbling(Right):
    def represent(self, egos):
        rows = super().represent(egos)
        egos.members[:] = 0
        (egos.profiles.data if sp.issparse(egos.profiles) else egos.profiles)[:] *= 2
        return rows


class Short(Right):
    def represent(self, egos):
        return super().represent(egos).take(np.arange(1, len(egos)))


class Uneven(Right):
    def represent(self, egos):
        return with_row(egos, extra=np.zeros(len(egos) + 1))


class Bare(Right):
    def represent(self, egos):
        return super().represent(egos).arrays["mean"]


class Empty(Right):
    def represent(self, egos):
        return Representations({})


class Listed(Right):
    def represent(self, egos):
        return Representations([np.zeros(len(egos))])


class Wordy(Right):
    def represent(self, egos):
        return with_row(egos, word=["a"] * len(egos))


class Objects(Right):
    def represent(self, egos):
        return with_row(egos, thing=np.array([{}] * len(egos)))


class Single(Right):
    def represent(self, egos):
        return with_row(egos, level=np.array(3.0))


class Torn(Right):
    def represent(self, egos):
        offsets = np.zeros(len(egos) + 1, dtype=np.int64)
        return Representations(
            super().represent(egos).arrays, {"torn": Ragged(np.ones(3), offsets)}
        )


class Misfiled(Right):
    def represent(self, egos):
        return Representations(super().represent(egos).arrays, {"flat": np.ones(len(egos))})


class Halves(Right):
    def represent(self, egos):
        offsets = np.linspace(0, 3, len(egos) + 1)
        return Representations(
            super().represent(egos).arrays, {"half": Ragged(np.ones(3), offsets)}
        )


class Unlisted(Right):
    def represent(self, egos):
        offsets = np.zeros(len(egos) + 1, dtype=np.int64)
        return Representations(super().represent(egos).arrays, {"list": Ragged([], offsets)})


class ZeroMean(Right):
    """A profile of zeros has no direction."""

    def represent(self, egos):
        own = super().represent(egos).arrays["own"]
        return with_row(egos, direction=own / np.linalg.norm(own, axis=1, keepdims=True))


class DenseOnly(Right):
    def represent(self, egos):
        return with_row(egos, first=egos.profiles[egos.centres].reshape(len(egos), -1, 1))


class Fixed(Right):
    """Weights for seven attributes, and no word about it."""

    def represent(self, egos):
        return with_row(egos, hidden=dense(egos.profiles)[egos.centres] @ np.ones((7, 2)))


REPRESENT = [
    (
        Outside,
        ["outside its ego graph changes", "numbers in egos.members, or on rows of egos.prof"],
    ),
    (Popular, ["outside its ego graph changes", "depends on the batch"]),
    (Placed, ["depends on the batch"]),
    (Numbered, ["depends on the numbers in egos.members"]),
    (Ordered, ["depends on the order in which an ego graph's neighbours or edges stand"]),
    (OrderedRagged, ["Scores depend on the order in which an ego graph's neighbours stand"]),
    (Lonely, ["represented alone gets another row than in a batch"]),
    (TwoMinds, ["represent_one gives another row than represent"]),
    (OneTooMany, ["represent_one gives 2 rows in 'mean' for 1 ego graph ("]),
    (Dicing, ["represent gives other rows when it is called again"]),
    (Drawing, ["represent remembers earlier calls"]),
    (Caching, ["represent remembers earlier calls"]),
    (Scribbling, ["represent changes the ego graphs that it is given (members, profiles)"]),
    (Short, ["represent gives 8 rows in 'mean' for 9 ego graphs"]),
    (Uneven, ["represent gives 10 rows in 'extra' for 9 ego graphs"]),
    (Bare, ["represent gives a ndarray: give Representations({'name': array})"]),
    (Empty, ["without any array"]),
    (Listed, ["Representations of no dictionaries"]),
    (Wordy, ["gives 'word' as a list, not a NumPy array"]),
    (Objects, ["gives 'thing' as an array of object, which cannot travel in a message"]),
    (Single, ["gives 'level' as a single number"]),
    (Torn, ["gives 'torn' as Ragged rows whose offsets do not lead from 0 to the number of"]),
    (Misfiled, ["gives 'flat' as a ndarray, not Ragged(values, offsets)"]),
    (Halves, ["gives 'half' as Ragged rows whose offsets are no list of whole numbers"]),
    (Unlisted, ["gives 'list' as Ragged rows that are no NumPy arrays"]),
    (ZeroMean, ["represent gives NaN in 'direction' (on a star: 9 nodes, 3 dense attributes)"]),
    (DenseOnly, ["sparse attributes)"]),
    (Fixed, ["(size 7 is different from 3) (on a star"]),
]


# What score and score_pairs can do wrong.


class Sideways(Right):
    def score(self, candidates, targets):
        return super().score(candidates, targets).T


class Squeezed(Right):
    def score(self, candidates, targets):
        return np.squeeze(super().score(candidates, targets))


class Aligned(Right):
    def score(self, candidates, targets):
        return np.zeros(len(candidates))


class Nameful(Right):
    def score(self, candidates, targets):
        return super().score(candidates, targets).astype(str)


class Complex(Right):
    def score(self, candidates, targets):
        return super().score(candidates, targets) + 0j


class Jagged(Right):
    def score(self, candidates, targets):
        return [[1.0], [1.0, 2.0]]


class Cosine(Right):
    """A profile of zeros has no angle."""

    def score(self, candidates, targets):
        own = candidates.arrays["own"]
        return targets.arrays["own"] @ (own / np.linalg.norm(own, axis=1, keepdims=True)).T


class Inverse(Right):
    """One over the distance, to itself too."""

    def score(self, candidates, targets):
        ours, theirs = candidates.arrays["own"][None], targets.arrays["own"][:, None]
        return 1 / np.abs(ours - theirs).sum(axis=2)


class Probable(Right):
    """The softmax over the candidates, which is not its to take."""

    def score(self, candidates, targets):
        weights = np.exp(super().score(candidates, targets))
        return weights / weights.sum(axis=1, keepdims=True)


class Rival(Right):
    """Less, where another target wants the candidate too."""

    def score(self, candidates, targets):
        scores = super().score(candidates, targets)
        return scores - scores.mean(axis=0)


class Dithering(Right):
    def score(self, candidates, targets):
        scores = super().score(candidates, targets)
        return scores + 1e-9 * np.random.default_rng().random(scores.shape)


class Counting(Right):
    calls = 0

    def score(self, candidates, targets):
        self.calls += 1
        return super().score(candidates, targets) * self.calls


class Recalling(Right):
    """Scores read what represent last saw."""

    level = 1.0

    def represent(self, egos):
        self.level = float(len(egos))
        return super().represent(egos)

    def score(self, candidates, targets):
        return super().score(candidates, targets) * self.level


class Dependent(Right):
    def represent(self, egos):
        self.ready = True
        return super().represent(egos)

    def score(self, candidates, targets):
        assert self.ready
        return super().score(candidates, targets)


class Eating(Right):
    def score(self, candidates, targets):
        scores = super().score(candidates, targets)
        candidates.arrays["mean"][:] = 0
        return scores


class OtherRule(Right):
    """Pairs are scored by another rule."""

    def score_pairs(self, candidates, targets):
        return (candidates.arrays["mean"] * targets.arrays["own"]).sum(axis=1) * 2


class PairsTogether(Right):
    """Right over the whole table, wrong over a few pairs."""

    def score_pairs(self, candidates, targets):
        scores = (candidates.arrays["mean"] * targets.arrays["own"]).sum(axis=1)
        return scores if len(scores) % 4 == 0 else scores - scores.max() - 1


class PairsTable(Right):
    def score_pairs(self, candidates, targets):
        return self.score(candidates, targets)


class Carried(Representations):
    """Rows that carry a secret beside their numbers."""

    secret = 2.0

    def take(self, rows):
        taken = super().take(rows)
        return Carried(taken.arrays, taken.ragged)


class Smuggling(Right):
    def represent(self, egos):
        return Carried(super().represent(egos).arrays)

    def score(self, candidates, targets):
        return super().score(candidates, targets) * getattr(candidates, "secret", 1.0)


class Crashing(Right):
    def score(self, candidates, targets):
        raise ValueError("not today")


SCORE = [
    (Sideways, ["score gives shape (9, 4) for 4 targets and 9 candidates, where (4, 9) is exp"]),
    (Squeezed, ["score gives shape () for 1 target and 1 candidate, where (1, 1) is"]),
    (Aligned, ["score gives shape (9,) for 4 targets and 9 candidates"]),
    (Nameful, ["score gives an array of <U32"]),
    (Complex, ["score gives an array of complex128"]),
    (Jagged, ["score gives a list"]),
    (Cosine, ["score gives NaN"]),
    (Inverse, ["score gives infinite numbers"]),
    (Probable, ["depends on which other candidates"]),
    (Rival, ["depends on which other targets"]),
    (Dithering, ["score gives other scores when it is called again"]),
    (Counting, ["score remembers earlier calls"]),
    (Recalling, ["score remembers earlier calls"]),
    (Dependent, ["score by a copy that has represented nothing yet raises "]),
    (Eating, ["score changes the representations that it is given"]),
    (OtherRule, ["score_pairs and score disagree"]),
    (PairsTogether, ["score_pairs depends on the other pairs"]),
    (PairsTable, ["score_pairs gives shape"]),
    (Smuggling, ["Scores change when a representation has travelled"]),
    (Crashing, ["ValueError: not today for 4 targets and 9 candidates (on a star"]),
]


# What a strategy can say of itself, and do while it gets ready.


class Nameless(Right):
    name = ""


class Undecided(Right):
    selection = "best"


class Unsure(Right):
    needs_attributes = "no"


class Unwritable(Right):
    parameters = {"weight": np.float32(1.5)}  # noqa: RUF012


class Mute:
    represent = Right.represent


class Silent(Strategy):
    def represent(self, egos):
        return Right().represent(egos)


class Shifted(Right):
    """Fits the mean of the profiles, as it should."""

    def __init__(self, mean=None):
        self.mean = mean

    @property
    def fitted(self):
        return self.mean is not None

    def fit(self, egos):
        return Shifted(dense(egos.profiles)[egos.centres].mean(axis=0))

    def score(self, candidates, targets):
        return (targets.arrays["own"] - self.mean) @ candidates.arrays["mean"].T


class Unsaid(Right):
    def fit(self, egos):
        return self


class FitsItself(Shifted):
    def fit(self, egos):
        self.mean = dense(egos.profiles)[egos.centres].mean(axis=0)
        return self


class NeverFits(Shifted):
    def fit(self, egos):
        return NeverFits()


class Warm(Right):
    """Tempered as it should be."""

    def __init__(self, temperature=None):
        self.temperature = temperature

    def with_temperature(self, temperature):
        return type(self)(temperature)

    def score(self, candidates, targets):
        return super().score(candidates, targets) / self.temperature


class WarmsItself(Warm):
    def with_temperature(self, temperature):
        self.temperature = temperature
        return self


class StaysCold(Warm):
    def with_temperature(self, temperature):
        return self


class Crooked(Warm):
    def score(self, candidates, targets):
        return super().score(candidates, targets) + 1.0


class Haughty(Right):
    def represent(self, egos):
        raise StrategyError("Haughty knows graphs with 99 attributes alone")


class NoAttributes(Right):
    """It says that it needs none, and stumbles without."""

    needs_attributes = False

    def represent(self, egos):
        return with_row(egos, best=dense(egos.profiles)[egos.centres].max(axis=1))


DECLARED = [
    (Nameless, ["Its name is ''"]),
    (Undecided, ["Its selection is 'best': it must be 'softmax' or 'argmax'"]),
    (Unsure, ["needs_attributes is 'no'"]),
    (Unwritable, ["which a report cannot write"]),
    (Mute, ["it has no score"]),
    (Silent, ["it cannot score: write score or score_pairs"]),
    (Unsaid, ["It has fit, but no property fitted"]),
    (FitsItself, ["fit changes the strategy that it is called on"]),
    (NeverFits, ["fit does not give a strategy back whose fitted is True"]),
    (WarmsItself, ["with_temperature changes the strategy that it is called on"]),
    (StaysCold, ["with_temperature(0.7) does not give a strategy at that temperature"]),
    (Crooked, ["not inversely proportional to the temperature"]),
    (Haughty, ["refuses every graph that it was tried on (Haughty knows graphs with 99"]),
    (NoAttributes, ["(on a tree without attributes: 11 nodes, 0 dense attributes)"]),
]


@pytest.mark.parametrize(("kind", "sentences"), [*REPRESENT, *SCORE, *DECLARED])
def test_check__each_wrongness_gets_its_sentence_and_no_other(kind, sentences):
    found = strategy_problems(kind)
    assert len(found) == len(sentences), found
    for sentence, problem in zip(sentences, found, strict=True):
        assert sentence in problem
        assert "\n" not in problem
        assert problem.endswith((".", ")"))


@pytest.mark.parametrize("kind", [Right, Shifted, Warm])
def test_check__what_is_right_passes(kind):
    check_strategy(kind)
    check_strategy(kind())


@pytest.mark.parametrize("name", WALKERS)
def test_check__every_walker_passes(name):
    check_strategy(name)
    check_strategy(WALKERS[name](), num_attributes=5)


@pytest.mark.parametrize("model", ["garden", "trellis"])
def test_check__a_trained_policy_passes_at_its_own_width(model):
    task = garden.SearchTask.split(kaiser_hilgetag(n=30, beta=1, seed=0))
    options = TrainingOptions(model=model, updates=2)
    policy = garden.train(task, options=options, device="cpu", quiet=True)
    check_strategy(policy, num_attributes=task.graph.num_attributes)
    assert "single number of attributes" in strategy_problems(policy, num_attributes=77)[0]


def test_check__all_sentences_come_in_one_error():
    class Both(Sideways):
        selection = "worst"

    with pytest.raises(StrategyCheckError) as raised:
        check_strategy(Both())
    assert isinstance(raised.value, GardenError)
    assert len(raised.value.problems) == 2
    lines = str(raised.value).splitlines()
    assert lines[0] == "Both has 2 problems:"
    assert lines[1].startswith("1. Its selection is 'worst'")
    assert lines[2].startswith("2. score gives shape (9, 4)")


def test_check__one_that_cannot_be_copied_is_checked_all_the_same():
    class Locked(Right):
        def __init__(self):
            self.lock = threading.Lock()

    class LockedCaching(Caching, Locked):
        pass

    assert strategy_problems(Locked()) == ()
    assert strategy_problems(LockedCaching()) != ()


def test_check__knows_dotted_names(tmp_path, monkeypatch):
    (tmp_path / "checked_by_name.py").write_text("class Mine:\n    pass\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path])
    monkeypatch.delitem(sys.modules, "checked_by_name", raising=False)
    with pytest.raises(
        StrategyCheckError, match=r"checked_by_name:Mine has a problem:\n1\. .* no r"
    ):
        check_strategy("checked_by_name:Mine")


def test_check__a_strategy_for_one_width_is_checked_at_it():
    assert strategy_problems(Fixed(), num_attributes=7) == ()


def test_check__sparse_rows_and_ragged_rows_are_fine():
    class Stored(Right):
        def represent(self, egos):
            keys = key_representations(egos)
            return Representations({"own": egos.centre_profiles}, keys.ragged)

        def score(self, candidates, targets):
            shared = targets.arrays["own"] @ candidates.arrays["own"].T
            return dense(shared) + np.diff(candidates.ragged["neighbours"].offsets)

    assert strategy_problems(Stored()) == ()


def test_check__what_passes_plays():
    report = garden.evaluate("kaiser-hilgetag:n=40,beta=1,seed=1", [Right(), Shifted(), Warm()])
    assert [result.name for result in report.results] == ["Right", "Shifted", "Warm"]


def test_check__garden_testing_is_there_without_an_import_of_its_own():
    assert garden.testing.check_strategy is check_strategy
