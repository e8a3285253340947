"""The code on the pages of the documentation runs as it is printed, and what they name is there.

Python and shell blocks of a page run from top to bottom in one process and one folder, so that a
block has what those above it made; work is cut short (``GARDEN_SHORT``). Commands that need real
data or minutes stand in console blocks, behind a `$`, and run one block at a time under the marker
`docs` (``make test-docs``). Cells of notebooks are run by ``make docs``.
"""

from __future__ import annotations

import re
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import garden
from garden.cli.main import main
from garden.training.config import TrainingOptions

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]

NOT_RUN = {  # the beginnings of commands that no test runs
    "make": "sets up an environment of its own and runs this very suite",
    "pip": "installs packages",
    "pytest": "tests/testing/test_docs_strategy.py runs the strategy's own test",
    "python examples/": "tests/examples/test_recipes.py runs the recipes, in small",
    "python benchmarks/": "minutes, and what they measure is no assertion",
    "garden data fetch": "downloads",
    "garden serve": "answers until it is interrupted; tests/web/test_page.py opens it",
    **dict.fromkeys(
        (
            f"garden peers {verb}"
            for verb in ("up", "send", "find", "status", "top", "down", "card")
        ),
        "tests/peers/network/test_processes.py runs hosts",
    ),
    "garden cluster run": "reads shards; tests/cluster/test_cluster.py runs actors",
    "garden peers kill": "minutes, and as many processes as peers",
    "garden --tyro-print-completion": "tests/cli/test_verbosity.py prints the scripts",
}
REAL_DATA = re.compile(r"facebook|twitch|garden reproduce")


@dataclass(frozen=True)
class Block:
    """Some lines of a page that stand between fences."""

    page: str
    number: int  # of its first line
    language: str
    lines: tuple[str, ...]

    @property
    def title(self) -> str:
        return f"{self.page}:{self.number}"

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def needs_data(self) -> bool:
        return bool(REAL_DATA.search(re.sub(r"#.*", "", self.text)))

    @property
    def commands(self) -> list[str]:
        """The lines that a shell would run; of a console, those behind a prompt."""
        if self.language == "console":
            return [line[2:] for line in self.lines if line.startswith("$ ")]
        return [line for line in self.lines if shlex.split(line, comments=True)]


def blocks_of(text: str, page: str) -> list[Block]:
    """The fenced blocks of a page."""
    blocks: list[Block] = []
    lines = text.splitlines()
    number = 0
    while number < len(lines):
        if lines[number].startswith("```"):
            start, language = number + 1, lines[number][3:].strip()
            number = lines.index("```", start)
            blocks.append(Block(page, start + 1, language, tuple(lines[start:number])))
        number += 1
    return blocks


TEXTS = {str(page.relative_to(ROOT)): page.read_text("utf-8") for page in PAGES}
BLOCKS = {page: blocks_of(text, page) for page, text in TEXTS.items()}
RUN = {
    page: [block for block in blocks if block.language in ("python", "shell")]
    for page, blocks in BLOCKS.items()
}
CONSOLES = [
    block
    for blocks in BLOCKS.values()
    for block in blocks
    if block.language == "console" and any(c.startswith("garden ") for c in block.commands)
]


def reason_not_to_run(command: str) -> str | None:
    return next((why for start, why in NOT_RUN.items() if command.startswith(start)), None)


def test_docs__tests_that_stand_in_for_a_command_are_there():
    named = {path for why in NOT_RUN.values() for path in re.findall(r"tests/\S+\.py", why)}
    assert len(named) >= 6
    assert [path for path in sorted(named) if not (ROOT / path).is_file()] == []


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder to work in, with the strategy that a page tells its reader to store."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GARDEN_SHORT", "1")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    (example,) = (b for b in RUN["docs/your-own-strategy.md"] if "class Surroundings" in b.text)
    (tmp_path / "surroundings.py").write_text(example.text, "utf-8")
    yield tmp_path
    sys.modules.pop("surroundings", None)


def run_command(command: str) -> None:
    """Run a command through the entry of the command line; exit codes other than 0 fail."""
    words = shlex.split(command, comments=True)
    if words[0] != "garden" or reason_not_to_run(command):
        assert reason_not_to_run(command), f"{command}: run it, or say why not"
        return
    try:
        main(words[1:])
    except SystemExit as stop:
        if stop.code:
            pytest.fail(f"{command}: exit code {stop.code}")


def run_block(block: Block, names: dict[str, object]) -> None:
    if block.language == "python":
        exec(compile(block.text, block.title, "exec"), names)
        return
    for command in block.commands:
        run_command(command)


def provide_runs_of_the_recipes(block: Block) -> None:
    """The run folders that recipes make, from a training that is cut short."""
    for command in block.commands:
        words = shlex.split(command, comments=True)
        if words[0] == "python" and "--out" in words:
            options = TrainingOptions(model="mlpa2cwd")
            spec = "kaiser-hilgetag:n=200,alpha=30,beta=1,seed=0"
            policy = garden.train(spec, options=options, quiet=True)
            policy.save(words[words.index("--out") + 1])


@pytest.mark.parametrize("page", [page for page, blocks in RUN.items() if blocks])
def test_docs__the_code_of_a_page_runs_from_top_to_bottom(page, folder, request, capsys):
    names: dict[str, object] = {"__name__": "documentation"}
    for block in RUN[page]:
        if block.needs_data:
            request.getfixturevalue("real_data")
        if "garden.cluster" in block.text:
            request.getfixturevalue("home_for_ray")
        run_block(block, names)
    assert not (folder / "results").exists()


@pytest.mark.docs
@pytest.mark.parametrize("block", CONSOLES, ids=[block.title for block in CONSOLES])
def test_docs__commands_behind_a_prompt_run_cut_short(block, folder, request, capsys):
    if block.needs_data:
        request.getfixturevalue("real_data")
    provide_runs_of_the_recipes(block)
    for command in block.commands:
        run_command(command)
    assert not (folder / "results").exists()


def test_docs__whoever_stands_behind_a_prompt_is_run_or_has_a_reason_not_to_be():
    blocks = [block for blocks in BLOCKS.values() for block in blocks]
    for block in blocks:
        if block.language not in ("console", "shell"):
            continue
        for command in block.commands:
            assert command.startswith("garden ") or reason_not_to_run(command), block.title


def test_docs__blocks_are_found_with_their_language_and_their_line():
    page = "# T\n\n```console\n$ garden x  # y\nits output\n```\n\n```python\na = 1\n```\n"
    console, code = blocks_of(page, "page.md")
    assert (console.number, console.language) == (4, "console")
    assert console.commands == ["garden x  # y"]
    assert (code.title, code.language, code.text) == ("page.md:9", "python", "a = 1")


def test_docs__every_block_is_of_a_kind_that_is_run_or_built():
    blocks = [block for blocks in BLOCKS.values() for block in blocks]
    kinds = {block.language.split("}")[0] for block in blocks}
    built = {"{code-cell", "{eval-rst", "{include", "{toctree"}
    assert kinds <= {"python", "shell", "console", "json"} | built
    assert sum(block.language == "python" for block in blocks) >= 8
    assert sum(block.language == "shell" for block in blocks) >= 8


@pytest.mark.parametrize("page", TEXTS)
def test_docs__no_code_is_indented_where_nothing_would_run_it(page):
    outside = re.sub(r"^```.*?^```$", "", TEXTS[page], flags=re.M | re.S)
    assert not re.search(r"\n\n {4,}\S", outside)


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
