"""Every command and every Python block of the documentation runs as it is printed.

Work is cut short (``GARDEN_SHORT``), and each block has a folder of its own. Blocks that take
longer than 10 s even so carry the marker `docs`: ``make test-docs`` runs them.
"""

from __future__ import annotations

import re
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

import networkx as nx
import pytest

import garden
from garden.cli.main import main
from garden.training.config import TrainingOptions

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

NOT_RUN = {
    "make": "sets up an environment of its own and runs this very suite",
    "pip": "installs packages",
    "pytest": "tests/testing/test_readme.py runs the strategy's own test",
    "python": "tests/examples/test_recipes.py runs the recipes, in small",
}
REAL_DATA = re.compile(r"facebook|twitch|garden reproduce")
SLOW = (  # what starts a line of a block that takes longer than 10 s
    "garden data list",
    "garden train",
    "garden reproduce",
    "from garden.envs",
    'policy = garden.train(task, model="garden")',
)


@dataclass(frozen=True)
class Block:
    """Some lines of a page that belong together."""

    page: Path
    number: int  # of its first line
    language: str
    lines: tuple[str, ...]

    @property
    def title(self) -> str:
        return f"{self.page.name}:{self.number}"

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def is_slow(self) -> bool:
        return any(line.startswith(SLOW) for line in self.lines)


def blocks_of(page: Path) -> list[Block]:
    """The fenced blocks of a page, and the indented ones, which hold commands."""
    blocks: list[Block] = []
    lines = page.read_text("utf-8").splitlines()
    number = 0
    while number < len(lines):
        start = number
        if lines[number].startswith("```"):
            language = lines[number][3:].strip() or "text"
            number = lines.index("```", number + 1)
            blocks.append(Block(page, start + 2, language, tuple(lines[start + 1 : number])))
        elif lines[number].startswith("    ") and (start == 0 or not lines[start - 1].strip()):
            while number < len(lines) and lines[number].startswith("    "):
                number += 1
            block = tuple(line[4:] for line in lines[start:number])
            blocks.append(Block(page, start + 1, "shell", block))
        number += 1
    return blocks


ALL = [block for page in PAGES for block in blocks_of(page)]
SHELL = [block for block in ALL if block.language in ("shell", "sh", "bash", "console")]
PYTHON = [block for block in ALL if block.language == "python"]


def each(blocks: list[Block]) -> pytest.MarkDecorator:
    """A test for each block, those that are slow under their marker."""
    cases = [
        pytest.param(block, id=block.title, marks=[pytest.mark.docs] if block.is_slow else [])
        for block in blocks
    ]
    return pytest.mark.parametrize("block", cases)


def words_of(line: str) -> list[str]:
    """The words of a command, without the comment behind it."""
    return shlex.split(line, comments=True)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the files that the documentation takes to be the reader's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GARDEN_SHORT", "1")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    graph = nx.relabel_nodes(nx.karate_club_graph(), {0: "A", 33: "B"})
    for place, (_, facts) in enumerate(graph.nodes(data=True)):
        facts["age"] = place
    nx.write_graphml(graph, tmp_path / "my_graph.graphml")
    for block in PYTHON:
        if "class Surroundings" in block.text:
            (tmp_path / "surroundings.py").write_text(block.text, "utf-8")
    yield tmp_path
    sys.modules.pop("surroundings", None)


def run_where_it_is_read(line: str) -> None:
    """Run a command through the entry of the command line; exit codes other than 0 fail."""
    words = words_of(line)
    try:
        main(words[1:])
    except SystemExit as stop:
        if stop.code:
            pytest.fail(f"{line}: exit code {stop.code}")


def provide_runs_of_the_recipes(block: Block) -> None:
    """The run folders that recipes make, from a training that is cut short."""
    for line in block.lines:
        words = words_of(line)
        if words[:1] == ["python"] and "--out" in words:
            options = TrainingOptions(model="mlpa2cwd")
            policy = garden.train(
                "kaiser-hilgetag:n=200,alpha=30,beta=1,seed=0", options=options, quiet=True
            )
            policy.save(words[words.index("--out") + 1])


@each(SHELL)
def test_docs__every_command_runs_as_printed(block, folder, request, capsys):
    if REAL_DATA.search(block.text):
        request.getfixturevalue("real_data")
    provide_runs_of_the_recipes(block)
    for line in block.lines:
        tool = words_of(line)[0] if words_of(line) else ""
        if tool == "garden":
            run_where_it_is_read(line)
        else:
            assert not tool or tool in NOT_RUN, f"{block.title}: {line}: run it, or say why not"
    assert not (folder / "results").exists()


@each(PYTHON)
def test_docs__every_python_block_runs_as_printed(block, folder, request, capsys):
    if REAL_DATA.search(block.text):
        request.getfixturevalue("real_data")
    exec(compile(block.text, block.title, "exec"), {"__name__": "documentation"})


def test_docs__blocks_are_found_with_their_language_and_their_line(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# T\n\n    garden data list\n    garden x  # y\n\n```python\na = 1\n```\n")
    commands, code = blocks_of(page)
    assert (commands.number, commands.lines) == (3, ("garden data list", "garden x  # y"))
    assert (code.number, code.language, code.text) == (7, "python", "a = 1")
    assert words_of(commands.lines[1]) == ["garden", "x"]


def test_docs__every_block_is_shell_or_python():
    assert {block.language for block in ALL} <= {"shell", "sh", "bash", "console", "python"}
    assert len(SHELL) > 15
    assert len(PYTHON) >= 3


def test_short__nothing_is_written_under_results(folder):
    from garden.experiments.run.reproduce import pretrain, reproduce

    for make in (reproduce, pretrain):
        with pytest.raises(garden.GardenError, match="nothing is written under results/"):
            make(["graphs"], folder / "results")
    assert not (folder / "results").exists()


def test_short__a_training_makes_three_updates(folder):
    assert TrainingOptions(updates=300).resolved().updates == 3


def test_short__is_off_unless_it_is_asked_for(monkeypatch):
    monkeypatch.setenv("GARDEN_SHORT", "0")
    assert TrainingOptions(updates=300).resolved().updates == 300
