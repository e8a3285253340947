from garden.experiments.ours import trellis_ablation
from garden.experiments.run.config import Scope


def fake_outcome(work, ratio_of):
    return {
        "targets": [0, 1],
        "contenders": {
            one.label: {
                "pairs": [3, 3],
                **dict.fromkeys(("ratio", "truncated", "wins", "hops"), [ratio_of(one.label)] * 2),
            }
            for one in work.contenders
        },
    }


def test_trellis__every_variant_is_a_training_of_its_own():
    keys = {
        name: trellis_ablation.comparison("facebook:414", 20, [name], quick=False)
        .contenders[0]
        .strategy.key
        for name in trellis_ablation.variants()
    }
    assert len(set(keys.values())) == len(keys)


def test_trellis__claims_follow_the_results(tmp_path):
    def result_of(work):
        return fake_outcome(work, lambda label: 5.0 if label == "matching only" else 1.25)

    scope = Scope(graphs=("0",))
    section = trellis_ablation.report(scope, result_of, tmp_path)
    table = {row[0]: row[1] for row in section.tables[0].rows}
    assert table["matching only"] == "5.000 (5.000)"
    assert table["trellis, attributes as published"] == "1.250 (1.250)"
    verdicts = {claim.text: claim.verdict for claim in section.claims}
    assert verdicts.pop("matching only: more hops than trellis") == "holds"
    assert set(verdicts.values()) == {"undecided"}
    seeds = {work.seed for work in trellis_ablation.works(scope)}
    assert seeds == {20, 21, 22}


def test_scope__quick_plays_two_seeds_of_the_unopened_ones():
    assert {work.seed for work in trellis_ablation.works(Scope(quick=True))} == {20, 21}
