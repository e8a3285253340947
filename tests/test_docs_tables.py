"""Tables of figures in README and the documentation are the results' own.

A page takes a whole table by `include`; a table or some of its rows that stand on the page itself
name their file in a comment above. Tables of other origin are listed with it.
"""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = {
    str(path.relative_to(ROOT)): path.read_text("utf-8")
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
}
TABLE = re.compile(
    r"(?:<!-- (some rows of )?results/(\w+)/([\w-]+)\.md -->\n)?((?:^\|.*\n)+)", re.M
)
OTHER_ORIGIN = {
    "docs/cluster.md": "a test below reads results/scale/cluster.json; the plan is arithmetic",
    "docs/did-not-help.md": "the experiment went with the code that it was about",
    "docs/environments.md": "measured with the two recipes of examples/",
    "docs/large-graphs.md": "each row has the command that measured it",
    "docs/page.md": "benchmarks/page.py prints it",
    "docs/peers.md": "each row has the flags of the command that measured it",
    "docs/peers-network.md": "benchmarks/peers_network.py prints it",
    "docs/threat-model.md": "each table has the command that measured it",
    "docs/strategies.md": "a test below evaluates the shipped weights",
    "docs/training.md": "a test below asks for the defaults",
}
NEWCOMERS = "towards newcomers"  # a row of another experiment among those of README
NUMBER = re.compile(r"[*`]*[−-]?\d")


def cells(line):
    return tuple(cell.strip() for cell in line.strip().strip("|").split("|"))


def tables():
    """Each table that stands on a page: where, what it says it is, its lines."""
    for page, text in PAGES.items():
        for excerpt, experiment, name, table in TABLE.findall(text):
            yield page, bool(excerpt), experiment, name, table


def is_of_figures(table):
    """Whether most cells behind the first column are numbers."""
    body = [cell for line in table.splitlines()[2:] for cell in cells(line)[1:]]
    return sum(bool(NUMBER.match(cell)) for cell in body) > len(body) / 2


def stored(experiment, name):
    """Columns and rows of a table among the results."""
    section = json.loads((ROOT / "results" / experiment / "section.json").read_text("utf-8"))
    (table,) = (one for one in section["findings"]["tables"] if one["name"] == name)
    return tuple(table["columns"]), [tuple(row) for row in table["rows"]]


NAMED = [(page, *rest) for page, *rest in tables() if rest[1]]


@pytest.mark.parametrize(
    ("excerpt", "experiment", "name", "table"),
    [rest for _, *rest in NAMED],
    ids=[f"{page}-{name}" for page, _, _, name, _ in NAMED],
)
def test_docs__a_table_says_what_the_results_say(excerpt, experiment, name, table):
    columns, _, *rows = (cells(line) for line in table.splitlines() if NEWCOMERS not in line)
    own_columns, own_rows = stored(experiment, name)
    assert columns == own_columns
    if excerpt:
        assert [row for row in own_rows if row in rows] == rows
    else:
        assert rows == own_rows


def test_docs__a_table_of_figures_is_of_the_results_or_says_where_it_is_from():
    strays = {
        page
        for page, _, experiment, _, table in tables()
        if is_of_figures(table) and not experiment
    }
    assert strays == set(OTHER_ORIGIN)


def test_docs__every_table_of_the_results_stands_on_a_page():
    included = {
        (ROOT / page).parent.joinpath(path).resolve()
        for page, text in PAGES.items()
        for path in re.findall(r"^```\{include\} (\S+)", text, re.M)
    }
    tables = sorted((ROOT / "results").glob("*/*.md"))
    assert tables
    assert [str(path) for path in tables if path.resolve() not in included] == []


def test_readme__shows_rows_of_the_main_table_and_apart_from_it_of_agents_that_talk():
    main, talking = [rest for page, *rest in NAMED if page == "README.md"]
    assert main[:3] == [True, "facebook", "headline-by-id"]
    assert 5 <= len(main[3].splitlines()) - 2 <= 7
    assert talking[:3] == [True, "gossip", "gossip-trellis"]
    assert "beacons" in talking[3]
    assert "beacons" not in main[3]


def test_readme__has_the_row_of_newcomers_in_the_main_table():
    main = next(table for page, _, _, _, table in NAMED if page == "README.md").splitlines()
    columns, newcomers = cells(main[0])[1:], cells(main[-1])
    own_columns, own_rows = stored("newcomers", "newcomers")
    own = dict(zip(own_columns, next(row for row in own_rows if row[0] == "trellis"), strict=True))
    assert NEWCOMERS in newcomers[0]
    assert newcomers[1:] == tuple(own[graph].split(",")[0] for graph in columns)


def test_docs__the_figures_of_clusters_are_the_measured_ones():
    measured = json.loads((ROOT / "results/scale/cluster.json").read_text("utf-8"))
    beside, counted = (t for page, *_, t in tables() if page == "docs/cluster.md" and "10⁵" in t)
    fewer, more = measured["beside_one_process"]
    rows = {row[0]: row[1:] for row in map(cells, beside.splitlines())}
    assert rows["two actors ÷ one process"] == (f"{fewer['ratio']:.2f}", f"{more['ratio']:.2f}")
    assert rows["bytes between shards until all is settled, for each node"] == tuple(
        f"{one['bytes_between_shards_per_node']:.0f}" for one in (fewer, more)
    )
    assert rows["bytes between shards, for each message (hops)"] == tuple(
        f"{one['bytes_between_shards_per_message']:.0f} ({one['hops_per_message']:.1f})"
        for one in (fewer, more)
    )
    assert [row[1:] for row in map(cells, counted.splitlines()[2:])] == [
        (
            str(one["shards"]),
            f"{one['border_rows_per_node']:.1f}",
            f"{one['bytes_between_shards_per_node']:,.0f}",
            f"{one['row_bytes_held_per_node']:,.0f}",
            f"{one['disk_bytes_per_node']:.0f}",
        )
        for one in measured["counted"]
    ]


def test_docs__shipped_weights_have_the_figures_of_the_page(real_data):
    import garden

    (table,) = (t for page, *_, t in tables() if page == "docs/strategies.md" and is_of_figures(t))
    _, _, memoryless, visited = map(cells, table.splitlines())
    graphs = ("414", "686", "348", "0", "3437")
    for graph, ratio, with_memory in zip(graphs, memoryless[1:], visited[1:], strict=True):
        name = f"garden-facebook-{graph}"
        report = garden.evaluate(f"facebook:{graph}", [name, f"{name}+visited"])
        ratios = [f"{row['oracle_ratio']:.2f}" for row in report.to_json()["strategies"]]
        assert ratios == [ratio, with_memory]


def test_docs__the_page_on_training_has_the_defaults_of_when_it_ends():
    from garden.training.config import TrainingOptions

    (table,) = (t for page, *_, t in tables() if page == "docs/training.md" and is_of_figures(t))
    (_, *methods), _, *rows = map(cells, table.splitlines())
    for column, method in enumerate(methods, start=1):
        config = TrainingOptions(method=method.strip("`")).resolved()
        for row in rows:
            name = re.match(r"`--([\w-]+)`", row[0])[1].replace("-", "_")
            assert row[column].replace(",", "").split(":")[0] == str(getattr(config, name)), row


def test_docs__tables_are_told_apart_and_figures_recognised():
    figures = "| x | y |\n|---|---|\n| p | 1.5 |\n"
    text = f"<!-- some rows of results/a/b.md -->\n{figures}\n{figures.replace('1.5', 'q')}"
    (excerpt, experiment, name, first), (_, other, _, second) = TABLE.findall(text)
    assert (bool(excerpt), experiment, name, other) == (True, "a", "b", "")
    assert is_of_figures(first)
    assert not is_of_figures(second)


@pytest.mark.parametrize("page", PAGES)
def test_docs__every_picture_and_file_that_a_page_links_is_there(page):
    text = re.sub(r"^```.*?^```$", "", PAGES[page], flags=re.M | re.S)
    paths = re.findall(r"\]\((?!https?:)([^)#\s]+)", text)
    included = re.findall(r"^```\{include\} (\S+)", PAGES[page], re.M)
    here = (ROOT / page).parent
    assert [path for path in [*paths, *included] if not (here / path).exists()] == []
