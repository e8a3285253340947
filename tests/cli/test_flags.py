"""Verbs that there are not, and messages of the library in the words of the command line."""

import ast
import re
from pathlib import Path

import pytest

import garden
from garden.cli.flags import check_verb, in_flags
from garden.cli.main import Command
from garden.errors import SpecError

SOURCE = Path(garden.__file__).parent
FLAG = re.compile(r"(?<![\w-])--[a-z]")


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("give `force=True` or another `out`", "give --force or another --out"),
        ("lower `targets_per_update` (now 8)", "lower --targets-per-update (now 8)"),
        ("`device='cuda'`: none here", "--device cuda: none here"),
        ("use `seed=3`", "use --seed 3"),
        ("adapt without `local=True`", "adapt without --local"),
        ("`folder` is 42", "`folder` is 42"),  # no verb has such a flag
        ("`spec` and `garden task`", "`spec` and `garden task`"),  # a position and a command
    ],
)
def test_in_flags__arguments_become_the_flags_of_that_name(said, shown):
    assert in_flags(said, Command) == shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["evalute", "x"],
            r"^garden has no verb 'evalute': did you mean 'evaluate'\? it ",
        ),
        (
            ["data", "lst"],
            r"^garden data has no verb 'lst': did you mean 'list'\? it has li",
        ),
        (["xyzzy"], "^garden has no verb 'xyzzy': it has quickstart, data"),
    ],
)
def test_check_verb__a_mistyped_one_is_told_the_nearest(words, message):
    with pytest.raises(SpecError, match=message):
        check_verb(words, Command)


def test_check_verb__what_there_is_and_what_is_a_flag_pass():
    for words in (["evaluate"], ["data", "info"], ["data", "--help"], ["--help"], []):
        check_verb(words, Command)


def strings_of(path):
    """The strings of a module that are no docstrings, with their lines."""
    tree = ast.parse(path.read_text())
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.lineno, node.value


def test_errors__no_message_outside_the_command_line_speaks_of_flags():
    commands = (
        SOURCE / "experiments" / "run" / "config.py"
    )  # spells the command that results are kept with
    speaking = [
        f"{path.relative_to(SOURCE)}:{line}: {text}"
        for path in SOURCE.rglob("*.py")
        if "cli" not in path.parts and path != commands
        for line, text in strings_of(path)
        if FLAG.search(text) and "`garden " not in text
    ]
    assert speaking == []
