"""How much the command line says: --quiet, --verbose, its version, its help, completion."""

import json

import pytest

from garden.cli.main import main

SPEC = "kaiser-hilgetag:n=40,beta=1,seed=1"
VERBS = [
    ["quickstart"], ["data", "list"], ["data", "info"], ["data", "fetch"], ["task"], ["train"],
    ["adapt"], ["evaluate"], ["route"], ["peers", "cut"], ["peers", "faults"], ["reproduce"],
]  # fmt: skip


def run(*arguments):
    main([str(argument) for argument in arguments])


def stopped(*arguments):
    with pytest.raises(SystemExit) as ended:
        run(*arguments)
    return ended.value.code


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_help__every_verb_has_quiet_and_verbose(capsys, verb):
    assert stopped(*verb, "--help") == 0
    text = capsys.readouterr().out
    assert "--quiet" in text
    assert "--verbose" in text


def test_help__tells_of_the_version_and_of_completion(capsys):
    assert stopped("--help") == 0
    text = capsys.readouterr().out
    assert "garden --version" in text
    assert "garden --tyro-print-completion" in text


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion__prints_a_script_that_knows_the_verbs(capsys, shell):
    assert stopped("--tyro-print-completion", shell) in (None, 0)
    text = capsys.readouterr().out
    assert "evaluate" in text
    assert "max-hops" in text


@pytest.mark.parametrize("words", [["tcsh"], ["nushell"], []])
def test_completion__of_an_unknown_shell_is_refused_in_one_line(capsys, words):
    assert stopped("--tyro-print-completion", *words) == 2
    assert capsys.readouterr().err == "garden: completion is for bash, zsh or fish: name one\n"


def test_adapt__quiet_prints_the_result_and_nothing_else(capsys, tmp_path):
    run("adapt", SPEC, "--updates", 2, "--out", tmp_path / "mine", "--quiet")
    captured = capsys.readouterr()
    assert captured.err == ""
    assert "validation ratio" in captured.out


def test_train__quiet_prints_the_result_and_nothing_else(capsys, tmp_path):
    run("train", SPEC, "--model", "mlpa2c", "--updates", 2, "--out", tmp_path / "r", "--quiet")
    captured = capsys.readouterr()
    assert captured.err == ""
    assert "validation ratio" in captured.out


def test_evaluate__quiet_hides_notes_and_shows_errors(capsys, tmp_path):
    (tmp_path / "path.csv").write_text(
        "source,target\n" + "".join(f"{k},{k + 1}\n" for k in range(12))
    )
    run("evaluate", tmp_path / "path.csv", "--quiet")
    captured = capsys.readouterr()
    assert captured.err == ""
    assert "random" in captured.out
    run("evaluate", tmp_path / "path.csv")
    assert "has no attributes" in capsys.readouterr().err
    assert stopped("evaluate", SPEC, "--strategy", "nobody", "--quiet") == 2
    assert capsys.readouterr().err.startswith("garden: unknown strategy 'nobody'")


def test_evaluate__quiet_json_on_standard_output_is_all_there_is(capsys):
    run("evaluate", SPEC, "--strategy", "random", "--json", "-", "--quiet")
    captured = capsys.readouterr()
    assert captured.err == ""
    assert json.loads(captured.out)["strategies"][0]["name"] == "random"


def test_evaluate__verbose_says_how_long_steps_took(capsys):
    run("evaluate", SPEC, "--strategy", "greedy", "--verbose")
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(" took ")[0] for line in lines] == [
        f"garden: loading {SPEC}",
        f"garden: evaluating on {SPEC}",
    ]


def test_evaluate__verbose_shows_where_an_error_arose_and_ends_with_its_line(capsys):
    assert stopped("evaluate", SPEC, "--strategy", "nobody", "--verbose") == 2
    lines = capsys.readouterr().err.splitlines()
    assert any(line.startswith("Traceback") for line in lines)
    assert lines[-1].startswith("garden: unknown strategy 'nobody'")


def test_evaluate__quiet_and_verbose_exclude_each_other(capsys):
    assert stopped("evaluate", SPEC, "--quiet", "--verbose") == 2
    assert capsys.readouterr().err == "garden: --quiet says less and --verbose more: give one\n"


def test_adapt__a_taken_folder_is_told_in_flags(capsys, tmp_path):
    (tmp_path / "config.json").write_text("{}")
    assert stopped("adapt", SPEC, "--out", tmp_path) == 2
    message = capsys.readouterr().err
    assert (
        message == f"garden: {tmp_path}: holds a policy already: give --force, or another folder\n"
    )


def test_task__another_file_is_overwritten_only_when_told_to(capsys, tmp_path):
    path = tmp_path / "task.json"
    run("task", SPEC, "--out", path)
    run("task", SPEC, "--out", path)  # the same task
    before = path.read_bytes()
    capsys.readouterr()
    assert stopped("task", SPEC, "--seed", 1, "--out", path) == 2
    assert capsys.readouterr().err.startswith(f"garden: {path}: is there already: give --force")
    assert path.read_bytes() == before
    run("task", SPEC, "--seed", 1, "--out", path, "--force")
    assert path.read_bytes() != before
