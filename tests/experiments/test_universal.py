import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from small import GRAPH, outcome

from garden.experiments.ours import universal
from garden.experiments.ours import universal_holdout as schooling
from garden.experiments.ours.universal import CHOSEN, TESTED, Unseen
from garden.experiments.ours.universal_holdout import Schooling, validation_of_memories
from garden.experiments.report.intervals import pooled
from garden.experiments.run.config import Scope
from garden.experiments.run.policy_cache import Workbench
from garden.search.config import EvaluationConfig
from garden.strategies.memory import RULES
from garden.training.universal.config import UniversalConfig

RULE = "bidirectional+visited"


@pytest.fixture
def few_lessons(monkeypatch):
    """A curriculum of a few generated graphs."""
    monkeypatch.setattr(schooling, "CHOOSING_PAIRS", 30)
    monkeypatch.setattr("garden.training.universal.curriculum.GENERATED", 3)
    monkeypatch.setattr("garden.training.universal.curriculum.VALIDATED", 2)
    schooling.lessons_on.cache_clear()
    yield
    schooling.lessons_on.cache_clear()


def briefly(without="facebook:0", seed=0):
    return Schooling(without, UniversalConfig(updates=4, hidden=8, seed=seed), ("generated",))


def test_unseen__trains_once_then_finds_the_policy_and_plays_the_same_pairs(
    tmp_path, few_lessons, monkeypatch
):
    work = Unseen(GRAPH, 0, briefly(), EvaluationConfig(split="all"), num_pairs=60)
    first = work.perform(Workbench(tmp_path))
    monkeypatch.setattr(Schooling, "trained", lambda self: pytest.fail("trained again"))
    assert work.perform(Workbench(tmp_path)) == first

    labels = [RULE, "universal", *(f"universal+{memory}" for memory in RULES)]
    assert list(first["entrants"]) == labels
    assert all(sum(one["pairs"]) == 60 for one in first["entrants"].values())
    assert first["entrants"]["universal"]["evaluation"] == "exact"
    assert first["trained"]["kinds"] == ["generated"]
    assert set(first["validation"]) == set(RULES)
    assert pooled([first]).num_targets == len(first["targets"])


def test_validation__only_validating_graphs_count(few_lessons):
    lessons = briefly().lessons()
    policy = briefly().trained()
    validating = [lesson for lesson in lessons if lesson.validates]
    assert 0 < len(validating) < len(lessons)
    whole = validation_of_memories(policy, lessons)
    assert whole == validation_of_memories(policy, validating)
    assert whole != validation_of_memories(policy, validating[:1])


def test_schooling__what_is_left_out_is_neither_taught_nor_validated_on(monkeypatch):
    kinds = ("facebook:0", "twitch", "twitch", "generated")
    lessons = tuple(SimpleNamespace(kind=kind) for kind in kinds)
    monkeypatch.setattr(schooling, "lessons_on", lambda _: lessons)
    left = Schooling("twitch", UniversalConfig()).lessons()
    assert [lesson.kind for lesson in left] == ["facebook:0", "generated"]


def test_schooling__its_address_tells_kinds_options_and_seed():
    keys = {
        one.key
        for one in (
            briefly(),
            briefly("twitch"),
            briefly(seed=1),
            Schooling("facebook:0", briefly().config),
            Schooling("facebook:0", UniversalConfig(), ("generated",)),
        )
    }
    assert len(keys) == 5
    assert briefly().key == briefly().key


def test_works__every_graph_is_tested_by_a_policy_without_its_kind():
    units = universal.works(Scope())
    assert [unit.graph for unit in units] == [tested.spec for tested in TESTED.values()]
    left_out = {unit.graph: unit.schooling.without for unit in units}
    assert left_out["facebook:3437"] == "facebook:3437"
    assert left_out["twitch:PTBR"] == left_out["twitch:RU"] == "twitch"
    assert {unit.evaluation.split for unit in units} == {"all"}
    drawn = {u.graph: u.num_pairs for u in units if not u.evaluation.all_pairs}
    assert drawn == {"twitch:PTBR": 20_000, "twitch:RU": 20_000, "musae-facebook": 2_000}
    assert {unit.seed for unit in universal.works(Scope(seeds=(3, 4)))} == {3, 4}


def test_works__a_seed_is_of_the_pairs_and_of_the_training():
    (unit,) = universal.works(Scope(seeds=(5,), graphs=("414",)))
    assert unit.seed == unit.schooling.config.seed == 5


def test_report__validation_graphs_choose_the_memory_and_findings_follow_the_intervals(tmp_path):
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
            "entrants": {one: outcome([of.get(one, 2.0)] * 2, [3, 3]) for one in labels},
            "validation": {"visited": 0.5, "backtrack": 0.25, "frontier": 0.125}
            if work.graph == "facebook:348"
            else {"visited": 0.5, "backtrack": 0.25, "frontier": 0.375},
        }

    section = universal.report(Scope(graphs=("414", "686", "348")), result_of, tmp_path)
    rows = {row[0]: [cell.split(" ")[0] for cell in row[1:]] for row in section.tables[0].rows}
    assert rows[CHOSEN] == ["2.00", "2.00", "1.12"]
    assert rows[RULE] == ["1.50", "1.50", "1.50"]
    fewer, more, alike, chosen = section.findings
    assert fewer.startswith("On G1 (414), universal+visited needs fewer")
    assert more.startswith("On G2 (686), universal+visited needs more")
    assert alike == "On G3 (348), universal+visited cannot be told from bidirectional+visited."
    assert chosen.endswith("backtrack for G1 (414) and G2 (686); frontier for G3 (348).")
    (difference,) = section.tables[1].rows
    assert difference[1] == "-0.250 (-0.250 – -0.250)"
