from dataclasses import replace

import pytest
import torch

import garden
from garden.cli.main import main
from garden.cli.train import default_out
from garden.errors import SpecError
from garden.models.registry import ModelConfig
from garden.training.callbacks import Listener
from garden.training.config import TrainingOptions
from garden.training.methods.config import METHODS
from garden.training.trainer import Trainer

from .short_runs import GRAPH, SIZE, TASK, TRELLIS

SPEC = "kaiser-hilgetag:n=30,beta=2,seed=1"
FLAGS = ["--updates", "2", "--validate-every", "2", "--device", "cpu", "--targets-per-update", "5"]


def train(**kwargs):
    return garden.train(TASK, device="cpu", quiet=True, **kwargs)


def test_train__options_leave_the_model_that_is_named_beside_them():
    policy = train(model="garden", options=TrainingOptions(updates=2), size=ModelConfig(hidden=4))
    assert (policy.info.model, policy.info.method) == ("garden", "exact")
    policy = train(method="a2c", options=TrainingOptions(model="mlpa2c", updates=2))
    assert (policy.info.model, policy.info.method) == ("mlpa2c", "a2c")


@pytest.mark.parametrize(
    ("named", "options"),
    [
        ({"model": "garden"}, {"model": "trellis"}),
        ({"method": "exact"}, {"method": "guided"}),
        ({"seed": 3}, {"init_seed": 4}),
    ],
)
def test_train__what_is_given_twice_and_differently_is_refused(named, options):
    with pytest.raises(SpecError, match="given twice"):
        train(**named, options=TrainingOptions(updates=1, **options))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "exact", "imitation_coef": 5.0}, "method exact: it belongs to guided"),
        ({"model": "garden", "return_coef": 1.0}, "method exact: it belongs to guided"),
        ({"walks_per_target": 3}, "method guided: it belongs to a2c"),
        ({"method": "a2c", "source_weights": "uniform"}, "belongs to exact and guided"),
        (
            {"model": "garden", "target_embedding_dropout": 0.1},
            "model garden: it belongs to trellis",
        ),
        (
            {"model": "mlpa2c", "method": "guided", "hidden_link_rate": 0.1},
            "model mlpa2c: it belongs to trellis",
        ),
        ({"method": "exact", "hidden_link_rate": 0.1}, "method exact: it belongs to guided"),
    ],
)
def test_options__that_would_do_nothing_are_refused(options, message):
    with pytest.raises(SpecError, match=message):
        TrainingOptions(**options).resolved()


@pytest.mark.parametrize(
    ("model", "size"), [("trellis", {"layers": 2}), ("garden", {"parts": "matching"})]
)
def test_size__that_would_do_nothing_is_refused(model, size):
    with pytest.raises(SpecError, match="does nothing with model"):
        train(model=model, size=ModelConfig(**size))


def test_cli__options_that_would_do_nothing_are_one_line(tmp_path, capsys):
    for flags in (["--method", "exact", "--imitation-coef", "5"], ["--layers", "2"]):
        with pytest.raises(SystemExit) as stopped:
            main(["train", SPEC, "--out", str(tmp_path / "run"), *flags])
        assert stopped.value.code == 2
        assert "does nothing with" in capsys.readouterr().err.strip().splitlines()[-1]
        assert not (tmp_path / "run").exists()


def weights(options, task=TASK):
    return dict(Trainer([task], options.resolved(), SIZE).state.model.named_parameters())


def test_init_seed__sets_the_initialisation_alone():
    usual, same, other = (
        weights(replace(TRELLIS, init_seed=seed)) for seed in (None, TASK.seed, 5)
    )
    assert all(torch.equal(usual[name], same[name]) for name in usual)
    assert not all(torch.equal(usual[name], other[name]) for name in usual)
    trainers = [Trainer([TASK], replace(TRELLIS, init_seed=n).resolved(), SIZE) for n in (None, 5)]
    states = [trainer.state.generator.get_state() for trainer in trainers]
    assert torch.equal(*states)
    fifth = garden.SearchTask.split(GRAPH, seed=5)
    assert all(torch.equal(other[name], w) for name, w in weights(TRELLIS, fifth).items())


def test_init_seed__of_a_stack_is_that_of_every_seed():
    tasks = [garden.SearchTask.split(GRAPH, seed=seed) for seed in (0, 1)]
    stack = Trainer(tasks, replace(TRELLIS, init_seed=5).resolved(), SIZE).state.model
    assert all(torch.equal(one[0], one[1]) for one in stack.parameters())


def test_init_seed__is_recorded_where_it_is_given():
    named = train(options=TrainingOptions(updates=1), seed=5)
    assert named.info.training["options"]["init_seed"] == 5
    assert named.info.seed == TASK.seed
    assert "init_seed" not in train(options=TrainingOptions(updates=1)).info.training["options"]
    with pytest.raises(SpecError, match="init_seed is -1"):
        train(seed=-1)


class Counting(Listener):
    """Overrides but two of a listener's methods."""

    def __init__(self):
        self.updates, self.ratios = [], []

    def on_update(self, update, total):
        self.updates.append((update, total))

    def on_validation(self, records):
        self.ratios.append(records[0]["validation_ratio"])


def test_callbacks__hear_of_every_update_and_validation():
    heard = Counting()
    train(options=TrainingOptions(updates=4, validate_every=2), callbacks=[heard])
    assert heard.updates == [(k, 4) for k in range(1, 5)]
    assert len(heard.ratios) == 3


@pytest.mark.parametrize("wrong", [42, Counting, print])
def test_callbacks__that_cannot_listen_are_refused(wrong):
    with pytest.raises(SpecError, match=r"callbacks\[0\]"):
        train(callbacks=[wrong])


@pytest.mark.parametrize(
    ("spec", "folder"),
    [
        ("facebook:414", "facebook-414-trellis-seed0"),
        (
            "facebook:414,attributes=as-published",
            "facebook-414-attributes=as-published-trellis-seed0",
        ),
        ("/data/my graphs/a.graphml", "data-my graphs-a.graphml-trellis-seed0"),
        ("../a/b", "a-b-trellis-seed0"),
        ("./", "graph-trellis-seed0"),
    ],
)
def test_out__is_named_by_the_graph_the_model_and_the_seed(spec, folder):
    assert default_out(spec, "trellis", 0).as_posix() == f"runs/{folder}"


def test_out__of_a_long_path_is_a_name_that_file_systems_take():
    assert len(default_out("/" + "x/" * 300, "trellis", 12).name.encode()) < 200


def test_cli__a_run_without_out_gets_a_folder_that_is_never_overwritten(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    main(["train", SPEC, *FLAGS])
    (folder,) = (tmp_path / "runs").iterdir()
    assert folder.name == "kaiser-hilgetag-n=30-beta=2-seed=1-trellis-seed0"
    with pytest.raises(SystemExit) as stopped:
        main(["train", SPEC, *FLAGS])
    assert stopped.value.code == 2
    assert "--resume" in capsys.readouterr().err.splitlines()[-1]
    main(["train", SPEC, *FLAGS, "--resume"])


def test_cli__seeds_without_out_share_a_folder_and_are_checked_before_the_first_is_trained(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    main(["train", SPEC, *FLAGS, "--seeds", "1-2"])
    folder = tmp_path / "runs" / "kaiser-hilgetag-n=30-beta=2-seed=1-trellis"
    assert sorted(path.name for path in folder.iterdir()) == ["seed-1", "seed-2"]
    with pytest.raises(SystemExit) as stopped:
        main(["train", SPEC, *FLAGS, "--seeds", "0-1"])
    assert stopped.value.code == 2
    assert not (folder / "seed-0").exists()


def test_cli__seeds_with_a_taken_folder_are_refused_before_any_is_trained(tmp_path, capsys):
    main(["train", SPEC, *FLAGS, "--out", str(tmp_path / "seed-1"), "--seed", "1"])
    with pytest.raises(SystemExit) as stopped:
        main(["train", SPEC, *FLAGS, "--out", str(tmp_path), "--seeds", "0-1"])
    assert stopped.value.code == 2
    assert not (tmp_path / "seed-0").exists()


def test_cli__resuming_several_seeds_begins_those_that_were_not_begun(tmp_path, capsys):
    main(["train", SPEC, *FLAGS, "--out", str(tmp_path / "seed-0")])
    main(["train", SPEC, *FLAGS, "--out", str(tmp_path), "--seeds", "0-1", "--resume"])
    assert (tmp_path / "seed-1" / "summary.json").exists()


def test_help__groups_flags_and_shows_each_methods_defaults(capsys):
    with pytest.raises(SystemExit):
        main(["train", "--help"])
    shown = " ".join(capsys.readouterr().out.replace("│", " ").split())
    for title in ("guided options", "a2c options", "trellis options", "garden options", "run opt"):
        assert title in shown
    updates = {method: TrainingOptions(method=method).resolved().updates for method in METHODS}
    expected = ", ".join(f"{method} {updates[method]}" for method in reversed(METHODS))
    assert f"Gradient steps. (default: {expected})" in shown
    assert "(default: runs/GRAPH-MODEL-seedN" in shown


def test_help__every_training_option_has_a_flag(capsys):
    with pytest.raises(SystemExit):
        main(["train", "--help"])
    shown = capsys.readouterr().out
    for name in vars(TrainingOptions()):
        assert f"--{name.replace('_', '-')} " in shown
