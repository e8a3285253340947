"""Tables that the README takes from the results are the results' own."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MARKED = r"<!-- {}(results/(\w+)/([\w-]+)\.md) -->\n((?:\|.*\n)+)"
README = (ROOT / "README.md").read_text("utf-8")
TABLES = re.findall(MARKED.format(""), README)
EXCERPTS = re.findall(MARKED.format("some rows of "), README)


def cells(line):
    return tuple(cell.strip() for cell in line.strip().strip("|").split("|"))


def test_readme__opens_with_the_main_table():
    assert TABLES[0][0] == "results/facebook/headline-by-id.md"


def stored(experiment, name):
    """Columns and rows of a table among the results."""
    section = json.loads((ROOT / "results" / experiment / "section.json").read_text("utf-8"))
    (table,) = (one for one in section["tables"] if one["name"] == name)
    return tuple(table["columns"]), [tuple(row) for row in table["rows"]]


@pytest.mark.parametrize(("path", "experiment", "name", "text"), TABLES, ids=[t[0] for t in TABLES])
def test_readme__a_table_says_what_the_results_say(path, experiment, name, text):
    columns, _, *rows = text.splitlines()
    assert (cells(columns), [cells(row) for row in rows]) == stored(experiment, name)
    assert text in (ROOT / path).read_text("utf-8")


@pytest.mark.parametrize(
    ("path", "experiment", "name", "text"), EXCERPTS, ids=[t[0] for t in EXCERPTS]
)
def test_readme__some_rows_of_a_table_are_rows_of_it(path, experiment, name, text):
    columns, _, *rows = text.splitlines()
    own_columns, own_rows = stored(experiment, name)
    assert cells(columns) == own_columns
    assert {cells(row) for row in rows} <= set(own_rows)


def test_readme__every_picture_and_file_that_it_names_is_there():
    text = (ROOT / "README.md").read_text("utf-8")
    for path in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
        assert (ROOT / path).exists(), path
