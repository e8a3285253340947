"""Objects as small HTML tables, for notebooks.

Every cell is escaped, since names come from files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape


def table_as_html(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with a caption.

    Args:
        title: The caption.
        columns: The heads of the columns.
        rows: Cells as text; the first cell of each row is set as its head.

    """
    head = "".join(f"<th>{_text(column)}</th>" for column in columns)
    body = "".join(f"<tr>{_row(row)}</tr>" for row in rows)
    return (
        f"<table><caption>{_text(title)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def properties_as_html(title: str, properties: Mapping[str, str]) -> str:
    """A table of names and values without a head.

    Args:
        title: The caption.
        properties: The value of each name, as text.

    """
    body = "".join(f"<tr>{_row(pair)}</tr>" for pair in properties.items())
    return f"<table><caption>{_text(title)}</caption><tbody>{body}</tbody></table>"


def _row(cells: Sequence[str]) -> str:
    first, *others = cells
    return f"<th>{_text(first)}</th>" + "".join(f"<td>{_text(cell)}</td>" for cell in others)


def _text(cell: str) -> str:
    # A name read from bytes that are no UTF-8 may hold what a notebook file cannot encode.
    return escape(cell).encode("utf-8", "replace").decode()
