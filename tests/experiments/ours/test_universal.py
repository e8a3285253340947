from types import SimpleNamespace

import pytest

from garden.experiments.ours import universal, universal_holdout
from garden.experiments.ours.universal import CHOSEN, TESTED, UniversalHoldout
from garden.experiments.ours.universal_holdout import HoldoutTraining, validation_of_memories
from garden.experiments.report.intervals import pooled
from garden.experiments.run.config import Scope
from garden.experiments.run.policy_cache import PolicyCache
from garden.search.config import EvaluationConfig
from garden.strategies.registry import RULES
from garden.training.universal.config import UniversalConfig
from small_work import GRAPH, outcome

RULE = "bidirectional+visited"


@pytest.fixture
def few_graphs(monkeypatch):
    """A curriculum of a few generated graphs."""
    monkeypatch.setattr(universal_holdout, "CHOOSING_PAIRS", 30)
    monkeypatch.setattr("garden.training.universal.curriculum.GENERATED", 3)
    monkeypatch.setattr("garden.training.universal.curriculum.VALIDATED", 2)
    universal_holdout.training_graphs_of.cache_clear()
    yield
    universal_holdout.training_graphs_of.cache_clear()


def briefly(without="facebook:0", seed=0):
    return HoldoutTraining(without, UniversalConfig(updates=4, hidden=8, seed=seed), ("generated",))


def test_holdout__trains_once_then_finds_the_policy_and_plays_the_same_pairs(
    tmp_path, few_graphs, monkeypatch
):
    work = UniversalHoldout(GRAPH, 0, briefly(), EvaluationConfig(split="all"), num_pairs=60)
    first = work.perform(PolicyCache(tmp_path))
    monkeypatch.setattr(HoldoutTraining, "trained", lambda self: pytest.fail("trained again"))
    assert work.perform(PolicyCache(tmp_path)) == first

    labels = [RULE, "universal", *(f"universal+{memory}" for memory in RULES)]
    assert list(first["contenders"]) == labels
    assert all(sum(one["pairs"]) == 60 for one in first["contenders"].values())
    assert first["contenders"]["universal"]["evaluation"] == "exact"
    assert first["trained"]["kinds"] == ["generated"]
    assert set(first["validation"]) == set(RULES)
    assert pooled([first]).num_targets == len(first["targets"])


def test_validation__only_validating_graphs_count(few_graphs):
    graphs = briefly().training_graphs()
    policy = briefly().trained()
    validating = [graph for graph in graphs if graph.validates]
    assert 0 < len(validating) < len(graphs)
    whole = validation_of_memories(policy, graphs)
    assert whole == validation_of_memories(policy, validating)
    assert whole != validation_of_memories(policy, validating[:1])


def test_training__what_is_held_out_is_neither_trained_nor_validated_on(monkeypatch):
    kinds = ("facebook:0", "twitch", "twitch", "generated")
    graphs = tuple(SimpleNamespace(kind=kind) for kind in kinds)
    monkeypatch.setattr(universal_holdout, "training_graphs_of", lambda _: graphs)
    left = HoldoutTraining("twitch", UniversalConfig()).training_graphs()
    assert [graph.kind for graph in left] == ["facebook:0", "generated"]


def test_training__its_address_holds_kinds_options_and_seed():
    keys = {
        one.key
        for one in (
            briefly(),
            briefly("twitch"),
            briefly(seed=1),
            HoldoutTraining("facebook:0", briefly().config),
            HoldoutTraining("facebook:0", UniversalConfig(), ("generated",)),
        )
    }
    assert len(keys) == 5
    assert briefly().key == briefly().key


def test_works__every_graph_is_tested_by_a_policy_without_its_kind():
    units = universal.works(Scope())
    assert [unit.graph for unit in units] == [tested.spec for tested in TESTED.values()]
    left_out = {unit.graph: unit.holdout.without for unit in units}
    assert left_out["facebook:3437"] == "facebook:3437"
    assert left_out["twitch:PTBR"] == left_out["twitch:RU"] == "twitch"
    assert {unit.evaluation.split for unit in units} == {"all"}
    drawn = {u.graph: u.num_pairs for u in units if not u.evaluation.all_pairs}
    assert drawn == {"twitch:PTBR": 20_000, "twitch:RU": 20_000, "musae-facebook": 2_000}
    assert {unit.seed for unit in universal.works(Scope(seeds=(3, 4)))} == {3, 4}


def test_works__a_seed_is_of_the_pairs_and_of_the_training():
    (unit,) = universal.works(Scope(seeds=(5,), graphs=("414",)))
    assert unit.seed == unit.holdout.config.seed == 5


def test_report__validation_graphs_choose_the_memory_and_claims_follow_the_intervals(tmp_path):
    ratios = {
        "facebook:414": {RULE: 1.5, "universal+visited": 1.25},
        "facebook:686": {RULE: 1.5, "universal+visited": 1.75},
        "facebook:348": {RULE: 1.5, "universal+visited": 1.5, "universal+frontier": 1.125},
    }

    def result_of(work):
        labels = [RULE, "universal", *(f"universal+{memory}" for memory in RULES)]
        of = ratios[work.graph]
        return {
            "targets": [0, 1],
            "contenders": {one: outcome([of.get(one, 2.0)] * 2, [3, 3]) for one in labels},
            "validation": {"visited": 0.5, "backtrack": 0.25, "frontier": 0.125}
            if work.graph == "facebook:348"
            else {"visited": 0.5, "backtrack": 0.25, "frontier": 0.375},
        }

    section = universal.report(Scope(graphs=("414", "686", "348")), result_of, tmp_path)
    rows = {row[0]: [cell.split(" ")[0] for cell in row[1:]] for row in section.tables[0].rows}
    assert rows[CHOSEN] == ["2.00", "2.00", "1.12"]
    assert rows[RULE] == ["1.50", "1.50", "1.50"]
    assert rows["… which"] == ["backtrack", "backtrack", "frontier"]
    (claim,) = section.claims
    assert claim.text == f"universal+visited: fewer hops than {RULE}"
    assert (claim.holds_on, claim.fails_on) == (("G1 (414)",), ("G2 (686)",))
    assert claim.undecided_on == ("G3 (348)",)
    (difference,) = section.tables[1].rows
    assert difference[1] == "-0.250 (-0.250 – -0.250)"
