import pytest

from garden.experiments.paper import density
from garden.experiments.paper.published import AGENTS
from garden.experiments.report.sections import read_section
from garden.experiments.run import synthetic_graphs as synthetic
from garden.experiments.run.config import Execution, Scope
from garden.experiments.run.reproduce import reproduce
from garden.experiments.run.synthetic_graphs import BETAS
from garden.training.config import TrainingOptions
from small_work import outcome

LABELS = [one.label for one in density.comparison(0.1, 0, False).contenders]


def beta_of(work):
    return float(work.graph.split("beta=")[1].split(",")[0])


def section_of(folder, ratios_at, truncated_at=lambda beta: {}, wins_at=lambda beta: {}):
    """The report on results that depend on β alone, but for a little noise."""

    def result_of(work):
        beta, noise = beta_of(work), 0.01 * work.seed
        ratios = {**dict.fromkeys(LABELS, 9.0), **ratios_at(beta)}
        truncated = {**dict.fromkeys(LABELS, 0.5), **truncated_at(beta)}
        contenders = {
            label: outcome(
                [ratios[label] + noise, ratios[label] + 1], [3, 3], [truncated[label]] * 2
            )
            for label in LABELS
        }
        group = {**dict.fromkeys(AGENTS, 0.2), **wins_at(beta)}
        return {"targets": [1, 2], "contenders": contenders, "win_groups": {"paper": group}}

    return density.report(Scope(), result_of, folder)


def cases(*betas):
    return tuple(f"β = {beta:g}" for beta in betas)


def claims_of(section):
    return {claim.text: claim for claim in section.claims}


def test_works__one_training_for_each_density_and_graph():
    works = density.works(Scope())
    trainings = {training for work in works for training in work.trainings()}
    methods = [(one.options.model, one.options.resolved().method) for one in trainings]
    assert len(works) == len({work.graph for work in works}) == 90
    assert methods == [("garden", "a2c")] * 90
    assert LABELS == [
        "greedy",
        "distance",
        "connection",
        "random",
        "bidirectional",
        "bidirectional+visited",
        "garden",
    ]
    quick = density.works(Scope(quick=True))
    assert [beta_of(work) for work in quick] == [0.05, 0.05, 0.3, 0.3, 1.0, 1.0]


def test_claims__garden_is_compared_with_the_best_baseline_of_each_density(tmp_path):
    section = section_of(
        tmp_path,
        lambda beta: {
            "distance": 8.0 if beta < 0.5 else 3.0,
            "garden": 7.0 if beta < 0.1 else 8.0 if beta < 0.5 else 4.0,
            "bidirectional+visited": 2.0,
        },
        wins_at=lambda beta: {"greedy": 0.3} if beta == 1.0 else {},
    )
    claims = claims_of(section)
    ratio = claims["garden: fewer hops than the best of the paper's baselines"]
    assert ratio.holds_on == cases(0.01, 0.05)
    assert ratio.undecided_on == cases(0.1, 0.2, 0.3, 0.4)
    assert ratio.fails_on == cases(0.5, 0.75, 1.0)
    wins = claims["garden: more wins among the paper's five than the baseline that wins most"]
    assert (wins.holds_on, wins.fails_on, len(wins.undecided_on)) == ((), cases(1.0), 8)
    assert claims["bidirectional+visited: fewer hops than garden"].holds_on == cases(*BETAS)


def test_claims__each_density_decides_for_itself_whether_distance_is_truncated_less(tmp_path):
    def truncated(beta):
        return {"distance": 0.1 if beta >= 0.4 or beta == 0.05 else 0.6, "garden": 0.3}

    claims = claims_of(section_of(tmp_path, lambda beta: {}, truncated))
    claim = claims["distance: fewer truncated walks than garden"]
    assert claim.holds_on == cases(0.05, 0.4, 0.5, 0.75, 1.0)
    assert claim.fails_on == cases(0.01, 0.1, 0.2, 0.3)


def test_report__tables_and_the_figure_are_whole(tmp_path):
    section = section_of(tmp_path, lambda beta: {"garden": 4.0})
    ratio, truncated, wins, differences = section.tables
    assert ratio.columns == ("strategy", *(f"β = {beta:g}" for beta in synthetic.BETAS))
    assert [row[0] for row in ratio.rows] == [row[0] for row in truncated.rows] == LABELS
    assert truncated.rows[0][1] == "50.0 (50.0 – 50.0)"
    assert [row[0] for row in wins.rows] == [f"{agent}, among the five" for agent in AGENTS]
    assert wins.rows[0][1] == "20.0 (20.0 – 20.0)"
    assert ("garden − distance", "-5.00 (-5.00 – -5.00)") in [row[:2] for row in differences.rows]
    assert "garden by a2c" in ratio.footing
    assert "wins among the paper's five" in (tmp_path / "density.svg").read_text()


def test_reproduce__density_from_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(synthetic, "NUM_NODES", 30)
    monkeypatch.setattr(synthetic, "QUICK_BETAS", (1.0,))
    tiny = {
        "garden": TrainingOptions(model="garden", method="a2c", updates=2),
    }
    monkeypatch.setattr(density, "QUICK", tiny)
    reproduce(["density"], tmp_path, Scope(quick=True), Execution(device="cpu"))
    section = read_section(tmp_path / "density")
    assert section is not None
    assert section.notes[0].startswith("A quick run")
    wins = [float(row[1].split()[0]) for row in section.findings.tables[2].rows]
    assert sum(wins) == pytest.approx(100, abs=0.5)
    assert "2 seeds, 6 targets" in section.findings.tables[0].footing
