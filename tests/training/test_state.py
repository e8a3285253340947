import json
import logging
from dataclasses import replace

import pytest

import garden
from garden.cli.main import main
from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.task import SearchTask
from garden.errors import SpecError
from garden.experiments.run.jobs import Training, at_full_length
from garden.models.policy_files import read_tensors
from garden.storage import CONFIG_FILE, WEIGHTS_FILE, arrays_hash
from garden.training import run as run_module
from garden.training import trainer as trainer_module
from garden.training import validation
from garden.training.config import RunOptions, TrainingOptions
from garden.training.methods.config import METHODS
from garden.training.run import read_metrics
from garden.training.state import NOTABLE, SeedProgress, has_lost_patience, note_ratio, step_share
from garden.training.trainer import Trainer
from garden.training.training_graph import max_validation_targets

from .short_runs import GRAPH, SIZE, TASK, TRELLIS, FakeClock, StopAt, state_of, train_into

LARGER = SearchTask.split(kaiser_hilgetag(n=100, beta=2, seed=1), seed=0)


NUM_TARGETS = len(LARGER.validation_targets)


OFF_GRID = replace(TRELLIS, updates=40, validate_every=30, learning_rate=0.01)


def test_stopping__hands_over_the_last_update_where_it_is_better_than_what_was_validated(tmp_path):
    run = train_into(tmp_path, OFF_GRID, listeners=[StopAt(20)])
    assert run.summary["best_update"] == 20
    assert [record["update"] for record in read_metrics(tmp_path / "metrics.jsonl")] == [0]
    handed, _ = read_tensors(tmp_path / WEIGHTS_FILE)
    state, _ = read_tensors(tmp_path / "state.safetensors")
    last = {name.removeprefix("last."): state[name] for name in state if name[:5] == "last."}
    last["temperature"] = handed["temperature"]
    assert arrays_hash(handed) == arrays_hash(last)
    again = garden.load_policy(tmp_path)
    assert arrays_hash(again.model.state_dict()) == arrays_hash(run.policy.model.state_dict())


@pytest.mark.parametrize("stop", [20, 31])
def test_stopping__off_the_validation_grid_leaves_no_trace_in_a_resumed_run(tmp_path, stop):
    train_into(tmp_path / "whole", OFF_GRID)
    train_into(tmp_path / "parts", OFF_GRID, listeners=[StopAt(stop)])
    train_into(tmp_path / "parts", OFF_GRID, resume=True)
    assert state_of(tmp_path / "whole") == state_of(tmp_path / "parts")
    models = [read_tensors(tmp_path / name / WEIGHTS_FILE)[0] for name in ("whole", "parts")]
    assert arrays_hash(models[0]) == arrays_hash(models[1])


def stopped_again(folder, stop, options):
    """A run stopped at update 20, resumed and stopped again."""
    first = train_into(folder, options, listeners=[StopAt(20)])
    before, _ = read_tensors(folder / WEIGHTS_FILE)
    second = train_into(folder, options, resume=True, listeners=[StopAt(stop)])
    after, _ = read_tensors(folder / WEIGHTS_FILE)
    return first.summary, arrays_hash(before), second.summary, arrays_hash(after)


JUMPING = replace(OFF_GRID, learning_rate=0.05)


def test_resume__keeps_what_was_handed_over_until_something_better_is_validated(tmp_path):
    first, before, second, after = stopped_again(tmp_path / "jump", 31, JUMPING)
    assert first["best_update"] == second["best_update"] == 20
    assert (second["validation_ratio"], second["updates"]) == (first["validation_ratio"], 31)
    assert after == before
    _, before, second, after = stopped_again(tmp_path / "steady", 31, OFF_GRID)
    assert second["best_update"] > 20
    assert after != before


def test_resume__a_validation_does_not_overwrite_what_was_handed_over(tmp_path):
    class Killed(StopAt):
        def on_update(self, update, total):
            if update == self.update:
                raise RuntimeError

    train_into(tmp_path, JUMPING, listeners=[StopAt(20)])
    before, _ = read_tensors(tmp_path / WEIGHTS_FILE)
    with pytest.raises(RuntimeError):
        train_into(tmp_path, JUMPING, resume=True, listeners=[Killed(32)])
    after, _ = read_tensors(tmp_path / WEIGHTS_FILE)
    assert arrays_hash(after) == arrays_hash(before)


def test_stopping__keeps_the_best_where_the_last_update_is_worse(tmp_path):
    wild = replace(OFF_GRID, validate_every=2, learning_rate=0.01)
    run = train_into(tmp_path, wild, listeners=[StopAt(21)])
    records = read_metrics(tmp_path / "metrics.jsonl")
    best = min(record["validation_ratio"] for record in records)
    assert run.summary["best_update"] in {record["update"] for record in records} | {21}
    assert run.summary["validation_ratio"] <= best + 0.01


def test_stopping__ctrl_c_in_the_last_validation_hands_over_what_was_validated(
    tmp_path, monkeypatch
):
    measure, calls = trainer_module.validation_metrics, []

    def impatient(*args, **kwargs):
        calls.append(1)
        if len(calls) > 1:
            raise KeyboardInterrupt
        return measure(*args, **kwargs)

    monkeypatch.setattr(trainer_module, "validation_metrics", impatient)
    run = train_into(tmp_path, OFF_GRID, listeners=[StopAt(5)])
    assert (run.summary["stopped"], run.summary["best_update"]) == ("interrupted", 0)
    monkeypatch.undo()
    assert train_into(tmp_path, OFF_GRID, resume=True).summary["stopped"] == "finished"


def test_stopping__an_untrained_policy_is_said_to_be_one(tmp_path, caplog):
    still = replace(TRELLIS, learning_rate=0.0)
    with caplog.at_level(logging.WARNING, logger="garden"):
        run = train_into(tmp_path, still, listeners=[StopAt(3)])
    assert not run.is_trained
    assert "UNTRAINED" in caplog.text
    caplog.clear()
    with caplog.at_level(logging.WARNING, logger="garden"):
        train_into(tmp_path / "other", OFF_GRID, listeners=[StopAt(20)])
    assert "UNTRAINED" not in caplog.text


def test_cli__an_untrained_policy_is_not_recommended(tmp_path, capsys):
    spec = "kaiser-hilgetag:n=30,beta=2,seed=1"
    flags = ["--learning-rate", "0", "--updates", "2", "--device", "cpu"]
    main(["train", spec, "--out", str(tmp_path / "run"), *flags])
    error = capsys.readouterr().err
    assert "UNTRAINED" in error
    assert "no better than untrained" in error.splitlines()[-1]
    assert "evaluate with" not in error


@pytest.mark.parametrize("minutes", [0.0, -1.0, float("nan")])
def test_time_limit__of_nothing_is_refused(minutes):
    with pytest.raises(SpecError, match="max_minutes"):
        RunOptions(max_minutes=minutes)
    with pytest.raises(SpecError, match="max_minutes"):
        garden.train(TASK, max_minutes=minutes)


def test_cli__a_time_limit_of_nothing_is_one_line(tmp_path, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["train", "facebook:414", "--out", str(tmp_path / "run"), "--max-minutes", "0"])
    assert stopped.value.code == 2
    assert "max_minutes is 0" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("model", ["trellis", "garden"])
@pytest.mark.parametrize(
    ("update", "validation"),
    [(0.1, 0.5), (1.0, 0.1), (20.0, 1.0), (1.0, 8.0), (0.1, 14.0)],
)
def test_time_limit__holds_to_a_tenth_or_an_update_and_hands_over_a_trained_policy(
    monkeypatch, model, update, validation
):
    method = "guided" if model == "trellis" else "exact"
    clock = FakeClock(monkeypatch, update, validation, NUM_TARGETS, method)
    options = replace(TRELLIS, model=model, updates=10**6, validate_every=25, learning_rate=0.003)
    config = replace(options.resolved(), patience=0)
    trainer = Trainer([LARGER], config, SIZE, clock=clock)
    outcome = trainer.run(max_minutes=1.0)
    assert outcome.stopped == "time"
    assert clock.now <= 60 + max(6, update)
    assert clock.now >= 60 - max(18, 2 * update)  # and is made use of
    assert outcome.handed_over.seeds[0].best_update > 0
    assert (outcome.handed_over.seeds[0].tempered_ratio is not None) == (model == "trellis")


def test_time_limit__that_not_even_a_validation_fits_in_is_kept(monkeypatch, tmp_path):
    clock = FakeClock(monkeypatch, 1.0, 100.0, NUM_TARGETS)
    monkeypatch.setattr(validation, "QUICK_NODES", 0)
    monkeypatch.setattr(validation, "FEW_CHAINS", 1)
    trainer = Trainer([LARGER], TRELLIS.resolved(), SIZE, folders=[tmp_path], clock=clock)
    outcome = trainer.run(max_minutes=0.5)
    assert outcome.stopped == "time"
    assert clock.now <= 30 + 100 / NUM_TARGETS + 3
    assert outcome.handed_over.seeds[0].best_update == -1
    again = Trainer([LARGER], TRELLIS.resolved(), SIZE, folders=[tmp_path])
    again.resume()
    assert again.run().stopped == "finished"


def test_summary__of_a_policy_that_was_never_validated_is_plain_json(tmp_path, monkeypatch):
    def never(*_args, **_kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(trainer_module, "validation_metrics", never)
    run = train_into(tmp_path)
    assert run.summary["validation_ratio"] is None
    assert "NaN" not in json.dumps(run.summary)
    assert "Infinity" not in (tmp_path / run_module.SUMMARY_FILE).read_text()


def test_time_limit__counts_from_the_start_of_the_training_not_of_its_first_update(monkeypatch):
    clock = FakeClock(monkeypatch, 1.0, 0.1, NUM_TARGETS)
    clock.now = 50.0  # fifty seconds of setting up
    trainer = Trainer([LARGER], replace(TRELLIS.resolved(), updates=10**6), SIZE, clock=clock)
    assert trainer.run(max_minutes=1.0, since=0.0).stopped == "time"
    assert clock.now <= 66


def test_validation__goes_by_a_fixed_sample_on_large_graphs_only():
    assert max_validation_targets(GRAPH.num_nodes) == 100
    assert max_validation_targets(22_470) == 100  # musae-facebook
    assert max_validation_targets(50_000) == 20
    assert max_validation_targets(1_000_000) == 10


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
    before = at_full_length(open_ones)
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
    usual, published = TrainingOptions().resolved(), at_full_length(TrainingOptions()).resolved()
    assert usual.patience > 0
    assert usual.cooldown > 0
    assert (published.patience, published.cooldown) == (0, 0)
    patient = TrainingOptions(patience=7, cooldown=9)
    assert at_full_length(patient) == patient


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
