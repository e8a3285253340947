import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from small import outcome

from garden.experiments.paper import density
from garden.experiments.paper.density import first_of_run
from garden.experiments.paper.published import AGENTS
from garden.experiments.report.sections import read_section
from garden.experiments.run import synthetic_graphs as synthetic
from garden.experiments.run.config import Execution, Scope
from garden.experiments.run.reproduce import reproduce
from garden.training.config import TrainingOptions

LABELS = [one.label for one in density.comparison(0.1, 0, False).entrants]


def beta_of(work):
    return float(work.graph.split("beta=")[1].split(",")[0])


def section_of(folder, ratios_at, truncated_at=lambda beta: {}, wins_at=lambda beta: {}):
    """The report on results that depend on β alone, but for a little noise."""

    def result_of(work):
        beta, noise = beta_of(work), 0.01 * work.seed
        ratios = {**dict.fromkeys(LABELS, 9.0), **ratios_at(beta)}
        truncated = {**dict.fromkeys(LABELS, 0.5), **truncated_at(beta)}
        entrants = {
            label: outcome(
                [ratios[label] + noise, ratios[label] + 1], [3, 3], [truncated[label]] * 2
            )
            for label in LABELS
        }
        circle = {**dict.fromkeys(AGENTS, 0.2), **wins_at(beta)}
        return {"targets": [1, 2], "entrants": entrants, "circles": {"paper": circle}}

    return density.report(Scope(), result_of, folder)


def test_works__one_training_for_each_density_and_graph():
    works = density.works(Scope())
    trainings = {training for work in works for training in work.trainings()}
    methods = [(one.options.model, one.options.resolved().method) for one in trainings]
    assert len(works) == len({work.graph for work in works}) == 90
    assert methods.count(("garden", "a2c")) == methods.count(("trellis", "guided")) == 90
    assert LABELS == [
        "greedy",
        "distance",
        "connection",
        "random",
        "bidirectional",
        "bidirectional+visited",
        "garden",
        "trellis",
        "trellis+backtrack",
    ]
    quick = density.works(Scope(quick=True))
    assert [beta_of(work) for work in quick] == [0.05, 0.05, 0.3, 0.3, 1.0, 1.0]


def test_report__says_where_garden_stands_beside_the_best_baseline(tmp_path):
    section = section_of(
        tmp_path,
        lambda beta: {
            "distance": 8.0 if beta < 0.5 else 3.0,
            "garden": 7.0 if beta < 0.1 else 8.0 if beta < 0.5 else 4.0,
            "bidirectional+visited": 2.0,
            "trellis": 1.5,
        },
        wins_at=lambda beta: {"greedy": 0.3} if beta == 1.0 else {},
    )
    ratio, wins, _, rule, trellis = section.findings
    assert "at each β (distance), garden is better" in ratio
    assert "on its side, on 2 of 9 densities (β = 0.01, 0.05);" in ratio
    assert "not to be told apart on 4 of 9 densities (β = 0.1, 0.2, 0.3, 0.4)" in ratio
    assert "worse on 3 of 9 densities (β = 0.5, 0.75, 1)" in ratio
    assert "not to be told apart on 8 of 9" in wins
    assert "worse on 1 of 9 densities (β = 1)" in wins
    assert "fewer hops than garden on all 9 densities, and more on none" in rule
    assert trellis.startswith("trellis needs 2.02 (0.01), ")


def test_report__says_from_which_density_distance_is_truncated_less(tmp_path):
    def truncated(beta):
        return {"distance": 0.1 if beta >= 0.4 or beta == 0.05 else 0.6, "garden": 0.3}

    sentence = section_of(tmp_path, lambda beta: {}, truncated).findings[2]
    assert sentence.startswith("From β = 0.4 on distance is truncated less often than garden")
    assert "distance is so on 5 of 9 densities (β = 0.05, 0.4, 0.5, 0.75, 1)" in sentence
    assert "garden on 4 of 9 densities (β = 0.01, 0.1, 0.2, 0.3)" in sentence
    never = section_of(tmp_path, lambda beta: {}, lambda beta: {"garden": 0.2}).findings[2]
    assert never.startswith("At β = 1, the densest, distance is not truncated less often")


def test_report__tables_and_the_figure_are_whole(tmp_path):
    section = section_of(tmp_path, lambda beta: {"garden": 4.0})
    ratio, truncated, wins, differences = section.tables
    assert ratio.columns == ("strategy", *(f"β = {beta:g}" for beta in synthetic.BETAS))
    assert [row[0] for row in ratio.rows] == [row[0] for row in truncated.rows] == LABELS
    assert truncated.rows[0][1] == "50.0 (50.0 – 50.0)"
    assert [row[0] for row in wins.rows[:5]] == [f"{agent}, among the five" for agent in AGENTS]
    assert wins.rows[0][1] == "20.0 (20.0 – 20.0)"
    assert ("garden − distance", "-5.00 (-5.00 – -5.00)") in [row[:2] for row in differences.rows]
    assert "garden by a2c" in ratio.footing
    for suffix in ("png", "svg"):
        assert (tmp_path / f"density.{suffix}").stat().st_size > 5000


@pytest.mark.parametrize(
    ("holds", "first"),
    [
        ({0.1: True, 0.2: False, 0.3: True, 0.4: True}, 0.3),
        ({0.1: True, 0.2: True}, 0.1),
        ({0.1: True, 0.2: False}, None),
    ],
)
def test_first_of_run__a_run_ends_at_the_greatest_density(holds, first):
    assert first_of_run(holds) == first


def test_reproduce__density_from_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(synthetic, "NUM_NODES", 30)
    monkeypatch.setattr(synthetic, "QUICK_BETAS", (1.0,))
    tiny = {
        "garden": TrainingOptions(model="garden", method="a2c", updates=2),
        "trellis": TrainingOptions(model="trellis", method="guided", updates=2),
    }
    monkeypatch.setattr(density, "_QUICK", tiny)
    reproduce(["density"], tmp_path, Scope(quick=True), Execution(device="cpu"))
    section = read_section(tmp_path / "density")
    assert section is not None
    assert section.findings[0].startswith("This is a quick run")
    wins = [float(row[1].split()[0]) for row in section.tables[2].rows]
    assert sum(wins[:5]) == pytest.approx(100, abs=0.5)
    assert sum(wins[5:]) == pytest.approx(100, abs=0.5)
    assert "2 seeds, 6 targets" in section.tables[0].footing
