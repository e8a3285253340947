"""Tables that the README takes from the results are the results' own."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TABLES = re.findall(
    r"<!-- (results/(\w+)/([\w-]+)\.md) -->\n((?:\|.*\n)+)", (ROOT / "README.md").read_text("utf-8")
)


def cells(line):
    return tuple(cell.strip() for cell in line.strip().strip("|").split("|"))


def test_readme__opens_with_the_main_table():
    assert TABLES[0][0] == "results/facebook/headline-by-id.md"


@pytest.mark.parametrize(("path", "experiment", "name", "text"), TABLES, ids=[t[0] for t in TABLES])
def test_readme__a_table_says_what_the_results_say(path, experiment, name, text):
    section = json.loads((ROOT / "results" / experiment / "section.json").read_text("utf-8"))
    (table,) = (one for one in section["tables"] if one["name"] == name)
    columns, _, *rows = text.splitlines()
    assert cells(columns) == tuple(table["columns"])
    assert [cells(row) for row in rows] == [tuple(row) for row in table["rows"]]
    assert text in (ROOT / path).read_text("utf-8")


def test_readme__every_picture_and_file_that_it_names_is_there():
    text = (ROOT / "README.md").read_text("utf-8")
    for path in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
        assert (ROOT / path).exists(), path
