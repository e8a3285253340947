"""A release has one version and one date, and its list of new names holds."""

import re
from pathlib import Path

import garden

ROOT = Path(__file__).parents[1]
CHANGES = (ROOT / "CHANGELOG.md").read_text("utf-8")
RELEASES = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$", CHANGES, re.M)


def test_release__the_changelog_and_the_citation_are_of_this_version():
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    version, date = RELEASES[0]
    assert version == garden.__version__
    assert f"\nversion: {version}\n" in citation
    assert f'\ndate-released: "{date}"\n' in citation


def test_release__the_version_stands_in_one_place():
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert 'dynamic = ["version"]' in project
    assert garden.__version__ not in project


def test_changelog__the_latest_release_comes_first():
    versions = [tuple(map(int, version.split("."))) for version, _ in RELEASES]
    assert versions == sorted(versions, reverse=True)


def test_changelog__modules_under_their_new_names_are_there():
    table = CHANGES.split("Modules, below `src/garden/`:")[1].split("\n## ")[0]
    new = [path for row in table.splitlines() if row.startswith("| `") for path in paths_of(row)]
    assert len(new) >= 30
    assert [path for path in new if not (ROOT / "src" / "garden" / path).exists()] == []


def paths_of(row):
    """The paths in the second column."""
    return re.findall(r"`([^`]+)`", row.strip("| ").split(" | ")[1])
