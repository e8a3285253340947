from garden.datasets.random_attributed import attributed
from garden.experiments.ours import adaptation as adapt
from garden.experiments.run.config import Scope
from garden.experiments.run.policy_cache import Workbench
from garden.training.universal.curriculum import GENERATED, VALIDATED


def test_adapt__no_graph_is_of_the_curriculum():
    seeds = [int(spec.split("=")[1]) for spec in adapt.GRAPHS.values() if "attributed" in spec]
    assert min(seeds) >= GENERATED + VALIDATED
    assert adapt.graph_named("attributed:seed=2001").content_hash == attributed(2001).content_hash


def test_adapt__both_kinds_are_played_with_and_without_a_memory(tmp_path):
    scope = Scope(quick=True, graphs=("generated-2001",), seeds=(20,))
    (work,) = adapt.works(scope)
    result = work.perform(Workbench(tmp_path))
    assert len(result["entrants"]) == 2 * (1 + 2 * len(adapt.QUICK_MESSAGES))
    local = result["entrants"]["local, 50 messages +backtrack"]
    assert local["evaluation"] == "sampled"
    section = adapt.report(scope, lambda _: result, tmp_path)
    assert section.command == "garden reproduce adapt --quick --seeds 20 --graphs generated-2001"
    assert len(section.tables[0].rows) == len(result["entrants"])


def test_adapt__findings_follow_the_results(tmp_path):
    ratios = {"local, 1,000 messages": 1.0, "central, 100 messages +backtrack": 4.0}

    def result_of(work):
        labels = [
            adapt._with(label, memory)
            for memory in adapt.PLAYED_WITH
            for label in [
                adapt.BASE,
                *(adapt._label(kind, count) for kind in adapt.KINDS for count in work.messages),
            ]
        ]
        zeros = dict.fromkeys(("truncated", "wins", "hops"), [0.0] * 2)
        return {
            "targets": [0, 1],
            "entrants": {
                label: {"pairs": [3, 3], "ratio": [ratios.get(label, 2.0)] * 2, **zeros}
                for label in labels
            },
        }

    findings = adapt.report(Scope(graphs=("sparse",)), result_of, tmp_path).findings
    by_kind = {finding.partition(":")[0]: finding for finding in findings}
    local, central = by_kind["Local, 1,000 messages"], by_kind["Central, 100 messages"]
    assert "-50 % (fewer hops for sure on 1, more on 0)" in local
    assert "with backtrack by +100 % (fewer hops for sure on 0, more on 1)" in central
