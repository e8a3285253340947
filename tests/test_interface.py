"""The interface as a newcomer meets it: names, wrong arguments, mistyped names."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import garden
from garden.errors import ArgumentError
from garden.models.registry import check_model_name
from garden.resolve import memory_named, strategy_named

SPEC = "kaiser-hilgetag:n=40,beta=1,seed=1"


def printed_by(code):
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    return done.stdout.split()


def test_dir__shows_the_interface_and_nothing_else_even_after_use():
    code = (
        "import garden, garden.envs, garden.cli.main\n"
        f"garden.evaluate({SPEC!r}, 'random')\n"
        "print(*dir(garden))"
    )
    assert printed_by(code) == sorted([*garden.__all__, "__version__"])


def test_all__each_name_is_there():
    for name in garden.__all__:
        assert getattr(garden, name) is not None
    wanted = {"Strategy", "Representations", "TrainingOptions", "EvaluationConfig", "ModelConfig"}
    assert wanted | {"AdaptConfig"} <= set(garden.__all__)


def test_all__configs_and_base_classes_are_the_ones_of_their_rooms_and_load_no_torch():
    code = (
        "import sys, garden\n"
        "from garden import Strategy, Representations, TrainingOptions, EvaluationConfig\n"
        "from garden import ModelConfig, AdaptConfig\n"
        "kinds = (Strategy, Representations, TrainingOptions, EvaluationConfig, ModelConfig,\n"
        "         AdaptConfig)\n"
        "print(*(kind.__module__ for kind in kinds))\n"
        "print({'torch', 'matplotlib'} & set(sys.modules))"
    )
    rooms = ["strategies.base", "strategies.representations"]
    rooms += ["training.config", "search.config", "models.registry"]
    assert printed_by(code) == [
        *(f"garden.{room}" for room in (*rooms, "training.universal.config")),
        "set()",
    ]


def test_gymnasium__makes_the_environment_without_any_import_of_ours():
    pytest.importorskip("gymnasium", reason="needs the extra envs")
    code = (
        "import gymnasium\n"
        f"env = gymnasium.make('garden.envs:garden/Search-v0', spec={SPEC!r}, seed=0)\n"
        "observation, info = env.reset(seed=1)\n"
        "print(type(env.unwrapped).__name__)"
    )
    assert printed_by(code) == ["SearchEnv"]


@pytest.fixture(scope="module")
def task():
    return garden.SearchTask.split(garden.load(SPEC))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda task: garden.evaluate(task, 42), "42 is not a strategy: it has no represent"),
        (lambda task: garden.evaluate(task, ["random", None]), "None is not a strategy"),
        (
            lambda task: garden.evaluate(task, "random", memory=3),
            "`memory` is 3, of type int: give",
        ),
        (lambda task: garden.evaluate(task, "random", memory=["none"]), "`memory` is "),
        (lambda task: garden.evaluate(task, "random", config={}), "`config` is {}, of type dict"),
        (lambda task: garden.evaluate(42), "cannot make a graph of an int"),
        (lambda task: garden.evaluate(task.graph, "random", seed="x"), "seed 'x' is not a whole"),
        (lambda task: garden.route(task.graph, source=1.5, target=3), "a node is named by text"),
        (lambda task: garden.route(task.graph, source=None, target=3), "a node is named by text"),
        (lambda task: garden.route(task.graph, 42, source=1, target=3), "42 is not a strategy"),
        (lambda task: garden.route(task.graph, source=1, target=3, seed="x"), "`seed` is 'x'"),
        (lambda task: garden.train(42), "cannot make a graph of an int"),
        (
            lambda task: garden.train(task, options=42),
            "`options` is 42, of type int: give Training",
        ),
        (lambda task: garden.train(task, size=42), "`size` is 42, of type int: give ModelConfig"),
        (lambda task: garden.train(task, out=42), "`out` is 42, of type int: give a path"),
        (lambda task: garden.train(task, model=42), "unknown model 42"),
        (lambda task: garden.train(task, callbacks=42), "`callbacks` is 42, of type int: give a"),
        (lambda task: garden.train(task, seed="x"), "`seed` is 'x', of type str: give a whole"),
        (lambda task: garden.train(task, max_minutes="x"), "`max_minutes` is 'x', of type str"),
        (lambda task: garden.to_networkx(3), "`graph` is 3, of type int: give Graph"),
        (
            lambda task: garden.EvaluationConfig(split="tst"),
            "unknown split 'tst': did you mean 'test'?",
        ),
        (lambda task: garden.EvaluationConfig(evaluation=3), "unknown evaluation 3: choose from"),
        (lambda task: garden.evaluate(task, ""), "a strategy's name is empty"),
        (lambda task: garden.evaluate(task, "trellis"), "trellis is a model: train it first"),
        (lambda task: garden.evaluate(task, "garden+visited"), "garden is a model: train it"),
        (lambda task: garden.adapt(task, 42), "42 cannot be adapted: start from universal"),
        (
            lambda task: garden.adapt(task, config=42),
            "`config` is 42, of type int: give AdaptConfig",
        ),
        (lambda task: garden.adapt(task, out=42), "`folder` is 42, of type int: give a path"),
        (lambda task: garden.load(None), "cannot make a graph of a NoneType"),
        (lambda task: garden.load_policy(None), "`path` is None, of type NoneType: give a run"),
        (lambda task: garden.SearchTask.split(SPEC), "of type str: give a Graph, as garden.load"),
        (lambda task: task.save(42), "`path` is 42, of type int: give a path"),
        (lambda task: garden.ModelConfig(hidden="x"), "`hidden` is 'x', of type str: give a whole"),
        (lambda task: garden.AdaptConfig(updates=1.5), "`updates` is 1.5, of type float: give a"),
        (lambda task: garden.AdaptConfig(learning_rate="x"), "`learning_rate` is 'x'"),
        (lambda task: garden.TrainingOptions(updates="x").resolved(), "`updates` is 'x'"),
        (lambda task: garden.TrainingOptions(gamma=[]).resolved(), "`gamma` is [], of type list"),
    ],
)
def test_arguments__of_a_wrong_type_are_told_in_one_line(task, call, message):
    with pytest.raises(garden.GardenError) as told:
        call(task)
    assert message in str(told.value)
    assert len(str(told.value).splitlines()) == 1


def test_arguments__a_wrong_type_is_a_type_error_too():
    assert issubclass(ArgumentError, TypeError)


def test_evaluate__takes_any_collection_of_strategies(task):
    report = garden.evaluate(task, (name for name in ("random", "greedy")))
    assert [result.name for result in report.results] == ["random", "greedy"]


@pytest.mark.parametrize(
    ("call", "meant"),
    [
        (lambda: memory_named("vistied"), "visited"),
        (lambda: check_model_name("treillis"), "trellis"),
        (lambda: garden.TrainingOptions(method="guide").resolved(), "guided"),
        (lambda: strategy_named("univeral"), "universal"),
        (lambda: strategy_named("garden-facebook-44"), "garden-facebook-414"),
        (lambda: garden.load_policy("garden-facebok-0"), "garden-facebook-0"),
        (lambda: strategy_named("distnace"), "distance"),
    ],
)
def test_names__a_mistyped_one_is_told_the_nearest(call, meant):
    with pytest.raises(garden.GardenError, match=rf"did you mean '{meant}'\? "):
        call()


def test_names__a_mistyped_folder_is_told_the_policy_beside_it(tmp_path, monkeypatch):
    strategy_named("universal").save(tmp_path / "runs" / "fb414")
    (tmp_path / "runs" / "fb41x").mkdir()  # holds no policy
    monkeypatch.chdir(tmp_path)
    for call in (strategy_named, garden.load_policy):
        with pytest.raises(garden.GardenError, match=r"did you mean 'runs/fb414'\? "):
            call("runs/fb41")


def test_names__an_experiment_is_told_the_nearest():
    from garden.experiments.run.reproduce import experiment_named

    with pytest.raises(garden.GardenError, match=r"did you mean 'facebook'\? choose from"):
        experiment_named("facebok")


def test_project__links_to_the_paper_that_it_cites_and_says_what_it_is():
    root = Path(__file__).parents[1]
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    assert f'url: "{project["urls"]["Paper"]}"' in (root / "CITATION.cff").read_text()
    topics = [one for one in project["classifiers"] if one.startswith("Topic :: ")]
    assert len(topics) >= 2
