from garden.datasets.random_attributed import attributed
from garden.experiments.ours import adaptation
from garden.experiments.run.config import Scope
from garden.experiments.run.policy_cache import PolicyCache, graph_of
from garden.training.universal.curriculum import GENERATED, VALIDATED


def test_adaptation__no_graph_is_of_the_curriculum():
    seeds = [int(spec.split("=")[1]) for spec in adaptation.GRAPHS.values() if "attributed" in spec]
    assert min(seeds) >= GENERATED + VALIDATED
    assert graph_of("attributed:seed=2001").content_hash == attributed(2001).content_hash


def test_adaptation__both_kinds_are_played_with_and_without_a_memory(tmp_path):
    scope = Scope(quick=True, graphs=("generated-2001",), seeds=(20,))
    (work,) = adaptation.works(scope)
    result = work.perform(PolicyCache(tmp_path))
    assert len(result["contenders"]) == 2 * (1 + 2 * len(adaptation.QUICK_MESSAGES))
    local = result["contenders"]["local, 50 messages +backtrack"]
    assert local["evaluation"] == "sampled"
    section = adaptation.report(scope, lambda _: result, tmp_path)
    assert len(section.tables[0].rows) == len(result["contenders"])


def test_adaptation__claims_follow_the_results(tmp_path):
    ratios = {"local, 1,000 messages": 1.0, "central, 100 messages +backtrack": 4.0}

    def result_of(work):
        labels = [
            adaptation.with_memory(label, memory)
            for memory in adaptation.PLAYED_WITH
            for label in [
                adaptation.BASE,
                *(
                    adaptation.label_of(kind, count)
                    for kind in adaptation.KINDS
                    for count in work.messages
                ),
            ]
        ]
        zeros = dict.fromkeys(("truncated", "wins", "hops"), [0.0] * 2)
        return {
            "targets": [0, 1],
            "contenders": {
                label: {"pairs": [3, 3], "ratio": [ratios.get(label, 2.0)] * 2, **zeros}
                for label in labels
            },
        }

    section = adaptation.report(Scope(graphs=("sparse",)), result_of, tmp_path)
    verdicts = {claim.text: claim.verdict for claim in section.claims}
    assert verdicts["local, 1,000 messages: fewer hops than universal"] == "holds"
    with_memory = "central, 100 messages +backtrack: fewer hops than universal +backtrack"
    assert verdicts[with_memory] == "fails"
    assert verdicts["universal, not adapted: an oracle ratio below 1.05"] == "fails"
    assert list(verdicts.values()).count("undecided") == 10


def test_adaptation__its_contenders_are_those_of_the_one_builder():
    from garden.resolve import contender_of, strategy_named
    from garden.strategies.registry import BY_SCORE

    universal = strategy_named("universal")
    assert contender_of("it", universal, "frontier").memory is BY_SCORE
