"""Files, modules and functions that the documentation names exist.

Whoever renames something learns here which pages speak of it.
"""

from __future__ import annotations

import ast
import pkgutil
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "garden"
PAGES = {
    str(path.relative_to(ROOT)): path.read_text("utf-8")
    for path in [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *sorted((ROOT / "docs").rglob("*.md")),
    ]
}
DOTTED = re.compile(r"(?<![\w./-])garden(?:\.[A-Za-z_]\w*)+")
ROOMS = "|".join(sorted(path.name for path in PACKAGE.iterdir() if path.is_dir()))
OF_PACKAGE = re.compile(rf"(?:(?:src/)?garden/)?((?:{ROOMS})/[\w/]*(?:\w\.py|/)?)")
OF_TREE = re.compile(r"(?:src|tests|benchmarks|examples|docs|results|\.ci)/[\w./-]*")
MAP = "docs/paper-map.md"


def spans(text: str) -> list[str]:
    """What stands between single back-ticks, outside of fenced blocks."""
    outside = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return re.findall(r"(?<!`)`([^`\n]+)`(?!`)", outside)


def defined_in(path: Path) -> set[str]:
    """Names of a module's, or a package's modules', functions and classes, members as `C.m`."""
    names: set[str] = set()
    for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                names.add(node.name)
            if isinstance(node, ast.ClassDef):
                names |= {f"{node.name}.{member}" for member in members(node)}
    return names


def leads_somewhere(name: str) -> bool:
    try:
        pkgutil.resolve_name(name)
    except (AttributeError, ImportError):
        return False
    return True


def members(node: ast.ClassDef) -> set[str]:
    functions = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
    fields = {
        part.target.id
        for part in node.body
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
    }
    return functions | fields


@pytest.mark.parametrize("page", PAGES)
def test_docs__every_dotted_name_leads_somewhere(page):
    names = sorted(set(DOTTED.findall(PAGES[page])))
    assert [name for name in names if not leads_somewhere(name)] == []


@pytest.mark.parametrize("page", PAGES)
def test_docs__every_file_of_the_package_that_is_named_is_there(page):
    found = filter(None, map(OF_PACKAGE.fullmatch, spans(PAGES[page])))
    paths = [match[1] for match in found if match[0].endswith((".py", "/"))]
    assert [path for path in paths if not (PACKAGE / path).exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_docs__every_other_file_of_the_tree_that_is_named_is_there(page):
    paths = [span for span in spans(PAGES[page]) if OF_TREE.fullmatch(span)]
    meant = [path for path in paths if "NAME" not in path and "_build" not in path]
    assert [path for path in meant if not (ROOT / path).exists()] == []


def test_map__every_function_is_in_one_of_the_files_beside_it():
    checked, missing = 0, []
    for line in PAGES[MAP].splitlines():
        cells = [re.findall(r"`([^`]+)`", cell) for cell in line.strip("| ").split(" | ")]
        if len(cells) != 3 or not any(span.endswith((".py", "/")) for span in cells[1]):
            continue
        paths = [PACKAGE / span for span in cells[1] if span.endswith((".py", "/"))]
        known = set().union(*(defined_in(path) for path in paths if path.exists()))
        missing += [(name, cells[1]) for name in cells[2] if name not in known]
        checked += len(cells[2])
    assert missing == []
    assert checked >= 25


def test_map__every_table_and_figure_has_a_command_of_an_experiment_that_there_is():
    from garden.experiments.run.reproduce import EXPERIMENTS

    commands = re.findall(r"`garden reproduce (\w+)", PAGES[MAP])
    assert len(commands) >= 7
    assert set(commands) <= set(EXPERIMENTS)
