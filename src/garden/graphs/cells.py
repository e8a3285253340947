"""Reading one raw cell: is it missing, a number, a boolean, a vector or a category?

A cell is text from a file or a Python object from another library. Nothing here knows columns,
files or graphs.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Sequence
from decimal import Decimal
from numbers import Real

import numpy as np

# No two neighbouring repeats: matching stays linear on megabytes of digits.
_FINITE = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity)", re.ASCII | re.IGNORECASE)
_BOOLEANS = {"true": 1.0, "false": 0.0}
_MISSING_TYPES = {"NoneType", "NAType", "NaTType"}  # pandas' own, without importing pandas
_MISSING_TEXTS = {"nan", "NaN", "NAN", "<NA>"}  # as NumPy and pandas spell it


def is_missing(cell: object) -> bool:
    """Whether the cell is empty, a NaN or the text of one, ``None`` or pandas' ``NA``."""
    if isinstance(cell, str):
        return not cell or cell.isspace() or cell.strip() in _MISSING_TEXTS
    if isinstance(cell, float):
        return cell != cell
    if isinstance(cell, np.datetime64 | np.timedelta64):
        return bool(np.isnat(cell))
    if type(cell).__name__ in _MISSING_TYPES:
        return True
    number = as_number(cell) if isinstance(cell, Real | Decimal | np.ndarray) else None
    return number is not None and number != number


def is_vector(cell: object) -> bool:
    """Whether the cell holds several values in a row."""
    return isinstance(cell, list | tuple) or (isinstance(cell, np.ndarray) and cell.ndim > 0)


def parse_number(text: str) -> float | None:
    """The number that this text spells, ``nan`` and ``inf`` included; None where it is none."""
    text = text.strip()
    if _FINITE.fullmatch(text) or _NOT_FINITE.fullmatch(text):
        return float(text)
    return None


def as_number(cell: object) -> float | None:
    """The cell as a number, infinite where it is too large for a float; None for a boolean."""
    if isinstance(cell, np.ndarray):
        cell = cell.item() if cell.ndim == 0 else None
    if isinstance(cell, str):
        return parse_number(cell)
    if isinstance(cell, bool | np.bool_) or not isinstance(cell, Real | Decimal):
        return None
    try:
        return float(cell)
    except OverflowError:
        return float("inf")
    except ValueError:  # a signalling NaN
        return float("nan")


def as_boolean(cell: object) -> float | None:
    """0 or 1 where the cell is a boolean or spells one; None otherwise."""
    if isinstance(cell, bool | np.bool_):
        return float(cell)
    return _BOOLEANS.get(cell.strip().lower()) if isinstance(cell, str) else None


def shown(value: object) -> str:
    """A short spelling on one line, for messages, however long the value is."""
    return " ".join(reprlib.repr(value).split())


def sample_of(names: Sequence[str], otherwise: str = "", count: int = 5) -> str:
    """The first few names, however many there are."""
    sample = ", ".join(shortened(name) for name in names[:count])
    return (sample or otherwise) + (", …" if len(names) > count else "")


def shortened(text: str) -> str:
    """The text on one line, its middle left out where it is long."""
    return shown(text)[1:-1]
