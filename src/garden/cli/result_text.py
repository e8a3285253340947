"""Results as text: JSON documents, and values as cells of tables."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from garden.errors import DataError
from garden.storage import write_text


def write_json(content: Mapping[str, Any], destination: str) -> None:
    """Write a result as JSON, indented, without NaN and infinities.

    Args:
        content: Values that JSON can hold.
        destination: A file, or ``-`` for standard output.
    """
    to_stdout = destination == "-"
    if to_stdout and sys.__stdout__ is None:
        raise DataError("--json -: standard output is closed")
    # Escapes, where standard output cannot encode names beyond ASCII.
    escaped = to_stdout and not (sys.stdout.encoding or "").lower().startswith("utf")
    text = json.dumps(content, indent=2, ensure_ascii=escaped, allow_nan=False) + "\n"
    if to_stdout:
        sys.stdout.write(text)
    else:
        write_text(Path(destination), text)


def cell_text(value: object) -> str:
    """A value as text: numbers with four digits, the ends of an interval too."""
    if isinstance(value, tuple):
        return " – ".join(map(cell_text, value))
    if isinstance(value, list):
        return " → ".join(map(str, value))
    if value is None:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
