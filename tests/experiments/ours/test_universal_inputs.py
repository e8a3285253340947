import math

import numpy as np
import pytest

from garden.datasets.random_attributed import attributed
from garden.experiments.ours.universal_inputs import experiment as universal_inputs
from garden.experiments.ours.universal_inputs.experiment import (
    GROUPS,
    InputsTrial,
    family_of,
    inputs_of,
    ratios_on,
)
from garden.experiments.ours.universal_inputs.tables import MEMORY, rises
from garden.experiments.run.config import Scope
from garden.strategies.universal.features import PAIR_FEATURES
from garden.training.universal.training_set import Source


def test_groups__every_input_is_in_one_of_them():
    names = [name for group in GROUPS for name in inputs_of(group)]
    assert sorted(names) == sorted(PAIR_FEATURES)
    assert len(inputs_of("shapes")) == 11
    assert inputs_of("raw distance") == ("direct", "direct_log")


def result(ratios):
    """A training's result: two graphs of circles and one of another family, two targets each."""
    families = ("circles", "circles", "web")
    return {
        "graphs": [
            {"family": family, "none": [ratio] * 2, MEMORY: [ratio] * 2}
            for family, ratio in zip(families, ratios, strict=True)
        ]
    }


def test_rises__are_those_of_geometric_means_with_all_families_alike():
    whole = [result([2.0, 2.0, 1.0])]
    without = [result([2.0, 8.0, 4.0])]
    circles, web, everything = rises(without, whole, "none", ("circles", "web"), 50)
    assert circles.mean == pytest.approx(1.0)
    assert web.mean == pytest.approx(3.0)
    assert everything.mean == pytest.approx(math.sqrt(2 * 4) - 1)
    assert circles.low == pytest.approx(0)  # both draws are the graph that loses nothing
    assert web.low == web.high == pytest.approx(3.0)


def test_report__holds_each_group_against_all_inputs_and_shows_the_spread_of_seeds(tmp_path):
    def result_of(work):
        ratio = 1.5 if work.without == "shares" else 1.0 + 0.1 * (work.config.seed == 3)
        return result([ratio] * 3)

    memoryless, with_memory = universal_inputs.report(Scope(), result_of, tmp_path).tables
    rows = {row[0]: row[1:] for row in memoryless.rows}
    assert rows["all inputs"] == ("1.02", "1.02", "1.02")
    assert rows["… deviation over trainings"][-1] == "4.9 %"
    assert rows["without shares"][-1].startswith("46.5 (")
    assert with_memory.name.endswith(MEMORY)


def test_claim__those_that_are_missed_are_told_from_those_that_are_not(tmp_path):
    def result_of(work):
        return result([1.5 if work.without == "shapes" else 1.0] * 3)

    (claim,) = universal_inputs.report(Scope(), result_of, tmp_path).claims
    assert claim.holds_on == ("shapes",)
    assert "shares + nothing to go by + real-valued" in claim.undecided_on


def test_families__are_circles_real_families_and_kinds_of_generated_graphs():
    specs = ("collection:circles/12", "collection:web/texas", "generated:plain,seed=3")
    families = [family_of(Source(spec, "")) for spec in specs]
    assert families == ["circles", "web", "plain"]


def test_ratios__of_an_untrained_network_are_at_least_one_for_every_target():
    from garden.models.universal_network import UniversalNetwork
    from garden.strategies.universal.policy import Universal
    from garden.training.universal.train import graph_batch

    batch = graph_batch(attributed(1), np.array([1, 5, 9]), "attributed", True)
    network = UniversalNetwork(8, 1.5)
    found = ratios_on(Universal(network.weights(), network.bound, 1.0), batch)
    assert len(found["none"]) == len(found[MEMORY]) == 3
    assert min(found["none"]) >= 1
    assert min(found[MEMORY]) >= 1


def test_trials__an_address_tells_what_is_left_out(monkeypatch):
    monkeypatch.setattr(universal_inputs, "few_sources", list)
    assert len({InputsTrial(group).key for group in ("", *GROUPS)}) == 9
