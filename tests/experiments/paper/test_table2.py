import pytest

from garden.errors import SpecError
from garden.experiments.paper import table2
from garden.experiments.report.sections import read_section
from garden.experiments.run import synthetic_graphs as synthetic
from garden.experiments.run.config import Execution, Scope
from garden.experiments.run.reproduce import reproduce
from garden.training.config import TrainingOptions
from small_work import num_cases, outcome

LABELS = [one.label for one in table2.comparison(0, False).contenders]


def section_of(folder, ratios, truncated, wins, scope=None):
    def result_of(work):
        noise = 0.01 * work.seed
        contenders = {
            label: outcome(
                [ratios.get(label, 5.0) + noise] * 2, [3, 3], [truncated.get(label, 0.01)] * 2
            )
            for label in LABELS
        }
        return {"targets": [1, 2], "contenders": contenders, "win_groups": {"paper": wins}}

    return table2.report(scope or Scope(), result_of, folder)


def test_works__five_graphs_of_beta_five_each_with_its_own_trainings():
    works = table2.works(Scope())
    assert [work.graph for work in works] == [
        f"kaiser-hilgetag:n=200,alpha=30,beta=5,seed={seed}" for seed in range(5)
    ]
    assert LABELS == ["garden", "mlpa2cwd", "mlpa2c", "trellis", "distance"]
    methods = [one.options.resolved().method for one in works[0].trainings()]
    assert methods == ["a2c", "a2c", "a2c", "guided"]
    options = [one.options.resolved() for one in works[0].trainings()[:3]]
    episodes = [one.updates * one.targets_per_update * one.walks_per_target for one in options]
    assert episodes == [200_000] * 3


def test_works__graphs_cannot_be_chosen():
    with pytest.raises(SpecError, match=r"^ablation: its graphs are one for each seed.*`graphs`$"):
        table2.works(Scope(graphs=("5",)))


def test_claims__where_the_paper_is_borne_out(tmp_path):
    section = section_of(
        tmp_path,
        {"garden": 1.9, "mlpa2cwd": 2.2, "mlpa2c": 2.3},
        {"mlpa2cwd": 0.03, "mlpa2c": 0.04},
        {"garden": 0.33, "mlpa2cwd": 0.31, "mlpa2c": 0.36},
    )
    claims = {claim.text: claim.verdict for claim in section.claims}
    assert claims["garden: fewer hops than mlpa2cwd"] == "holds"
    assert claims["garden: fewer hops than mlpa2c"] == "holds"
    assert claims["garden: fewer truncated walks than mlpa2c"] == "holds"
    assert claims["mlpa2c: more wins among the three than garden"] == "holds"
    assert all(num_cases(claim) == 1 for claim in section.claims)


def test_claims__where_it_is_not(tmp_path):
    section = section_of(
        tmp_path,
        {"garden": 2.4, "mlpa2cwd": 2.4, "mlpa2c": 2.0},
        {"garden": 0.01},
        {"garden": 0.4, "mlpa2cwd": 0.2, "mlpa2c": 0.4},
    )
    claims = {claim.text: claim.verdict for claim in section.claims}
    assert claims["garden: fewer hops than mlpa2cwd"] == "undecided"
    assert claims["garden: fewer hops than mlpa2c"] == "fails"
    assert claims["garden: fewer truncated walks than mlpa2c"] == "undecided"
    assert claims["mlpa2c: more wins among the three than garden"] == "undecided"


def test_report__the_table_sets_ours_beside_the_papers_and_says_how_it_was_trained(tmp_path):
    wins = {"garden": 0.4, "mlpa2cwd": 0.2, "mlpa2c": 0.4}
    table, differences = section_of(tmp_path, {"garden": 1.5}, {}, wins).tables
    assert table.rows[0] == ("paper: garden", "1.95 ± 0.09", "1.68", "34.44")
    assert table.rows[3][:4] == (
        "garden",
        table.rows[3][1],
        "1.00 (1.00 – 1.00)",
        "40.00 (40.00 – 40.00)",
    )
    assert table.rows[3][1].startswith("1.52 (")
    assert table.rows[6][3] == "–"
    assert "garden by a2c with updates 8000, learning rate 0.0002" in table.footing
    assert "walks per target 1; mlpa2cwd by a2c with its defaults" in table.footing
    assert "mlpa2c by a2c with its defaults" in table.footing
    assert [row[0] for row in differences.rows][:2] == ["garden − mlpa2cwd", "mlpa2cwd − mlpa2c"]


def test_reproduce__ablation_from_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(synthetic, "NUM_NODES", 30)
    tiny = {
        name: TrainingOptions(model=name, method=options.method, updates=2)
        for name, options in table2.QUICK.items()
    }
    monkeypatch.setattr(table2, "QUICK", tiny)
    reproduce(["ablation"], tmp_path, Scope(quick=True), Execution(device="cpu"))
    section = read_section(tmp_path / "ablation")
    assert section is not None
    ours = section.findings.tables[0].rows[3:]
    assert [row[0] for row in ours] == LABELS
    assert sum(float(row[3].split()[0]) for row in ours[:3]) == pytest.approx(100, abs=0.05)
