import pytest

from garden.plots.figures import draw_learning_curves, new_axes, save_figure

FALLING = [{"update": step, "validation_ratio": 9.0 - step} for step in range(5)]
RISING = [{"update": step, "validation_ratio": 2.0 + step} for step in range(5)]


def test_learning_curves__a_line_per_run_and_a_dot_at_its_best():
    axes = draw_learning_curves({"a": FALLING, "b": RISING, "none yet": []}).axes[0]
    dots = [line.get_xydata().tolist() for line in axes.lines if line.get_marker() == "o"]
    assert dots == [[[4, 5.0]], [[0, 2.0]]]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["a", "b"]


def test_learning_curves__of_a_run_that_stopped_at_once_are_drawn_without_a_word(tmp_path, recwarn):
    figure = draw_learning_curves({"a": []}, tmp_path / "curve.png")
    assert figure.axes[0].get_legend() is None
    assert (tmp_path / "curve.png").exists()
    assert [str(warning.message) for warning in recwarn] == []


def test_learning_curves__runs_differ_in_colour_and_in_style():
    axes = draw_learning_curves({str(run): FALLING for run in range(4)}).axes[0]
    lines = [line for line in axes.lines if line.get_label() in "0123"]
    assert len({line.get_color() for line in lines}) == 4
    assert len({line.get_linestyle() for line in lines}) == 4


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_save_figure__the_same_figure_gives_the_same_bytes(tmp_path, monkeypatch, kind):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")  # a PDF holds its date
    for name in ("a", "b"):
        axes = new_axes(3, 2)
        axes.plot([0, 1], [1, 0])
        (tmp_path / name).mkdir()
        save_figure(axes.figure, tmp_path / name / f"line.{kind}")
    first, second = (tmp_path / name / f"line.{kind}" for name in ("a", "b"))
    assert first.read_bytes() == second.read_bytes()
