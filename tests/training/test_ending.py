import json
from dataclasses import replace

import pytest

from garden.checkpoint_files import CONFIG_FILE
from garden.experiments.run.jobs import Training
from garden.training.callbacks import read_metrics
from garden.training.config import TrainingOptions
from garden.training.ending import NOTABLE, has_lost_patience, note_ratio, step_share
from garden.training.methods.config import METHODS
from garden.training.state import SeedProgress
from garden.training.trainer import Trainer

from .short_runs import SIZE, TASK, TRELLIS, StopAt, state_of, train_into

STALE = replace(TRELLIS, updates=1000, learning_rate=1e-9, patience=3, cooldown=10)


class StepSizes(StopAt):
    """Notes the step size of every update."""

    def __init__(self, trainer):
        self.trainer = trainer
        self.sizes = []

    def on_update(self, update, total):
        self.sizes.append(self.trainer.state.optimiser.param_groups[0]["lr"])


def test_cooldown__the_step_size_falls_to_nought_and_then_training_ends():
    trainer = Trainer([TASK], STALE.resolved(), SIZE)
    trainer.listeners = [heard := StepSizes(trainer)]
    outcome = trainer.run()
    assert outcome.stopped == "early"
    assert outcome.state.cooling_since == 6  # the first validation is the best, three more are not
    assert outcome.state.update == len(heard.sizes) == 16
    height = STALE.learning_rate * step_share(6, STALE.resolved())
    assert heard.sizes[6:] == pytest.approx([height * (10 - k) / 10 for k in range(10)])
    assert heard.sizes[:6] == [1e-9 * step_share(k, STALE.resolved()) for k in range(6)]


@pytest.mark.parametrize("stop", [5, 6, 7, 13])
def test_cooldown__a_run_stopped_about_it_continues_bit_for_bit(tmp_path, stop):
    train_into(tmp_path / "whole", STALE)
    train_into(tmp_path / "parts", STALE, listeners=[StopAt(stop)])
    run = train_into(tmp_path / "parts", STALE, resume=True)
    assert (run.summary["stopped"], run.summary["updates"]) == ("early", 16)
    assert state_of(tmp_path / "whole") == state_of(tmp_path / "parts")
    again = train_into(tmp_path / "parts", STALE, resume=True)
    assert (again.summary["stopped"], again.summary["updates"]) == ("early", 16)


def test_cooldown__does_not_begin_where_the_schedule_ends_sooner():
    config = replace(STALE, updates=15).resolved()
    outcome = Trainer([TASK], config, SIZE).run()
    assert (outcome.stopped, outcome.state.update) == ("finished", 15)


def test_cooldown__is_not_put_off_by_trifles():
    progress, config = SeedProgress(), STALE.resolved()
    state = Trainer([TASK], config, SIZE).state
    state.seeds = [progress]
    assert note_ratio(progress, 2.0, 0)
    for step in range(1, 4):
        assert note_ratio(progress, 2.0 - step * NOTABLE / 4, step)  # each of them is the best
    assert (progress.stale, progress.idle) == (0, 3)
    assert has_lost_patience(state, config)
    assert not has_lost_patience(state, replace(config, cooldown=0))
    assert note_ratio(progress, 2.0 - 2 * NOTABLE, 4)
    assert not has_lost_patience(state, config)


def test_resume__of_a_run_folder_from_before_cooldowns_keeps_its_full_schedule(tmp_path):
    open_ones = replace(TRELLIS, updates=30, learning_rate=1e-9)
    before = open_ones.at_full_length()
    train_into(tmp_path / "whole", before)
    train_into(tmp_path / "parts", before, listeners=[StopAt(5)])
    stored = json.loads((tmp_path / "parts" / CONFIG_FILE).read_text())["training"]["options"]
    assert "cooldown" not in stored
    assert stored["patience"] == 0
    run = train_into(tmp_path / "parts", open_ones, resume=True)
    assert (run.summary["stopped"], run.summary["updates"]) == ("finished", 30)
    assert state_of(tmp_path / "whole") == state_of(tmp_path / "parts")


def test_resume__options_left_open_are_those_of_the_run(tmp_path):
    train_into(tmp_path, STALE, listeners=[StopAt(4)])
    run = train_into(tmp_path, TrainingOptions(), resume=True)
    assert (run.summary["stopped"], run.summary["updates"]) == ("early", 16)
    assert len(read_metrics(tmp_path / "metrics.jsonl")) == 9


def test_default__training_ends_early_and_published_results_do_not():
    usual, published = TrainingOptions().resolved(), TrainingOptions().at_full_length().resolved()
    assert usual.patience > 0
    assert usual.cooldown > 0
    assert (published.patience, published.cooldown) == (0, 0)
    patient = TrainingOptions(patience=7, cooldown=9)
    assert patient.at_full_length() == patient


@pytest.mark.parametrize("method", METHODS)
def test_address__options_that_came_later_are_left_out_where_they_change_nothing(method):
    options = TrainingOptions(model="garden", method=method)
    content = Training("facebook:414", 0, options).to_json()["options"]
    assert not {"cooldown", "init_seed"} & set(content)
    cooled = Training("facebook:414", 0, replace(options, cooldown=5, init_seed=0)).to_json()
    assert (cooled["options"]["cooldown"], cooled["options"]["init_seed"]) == (5, 0)


@pytest.mark.parametrize(
    ("model", "method", "address"),
    [
        ("garden", "a2c", "9a7157511a515723c80fc31ee1d1b40d21737f3cc70f2cd4174bb3f04964c8a9"),
        ("garden", "exact", "4b86c5a4fd7631cfe14333281831ac5d271dff7e1da59dba0c8df5302a55ced7"),
        ("trellis", "guided", "2def577a7c7e0525eb27dfb5177a2291e23a7986d4ac0ceb8a9a25f0e517ee46"),
        (None, None, "2def577a7c7e0525eb27dfb5177a2291e23a7986d4ac0ceb8a9a25f0e517ee46"),
    ],
)
def test_address__of_a_published_training_is_what_it_was(model, method, address):
    options = TrainingOptions(model=model, method=method)
    assert Training("facebook:414", 0, options).key == address
