import json
import os
import signal
from dataclasses import replace

import numpy as np
import pytest
import torch

import garden
from garden.cli.main import main
from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.task import SearchTask
from garden.errors import DataError, GardenError, SpecError
from garden.graphs.graph import Graph
from garden.models.policy_files import read_tensors
from garden.models.registry import ModelConfig
from garden.storage import arrays_hash
from garden.training import trainer as trainer_module
from garden.training.callbacks import Listener
from garden.training.config import RunOptions, TrainingOptions
from garden.training.methods.base import clip_each_seed
from garden.training.methods.config import METHODS
from garden.training.run import MetricsFile, read_metrics, train_seeds
from garden.training.trainer import Trainer, TrainingError

GRAPH = kaiser_hilgetag(n=30, beta=2, seed=1)
TASK = SearchTask.split(GRAPH, seed=0)
SIZE = ModelConfig(hidden=8, embedding=4, layers=2)
QUICK = TrainingOptions(model="garden", updates=6, targets_per_update=5, validate_every=2)
CPU = RunOptions(device="cpu")


def train_into(folder, options=QUICK, tasks=(TASK,), **kwargs):
    folders = [folder] if len(tasks) == 1 else [folder / str(t.seed) for t in tasks]
    return train_seeds(tasks, options, SIZE, CPU, folders, **kwargs)


def state_hash(folder):
    tensors, record = read_tensors(folder / "state.safetensors")
    record = {k: v for k, v in record.items() if k != "seconds"}
    return arrays_hash(tensors), record


class StopAt(Listener):
    """Ctrl-C after some updates."""

    def __init__(self, update):
        self.update = update

    def on_update(self, update, total):
        if update == self.update:
            raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("model", "method"), [("garden", "a2c"), ("garden", "exact"), ("trellis", "guided")]
)
@pytest.mark.parametrize("stop", [3, 4])
def test_resume__continues_bit_for_bit(tmp_path, model, method, stop):
    options = replace(QUICK, model=model, method=method, dropout=0.3)
    train_into(tmp_path / "whole", options)
    (stopped,) = train_into(tmp_path / "parts", options, listeners=[StopAt(stop)])
    assert stopped.summary["stopped"] == "interrupted"
    assert stopped.summary["updates"] == stop
    (run,) = train_into(tmp_path / "parts", options, resume=True)
    assert run.summary["stopped"] == "finished"
    assert state_hash(tmp_path / "whole") == state_hash(tmp_path / "parts")
    whole, parts = (read_metrics(tmp_path / name / "metrics.jsonl") for name in ("whole", "parts"))
    without_time = [[{**r, "seconds": 0} for r in records] for records in (whole, parts)]
    assert without_time[0] == without_time[1]


def test_interrupt__a_real_signal_stops_between_updates_and_resumes_exactly(tmp_path):
    class Signal(StopAt):
        def on_update(self, update, total):
            if update == self.update:
                os.kill(os.getpid(), signal.SIGINT)

    train_into(tmp_path / "whole")
    (run,) = train_into(tmp_path / "parts", listeners=[Signal(3)])
    assert run.summary["stopped"] == "interrupted"
    train_into(tmp_path / "parts", resume=True)
    assert state_hash(tmp_path / "whole") == state_hash(tmp_path / "parts")


def test_resume__after_a_kill_starts_from_the_last_validation(tmp_path):
    train_into(tmp_path / "whole")

    class KilledError(RuntimeError):
        pass

    class Kill(StopAt):
        def on_update(self, update, total):
            if update == self.update:
                raise KilledError

    with pytest.raises(KilledError):
        train_into(tmp_path / "parts", listeners=[Kill(5)])
    train_into(tmp_path / "parts", resume=True)
    assert state_hash(tmp_path / "whole") == state_hash(tmp_path / "parts")


def test_resume__of_a_stack_continues_bit_for_bit(tmp_path):
    tasks = [SearchTask.split(GRAPH, seed=seed) for seed in (0, 1)]
    train_into(tmp_path / "whole", tasks=tasks)
    train_into(tmp_path / "parts", tasks=tasks, listeners=[StopAt(3)])
    train_into(tmp_path / "parts", tasks=tasks, resume=True)
    for seed in ("0", "1"):
        assert state_hash(tmp_path / "whole" / seed) == state_hash(tmp_path / "parts" / seed)


def test_train__keeps_the_model_that_was_scored_best(tmp_path):
    (run,) = train_into(tmp_path, replace(QUICK, updates=40, learning_rate=0.02))
    records = read_metrics(tmp_path / "metrics.jsonl")
    best = min(records, key=lambda record: record["validation_ratio"])
    assert run.summary["best_update"] == best["update"]
    report = garden.evaluate(
        TASK,
        run.policy,
        config=garden.search.config.EvaluationConfig(split="validation", all_pairs=True),
    )
    assert report.results[0].oracle_ratio == pytest.approx(best["validation_ratio"], abs=1e-3)
    again = garden.load_policy(tmp_path)
    assert arrays_hash(again.model.state_dict()) == arrays_hash(run.policy.model.state_dict())


@pytest.mark.parametrize("model", ["garden", "mlpa2c", "mlpa2cwd"])
def test_exact__learns_a_line_that_greedy_would_walk(model):
    line = Graph.from_edges(np.array([[i, i + 1] for i in range(29)]), 30, np.arange(30.0)[:, None])
    task = SearchTask.split(line, seed=0)
    options = TrainingOptions(
        model=model, updates=150, learning_rate=5e-3, dropout=0.0, patience=0, gamma=0.95
    )
    policy = garden.train(task, options=options, device="cpu", quiet=True)
    report = garden.evaluate(task, ["random", policy])
    assert report["random"].oracle_ratio > 5
    assert report[model].oracle_ratio < 2


def test_a2c__learns_to_beat_a_random_walk():
    options = TrainingOptions(
        model="mlpa2c", method="a2c", updates=300, learning_rate=3e-3, validate_every=50
    )
    policy = garden.train(TASK, options=options, device="cpu", quiet=True)
    report = garden.evaluate(TASK, ["random", policy])
    assert report["mlpa2c"].oracle_ratio < 0.6 * report["random"].oracle_ratio


def test_train__a_stack_trains_each_seed_on_its_own_split(tmp_path):
    tasks = [SearchTask.split(GRAPH, seed=seed) for seed in (0, 1)]
    runs = train_into(tmp_path, tasks=tasks)
    assert [run.policy.info.seed for run in runs] == [0, 1]
    assert runs[0].policy.info.task_hash == tasks[0].content_hash
    weights = [arrays_hash(run.policy.model.state_dict()) for run in runs]
    assert weights[0] != weights[1]


def test_train__early_stopping_waits_for_its_patience(tmp_path):
    options = replace(QUICK, updates=1000, learning_rate=0.0, patience=3)
    (run,) = train_into(tmp_path, options)
    assert run.summary["stopped"] == "early"
    assert run.summary["updates"] == 6  # the first validation is the best, three more are not
    (again,) = train_into(tmp_path, options, resume=True)
    assert again.summary["stopped"] == "early"
    assert again.summary["updates"] == 6


def test_train__stops_at_the_time_limit(tmp_path):
    (run,) = train_seeds(
        [TASK], replace(QUICK, updates=10**6), SIZE, RunOptions("cpu", max_minutes=1e-6), [tmp_path]
    )
    assert run.summary["stopped"] == "time"
    assert (tmp_path / "state.safetensors").exists()


def test_train__a_nan_loss_stops_with_the_last_good_state(tmp_path, monkeypatch):
    calls = []

    def poisoned(model, *args):
        calls.append(1)
        result = trainer_module.exact_loss(model, *args)
        return replace(result, loss=result.loss * (torch.nan if len(calls) == 5 else 1.0))

    monkeypatch.setitem(trainer_module.LOSSES, "exact", poisoned)
    with pytest.raises(TrainingError, match="NaN or infinite at update 4"):
        train_into(tmp_path)
    _, record = read_tensors(tmp_path / "state.safetensors")
    assert record["update"] == 4
    policy = garden.load_policy(tmp_path)
    assert all(bool(torch.isfinite(p).all()) for p in policy.model.parameters())


def test_train__a_full_gpu_names_the_smaller_setting(monkeypatch):
    def full(*_):
        raise torch.cuda.OutOfMemoryError

    monkeypatch.setitem(trainer_module.LOSSES, "exact", full)
    with pytest.raises(TrainingError, match="lower `targets_per_update`"):
        Trainer([TASK], QUICK.resolved(), SIZE).run()


def test_train__a_full_disk_leaves_the_previous_checkpoint_whole(tmp_path, monkeypatch):
    class FullDisk(StopAt):
        def on_update(self, update, total):
            if update == self.update:
                monkeypatch.setattr("pathlib.Path.write_bytes", full)

    def full(*_args, **_kwargs):
        raise OSError(28, "No space left on device")

    with pytest.raises(DataError, match="No space left"):
        train_into(tmp_path, listeners=[FullDisk(3)])
    monkeypatch.undo()
    _, record = read_tensors(tmp_path / "state.safetensors")
    assert record["update"] == 2
    (run,) = train_into(tmp_path, resume=True)
    assert run.summary["stopped"] == "finished"


def test_run_folder__is_not_overwritten_unasked(tmp_path):
    train_into(tmp_path)
    before = (tmp_path / "model.safetensors").read_bytes()
    with pytest.raises(DataError, match="`force=True`"):
        train_into(tmp_path)
    assert (tmp_path / "model.safetensors").read_bytes() == before
    train_into(tmp_path, replace(QUICK, learning_rate=0.5), force=True)
    assert (tmp_path / "model.safetensors").read_bytes() != before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"learning_rate": 0.5}, "learning_rate"),
        ({"method": "a2c"}, "another method"),
        ({"model": "mlpa2c"}, "another model"),
    ],
)
def test_resume__with_other_options_is_refused(tmp_path, change, message):
    train_into(tmp_path)
    with pytest.raises(DataError, match=message):
        train_into(tmp_path, replace(QUICK, **change), resume=True)


def test_resume__of_another_task_or_nothing_is_refused(tmp_path):
    train_into(tmp_path / "run")
    with pytest.raises(DataError, match="another task hash"):
        train_into(tmp_path / "run", tasks=(SearchTask.split(GRAPH, seed=4),), resume=True)
    with pytest.raises(DataError, match="holds no policy"):
        train_into(tmp_path / "none", resume=True)


def test_resume__from_a_truncated_state_is_refused(tmp_path):
    train_into(tmp_path)
    path = tmp_path / "state.safetensors"
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(DataError, match="damaged"):
        train_into(tmp_path, resume=True)


@pytest.mark.parametrize(
    "options",
    [
        {"model": "transformer"},
        {"method": "magic"},
        {"updates": 0},
        {"learning_rate": float("nan")},
        {"learning_rate": -1.0},
        {"gamma": 1.0},
        {"dropout": 1.0},
        {"source_weights": "heavy"},
    ],
)
def test_options__impossible_ones_are_refused(options):
    with pytest.raises(SpecError):
        TrainingOptions(**options).resolved()


def test_options__every_method_has_every_default():
    for method in METHODS:
        config = TrainingOptions(model="garden", method=method).resolved()
        assert [name for name, value in vars(config).items() if value is None] == ["init_seed"]


def test_clip__bounds_each_seeds_gradient_by_itself():
    trainer = Trainer([TASK, SearchTask.split(GRAPH, seed=1)], QUICK.resolved(), SIZE)
    model = trainer.state.model
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
        parameter.grad[1] *= 1e-6
    clip_each_seed(model, 1.0)
    norms = [
        sum(float(p.grad[seed].square().sum()) for p in model.parameters()) ** 0.5
        for seed in (0, 1)
    ]
    assert norms[0] == pytest.approx(1, abs=1e-4)
    assert norms[1] < 1e-3


def test_loggers__tensorboard_and_offline_wandb_write_into_the_run_folder(tmp_path, monkeypatch):
    pytest.importorskip("tensorboard", reason="the extra `logging` is not installed")
    pytest.importorskip("wandb", reason="the extra `logging` is not installed")
    monkeypatch.setenv("WANDB_SILENT", "true")
    options = RunOptions("cpu", tensorboard=True, wandb=True)
    train_seeds([TASK], replace(QUICK, updates=2), SIZE, options, [tmp_path])
    assert list((tmp_path / "tensorboard").glob("events.*"))
    assert list((tmp_path / "wandb").glob("offline-run-*"))


def test_metrics__a_line_cut_short_is_left_out(tmp_path):
    (tmp_path / MetricsFile.NAME).write_text('{"update": 0}\n{"upd')
    assert read_metrics(tmp_path / MetricsFile.NAME) == [{"update": 0}]


SPEC = "kaiser-hilgetag:n=30,beta=2,seed=1"
FLAGS = ["--model", "garden", "--updates", "4", "--validate-every", "2", "--device", "cpu"]


def test_cli__train_evaluate_and_resume(capsys, tmp_path):
    out = str(tmp_path / "run")
    main(["train", SPEC, "--out", out, *FLAGS, "--json", "-"])
    summary = json.loads(capsys.readouterr().out)
    assert summary["runs"][0]["updates"] == 4
    files = {path.name for path in (tmp_path / "run").iterdir()}
    assert files == {
        "config.json",
        "model.safetensors",
        "state.safetensors",
        "metrics.jsonl",
        "summary.json",
        "curve.png",
    }
    main(["evaluate", SPEC, "--strategy", out, "--strategy", f"{out}+visited", "--json", "-"])
    report = json.loads(capsys.readouterr().out)
    assert [row["memory"] for row in report["strategies"]] == ["none", "visited"]
    assert report["strategies"][0]["parameters"] == {"method": "exact", "seed": 0}
    main(["route", SPEC, "--strategy", out, "--source", "1", "--target", "20", "--json", "-"])
    assert json.loads(capsys.readouterr().out)["path"][0] == "1"


def test_cli__seeds_get_folders_of_their_own(capsys, tmp_path):
    main(["train", SPEC, "--out", str(tmp_path), "--seeds", "0-1", *FLAGS])
    assert (tmp_path / "seed-0" / "model.safetensors").exists()
    assert (tmp_path / "seed-1" / "curve.png").exists()


def test_cli__seen_targets_are_refused_unless_allowed_and_then_recorded(capsys, tmp_path):
    out = str(tmp_path / "run")
    main(["train", SPEC, "--out", out, *FLAGS])
    capsys.readouterr()
    for extra in (["--seed", "1"], ["--split", "all"]):
        with pytest.raises(SystemExit) as stopped:
            main(["evaluate", SPEC, "--strategy", out, *extra])
        assert stopped.value.code == 2
        capsys.readouterr()
        main(["evaluate", SPEC, "--strategy", out, *extra, "--allow-seen-targets", "--json", "-"])
        assert json.loads(capsys.readouterr().out)["seen_targets"] is True


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--model", "transformer"], "unknown model"),
        (["--method", "magic"], "unknown method"),
        (["--updates", "0"], "updates is 0"),
        (["--device", "tpu"], "unknown device"),
        (["--seed", "1", "--seeds", "0-2"], "exclude each other"),
        (["--resume", "--force"], "give one"),
        (["--resume"], "holds no policy"),
    ],
)
def test_cli__bad_training_options_are_one_line(capsys, tmp_path, arguments, message):
    with pytest.raises(SystemExit) as stopped:
        main(["train", SPEC, "--out", str(tmp_path / "run"), *arguments])
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err.strip().splitlines()[-1]
    assert not (tmp_path / "run").exists()


def test_cli__interruption_says_how_to_resume(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("garden.training.callbacks.progress_listener", lambda: StopAt(2))
    with pytest.raises(SystemExit) as stopped:
        main(["train", SPEC, "--out", str(tmp_path / "run"), *FLAGS])
    assert stopped.value.code == 130
    assert "resume with: garden" in capsys.readouterr().err


def test_train__unknown_files_in_place_of_a_folder_are_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(GardenError, match="needs a folder"):
        train_into(tmp_path / "file")
