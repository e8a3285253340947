"""Reading text and CSV files line by line, so that every error can name its line.

Files may be gzipped. Whatever goes wrong, from a missing file to a stray byte, is a DataError.
"""

from __future__ import annotations

import csv
import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import IO, Any, cast

from garden.errors import DataError, one_line

_BROKEN_FILE = (OSError, EOFError, zlib.error)


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Each line with its number, from 1, line ends included; UTF-8, with or without a mark.

    Raises:
        DataError: If the file is missing, damaged, or not text; it names the line.

    """
    try:
        with open_bytes(path) as stream:
            yield from decoded_lines(path, stream, 1)
    except _BROKEN_FILE as error:
        raise unreadable(path, error) from None


def decoded_lines(path: Path, lines: Iterable[bytes], first: int) -> Iterator[tuple[int, str]]:
    """Lines of a file as text, with their numbers.

    Args:
        path: The file, for errors.
        lines: Its lines from one on, as bytes.
        first: The number of that line.

    """
    number = first
    try:
        for number, raw in enumerate(lines, start=first):
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
            if "\0" in line:
                raise DataError(f"{path}, line {number}: binary data, expected text")
            yield number, line
    except UnicodeDecodeError:
        raise DataError(f"{path}, line {number}: not UTF-8 text: convert the file") from None


def json_content(path: Path, **options: Any) -> Any:
    """What a JSON file holds, gzipped or not.

    Args:
        path: The file.
        **options: Those of :func:`json.loads`.

    """
    text = "".join(line for _, line in text_lines(path))
    try:
        return json.loads(text, **options)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: broken JSON ({one_line(error)})") from None


def file_blocks(path: Path, size: int, skipped: int = 0) -> Iterator[tuple[int, bytes]]:
    """Blocks of whole lines with the number of the first; the last line always ends.

    A block has an even number of quotation marks, so that no quoted cell reaches beyond it.

    Args:
        path: The file, unpacked where it is gzipped.
        size: Bytes of a block, about.
        skipped: How many lines at the top are left out.

    """
    try:
        with open_bytes(path) as stream:
            for _ in range(skipped):
                stream.readline()
            first, rest = skipped + 1, b""
            while block := _whole_lines(stream, size):
                rest += block
                if rest.count(b'"') % 2:
                    continue
                yield first, rest if rest.endswith(b"\n") else rest + b"\n"
                first, rest = first + rest.count(b"\n"), b""
            if rest:
                yield first, rest if rest.endswith(b"\n") else rest + b"\n"
    except _BROKEN_FILE as error:
        raise unreadable(path, error) from None


def _whole_lines(stream: IO[bytes], size: int) -> bytes:
    block = stream.read(size)
    return block if block.endswith(b"\n") else block + stream.readline()


def data_lines(path: Path, comments: str = "#%") -> Iterator[tuple[int, str]]:
    """The lines that are neither blank nor comments, with their numbers.

    Args:
        path: A text file, gzipped or not.
        comments: The letters that begin a comment line.

    """
    return without_comments(text_lines(path), comments)


def without_comments(lines: Iterable[tuple[int, str]], comments: str) -> Iterator[tuple[int, str]]:
    """The numbered lines that are neither blank nor begin with one of these letters.

    Args:
        lines: Lines with their numbers.
        comments: The letters that begin a comment line; empty where there are none.
    """
    for number, line in lines:
        start = line.lstrip()[:1]
        if start and start not in comments:
            yield number, line


def csv_records(
    path: Path,
    delimiter: str = ",",
    comments: str = "",
    lines: Iterator[tuple[int, str]] | None = None,
) -> Iterator[tuple[int, list[str]]]:
    """Each record with the number of its first line; blank and comment lines are skipped.

    Blanks around a cell are dropped, but for those inside quotes; a quoted cell may span lines.

    Args:
        path: A text file, gzipped or not.
        delimiter: What separates the cells.
        comments: The letters that begin a comment line.
        lines: Some of its lines with their numbers; all by default.

    """
    lines = text_lines(path) if lines is None else lines
    for number, line in without_comments(lines, comments):
        body = line.rstrip("\r\n")
        if '"' not in body and "\r" not in body:  # the csv module is needed for the rest only
            yield number, [cell.strip(" ") for cell in body.split(delimiter)]
            continue
        try:
            yield number, _quoted_record(chain([line], (text for _, text in lines)), delimiter)
        except csv.Error as error:
            raise DataError(f"{path}, line {number}: broken CSV ({error})") from None


def csv_delimiter(path: Path) -> str | None:
    """What separates the cells: by the name for TSV, by the first line for CSV and other files.

    None is white space; a spreadsheet may have written semicolons for commas.
    """
    suffix = inner_suffix(path)
    if suffix == ".tsv":
        return "\t"
    first = next((line for _, line in data_lines(path)), "")
    if suffix == ".csv":
        return ";" if ";" in first and not any(mark in first for mark in ',"') else ","
    return "," if "," in first else None


def quoted(cell: str, delimiter: str = ",") -> str:
    """A cell as CSV text, quoted unless it is plain, so that any text reads back as it was.

    Args:
        cell: Any text.
        delimiter: What separates cells.
    """
    plain = cell and all(letter.isalnum() or letter in "_.-+=:; " for letter in cell)
    if plain and cell == cell.strip() and delimiter not in cell:
        return cell
    doubled = cell.replace('"', '""')
    return f'"{doubled}"'


def open_bytes(path: Path) -> IO[bytes]:
    """The file's bytes, unpacked where its name ends in ``.gz``."""
    return cast(IO[bytes], gzip.GzipFile(path)) if is_gzipped(path) else path.open("rb")


def is_gzipped(path: Path) -> bool:
    """Whether the name says so."""
    return path.suffix.lower() == ".gz"


def inner_suffix(path: Path) -> str:
    """The suffix in lower case, the one before ``.gz`` where the file is gzipped."""
    return (Path(path.stem).suffix if is_gzipped(path) else path.suffix).lower()


def unreadable(path: Path, error: BaseException) -> DataError:
    """The one-line error for a file that the system or the unpacker could not read.

    Args:
        path: The file.
        error: What was raised while it was read.
    """
    if isinstance(error, FileNotFoundError):
        return DataError(f"{path}: no such file: check the path")
    if isinstance(error, OSError) and error.strerror:
        return DataError(f"{path}: cannot be read ({error.strerror})")
    return DataError(f"{path}: damaged gzip file ({one_line(error)}): fetch it again")


def _quoted_record(lines: Iterable[str], delimiter: str) -> list[str]:
    read: list[str] = []
    kept = (read.append(line) or line for line in lines)  # type: ignore[func-returns-value]
    cells = next(csv.reader(kept, delimiter=delimiter, strict=True, skipinitialspace=True))
    if not any(cell.endswith(" ") for cell in cells):
        return cells
    # Blanks at the end belong to a cell where a quote follows them; csv does not tell.
    text = "".join(read)
    return [cell if cell.replace('"', '""') + '"' in text else cell.rstrip(" ") for cell in cells]
