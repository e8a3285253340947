"""The page that ties all results together."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from garden.atomic import write_text
from garden.experiments.report.sections import Section, Table, read_section

PAGE = "index.html"

_STYLE = """
body { font: 16px/1.5 Georgia, serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
h1, h2 { line-height: 1.2; } h2 { margin-top: 3rem; border-top: 1px solid #999; padding-top: 1rem; }
table { border-collapse: collapse; margin: 1rem 0 0.3rem; font: 13px/1.4 sans-serif; }
caption { text-align: left; font-weight: bold; padding-bottom: 0.3rem; }
th, td { padding: 0.15rem 0.6rem; text-align: right; border-bottom: 1px solid #ddd; }
th:first-child, td:first-child { text-align: left; }
.wide { overflow-x: auto; } .footing { font: 12px sans-serif; color: #444; }
blockquote { border-left: 3px solid #999; margin: 0.5rem 0; padding-left: 1rem; color: #333; }
code { font-size: 14px; } img { max-width: 100%; }
"""


def write_page(results: Path, names: Sequence[str]) -> Path:
    """Write the page of all experiments whose sections are there, in this order."""
    sections = [section for name in names if (section := read_section(results / name)) is not None]
    content = "\n".join(_section(section) for section in sections)
    toc = "\n".join(f'<li><a href="#{s.name}">{escape(s.title)}</a></li>' for s in sections)
    text = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        "<title>garden: the paper, reproduced</title>"
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>\n'
        "<body><h1>The paper, reproduced</h1>\n"
        "<p>Every table and figure of <em>Reinforcement Learning Discovers Efficient Decentralized "
        "Graph Path Search Strategies</em>, made again from nothing but the data: what the paper "
        "claims, what we found, and where and why they differ. Each section names the command that "
        "makes it; every single run, with its seed, options, task hash and versions, stands in the "
        f"section's <code>runs.jsonl</code>.</p>\n<ul>{toc}</ul>\n{content}</body></html>\n"
    )
    write_text(results / PAGE, text)
    return results / PAGE


def _section(section: Section) -> str:
    findings = "".join(f"<li>{escape(sentence)}</li>" for sentence in section.findings)
    figures = "\n".join(
        f'<figure><img src="{section.name}/{name}.svg" alt="{escape(caption)}">'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
        for name, caption in section.figures
    )
    tables = "\n".join(_table(table) for table in section.tables)
    return (
        f'<h2 id="{section.name}">{escape(section.title)}</h2>\n'
        f"<p><code>{escape(section.command)}</code></p>\n"
        f"<p>The paper:</p><blockquote>{escape(section.claim)}</blockquote>\n"
        f"<p>We found:</p><ul>{findings}</ul>\n{figures}\n{tables}\n"
    )


def _table(table: Table) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.columns)
    body = "\n".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in table.rows
    )
    return (
        f'<div class="wide"><table><caption>{escape(table.caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        f'<p class="footing">{escape(table.footing)}</p>'
    )
