"""Large text tables, read block by block into Arrow columns in one pass. Needs pyarrow.

A block of plain lines goes to Arrow's parser whole. Any other block (comments, blank lines, quotes,
a wrong number of cells, a stray byte) is read line by line by the same functions as small files, so
that the meaning is the same and an error names its line.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.csv

from garden.datasets.tabular.arrow_columns import ArrowColumn
from garden.datasets.tabular.table import TextFormat
from garden.datasets.text_files import decoded_lines, file_blocks

BLOCK_BYTES = 1 << 25
_ARROW_BYTES = 1 << 22  # of the parts of a block that Arrow parses side by side
_OTHER_BLANKS = bytes({*range(32), 127} - {9, 10, 13})  # that may separate cells, or never stand


def read_columns(
    path: Path, form: TextFormat, width: int, skipped: int
) -> tuple[list[ArrowColumn], np.ndarray]:
    """The columns of a text file below its first lines.

    Args:
        path: The file, gzipped or not.
        form: How to read it.
        width: How many cells each line has.
        skipped: How many lines at the top are left out.

    Returns:
        The columns, and the line of each row, (num_rows,) int64.

    Raises:
        DataError: At the first line that is wrong, which it names.

    """
    parts: list[list[Any]] = [[] for _ in range(width)]
    lines = [np.zeros(0, dtype=np.int64)]
    for first, block in file_blocks(path, BLOCK_BYTES, skipped):
        arrays = _parsed(block, form, width)
        if arrays is None:
            numbers, arrays = _read_by_line(path, block, first, form, width)
        else:
            numbers = np.arange(first, first + len(arrays[0]))
        lines.append(numbers)
        for part, array in zip(parts, arrays, strict=True):
            part.append(array)
    return [ArrowColumn(_chunked(part)) for part in parts], np.concatenate(lines)


def _chunked(parts: Sequence[Any]) -> Any:
    chunks = [one for part in parts for one in getattr(part, "chunks", [part])]
    return pa.chunked_array(chunks, pa.string())


def _separator(block: bytes, form: TextFormat) -> bytes | None:
    """The one byte that separates cells in a block; None where it is not one."""
    if form.delimiter is not None:
        return form.delimiter.encode()
    found = [mark for mark in (b" ", b"\t") if mark in block]
    return found[0] if len(found) == 1 else None


def _is_plain(block: bytes, separator: bytes, form: TextFormat, width: int) -> bool:
    """Whether cells are what stands between separators, and every line has as many."""
    returns = block.count(b"\r")
    if width < 2 or b'"' in block or returns != block.count(b"\r\n"):
        return False
    if len(block.translate(None, _OTHER_BLANKS)) < len(block) or not _is_text(block, form):
        return False
    letters = np.frombuffer(block, dtype=np.uint8)
    starts = np.concatenate([[0], np.flatnonzero(letters == ord("\n"))[:-1] + 1])
    marks = letters == ord(separator)
    counts = np.add.reduceat(marks, starts, dtype=np.int32)
    firsts = letters[starts]
    if (counts != width - 1).any() or (firsts <= ord(" ")).any():
        return False
    if np.isin(firsts, np.frombuffer(form.comments.encode(), dtype=np.uint8)).any():
        return False
    return form.delimiter is not None or not _has_empty_cell(letters, marks, starts)


def _is_text(block: bytes, form: TextFormat) -> bool:
    """Whether the bytes are text, and no letter beyond ASCII can be a blank or a brace matter."""
    if block.isascii():
        return form.delimiter is not None or b"{" not in block
    if form.delimiter is None or form.comments:  # some letters beyond ASCII are white space
        return False
    try:
        block.decode()
    except UnicodeDecodeError:
        return False
    return True


def _has_empty_cell(letters: np.ndarray, marks: np.ndarray, starts: np.ndarray) -> bool:
    """Whether separators stand side by side, or at either end of a line."""
    ends = marks | (letters <= ord("\r"))
    return bool((marks[:-1] & ends[1:]).any() or marks[starts].any())


def _parsed(block: bytes, form: TextFormat, width: int) -> list[Any] | None:
    """The columns of a plain block, by Arrow; None where the block is not plain."""
    separator = _separator(block, form)
    if separator is None or not _is_plain(block, separator, form, width):
        return None
    names = [str(column) for column in range(width)]
    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(block),
            pyarrow.csv.ReadOptions(column_names=names, block_size=_ARROW_BYTES),
            pyarrow.csv.ParseOptions(delimiter=separator.decode(), quote_char=False),
            pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string())),
        )
    except pa.ArrowInvalid:  # a line beyond that size
        return None
    columns = table.columns
    if separator != b" " and b" " in block:
        columns = [pa.compute.utf8_trim(column, characters=" ") for column in columns]
    return list(columns)


def _read_by_line(
    path: Path, block: bytes, first: int, form: TextFormat, width: int
) -> tuple[np.ndarray, list[Any]]:
    numbers, rows = [], []
    for number, cells in form.records(decoded_lines(path, block.splitlines(keepends=True), first)):
        if len(cells) != width:
            raise form.wrong_width(number, len(cells))
        numbers.append(number)
        rows.append(cells)
    columns = zip(*rows, strict=True) if rows else [()] * width
    arrays = [pa.array(list(cells), pa.string()) for cells in columns]
    return np.array(numbers, dtype=np.int64), arrays
