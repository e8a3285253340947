"""The page that ties all results together: one file of HTML that opens from a disk.

Style and script are inline, figures lie beside it. A summary comes first, then each experiment
with its claims, figures and tables; every table is sorted by a click on a column's head.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from pathlib import Path

from garden.experiments.report.claims import Claim, Verdict
from garden.experiments.report.sections import CLAIMS_FOOTING, Section, Table, read_section
from garden.storage import write_text

PAGE = "index.html"
_TITLE = "garden: the paper, reproduced"
_INTRODUCTION = (
    "Every table and figure of <cite>Reinforcement Learning Discovers Efficient Decentralized "
    "Graph Path Search Strategies</cite>, made again from nothing but the data, and experiments "
    "of our own. Each section names the command that makes it; every single run, with its seed, "
    "options, task hash and versions, stands in the section's <code>runs.jsonl</code>."
)
_OURS = "Nothing: the experiment is ours."
_MARKS: dict[Verdict, str] = {"holds": "✓", "fails": "✗", "undecided": "?", "mixed": "±"}


def write_page(results: Path, names: Sequence[str]) -> Path:
    """Write the page of all experiments whose sections are there.

    Args:
        results: The folder of results, with a folder for each experiment.
        names: The experiments, in the order of the page.

    Returns:
        The page's path.
    """
    sections = [section for name in names if (section := read_section(results / name)) is not None]
    write_text(results / PAGE, page_of(sections))
    return results / PAGE


def page_of(sections: Sequence[Section]) -> str:
    """The whole page as HTML."""
    here = files("garden.experiments.report")
    style, script = ((here / name).read_text("utf-8") for name in ("page.css", "page.js"))
    links = "\n".join(f'<li><a href="#{s.name}">{escape(s.title)}</a></li>' for s in sections)
    content = "\n".join(_section(section) for section in sections)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{_TITLE}</title>
<style>
{style}</style>
</head>
<body>
<nav aria-label="Experiments">
<p><a href="#summary">Summary</a></p>
<ol>
{links}
</ol>
</nav>
<main>
<h1>The paper, reproduced</h1>
<p>{_INTRODUCTION}</p>
{_summary(sections)}
{content}
</main>
<script>
{script}</script>
</body>
</html>
"""


def _summary(sections: Sequence[Section]) -> str:
    """What was claimed and what was found: a row for each experiment, then one for each claim."""
    experiments = [_experiment_row(section) for section in sections]
    claims = [
        _claim_row(section, claim) for section in sections for claim in section.findings.claims
    ]
    return (
        '<section id="summary">\n<h2>Summary</h2>\n'
        + _rows_under(("experiment", "what the paper says", "claims by verdict"), experiments)
        + "<h3>Every claim</h3>\n"
        + _rows_under(("experiment", "claim", "verdict", "holds", "fails", "undecided"), claims)
        + f'<p class="footing">{escape(CLAIMS_FOOTING)} Numbers count cases; the sections name '
        "them.</p>\n</section>"
    )


def _experiment_row(section: Section) -> str:
    found = Counter(claim.verdict for claim in section.findings.claims)
    cells = " ".join(
        f'<span class="{verdict}">{mark} {found[verdict]} {verdict}</span>'
        for verdict, mark in _MARKS.items()
        if found[verdict]
    )
    return (
        f'<tr><td><a href="#{section.name}">{escape(section.title)}</a></td>'
        f"<td>{escape(section.paper) or _OURS}</td><td>{cells}</td></tr>"
    )


def _claim_row(section: Section, claim: Claim) -> str:
    counts = (len(some) for some in (claim.holds_on, claim.fails_on, claim.undecided_on))
    return (
        f'<tr><td><a href="#{section.name}">{escape(section.name)}</a></td>'
        f"<td>{escape(claim.text)}</td>{_verdict(claim.verdict)}"
        + "".join(f'<td class="number">{count}</td>' for count in counts)
        + "</tr>"
    )


def _verdict(verdict: Verdict) -> str:
    return f'<td class="{verdict}">{_MARKS[verdict]} {verdict}</td>'


def _section(section: Section) -> str:
    paper = escape(section.paper) or _OURS
    notes = "".join(f'<p class="note">{escape(note)}</p>\n' for note in section.notes)
    figures = "\n".join(
        f'<figure><img src="{section.name}/{name}.svg" alt="{escape(caption)}" loading="lazy">'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
        for name, caption in section.findings.figures
    )
    tables = "\n".join(
        f"<details{' open' if number == 0 else ''}><summary>{escape(table.caption)}</summary>\n"
        f"{_table(table)}</details>"
        for number, table in enumerate(section.findings.tables)
    )
    return (
        f'<section id="{section.name}">\n<h2>{escape(section.title)}</h2>\n'
        f"<p><code>{escape(section.command)}</code></p>\n{notes}"
        f"<h3>In the paper</h3>\n<p>{paper}</p>\n"
        f"<h3>Found</h3>\n{_table(section.claims_table)}\n{figures}\n{tables}\n</section>"
    )


def _table(table: Table) -> str:
    rows = ["<tr>" + "".join(_cell(cell) for cell in row) + "</tr>" for row in table.rows]
    footing = f'<p class="footing">{escape(table.footing)}</p>\n'
    return _rows_under(table.columns, rows) + footing


def _cell(cell: str) -> str:
    verdict = next((known for known in _MARKS if known == cell), None)
    if verdict is not None:
        return _verdict(verdict)
    is_number = cell[:1].isdigit() or cell[:1] in ("+", "-", "−", "–")
    return f'<td class="number">{escape(cell)}</td>' if is_number else f"<td>{escape(cell)}</td>"


def _rows_under(columns: Sequence[str], rows: Sequence[str]) -> str:
    """A sortable table of rows that are HTML already."""
    head = "".join(
        f'<th scope="col"><button type="button">{escape(name)}</button></th>' for name in columns
    )
    body = "\n".join(rows)
    return (
        f'<div class="wide"><table class="sortable">\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody>\n</table></div>\n"
    )
