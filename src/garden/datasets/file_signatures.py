"""Recognising files that are no graph, or have the wrong suffix, by their first bytes.

An edge list may have any name, so that a picture or a web page would be read as one; the error
should say what the file is instead, and which kinds are read.
"""

from __future__ import annotations

import zlib
from pathlib import Path

from garden.datasets.text_files import inner_suffix, open_bytes
from garden.errors import DataError

KINDS = (
    ".graphml, .gml, .gexf, .json (node-link), .npz, an edge list (.csv, .tsv, .parquet, .txt, "
    ".edges, .edgelist), a folder with edges.csv and nodes.csv, a folder of MUSAE files"
)
TEXT_SUFFIXES = frozenset({"", ".csv", ".tsv", ".txt", ".edges", ".edgelist"})

_STARTS = {  # the first bytes of files that people take for a graph
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"%PDF": "a PDF document",
    b"\xd0\xcf\x11\xe0": "an old Office document",
    b"PK\x03\x04": "a zip archive or an Office document",
    b"\x1f\x8b": "a gzip file: let its name end in .gz",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ": "an xz file",
    b"\x28\xb5\x2f\xfd": "a Zstandard file",
    b"\x89HDF": "an HDF5 file",
    b"SQLite format 3": "an SQLite database",
    b"\x7fELF": "a program",
    b"PAR1": "a Parquet file: let its name end in .parquet",
    b"ARROW1": "an Arrow file",
    b"\x93NUMPY": "a NumPy array",
    b"\x80\x03": "a pickle",
    b"\x80\x04": "a pickle",
    b"\x80\x05": "a pickle",
    b"{\\rtf": "an RTF document",
}
_TEXT_STARTS = {
    "<!doctype html": "a web page",
    "<html": "a web page",
    "<graphml": "GraphML: let its name end in .graphml",
    "<gexf": "GEXF: let its name end in .gexf",
    "<?xml": "an XML document",
    "graph [": "GML: let its name end in .gml",
    "{": "JSON: let its name end in .json",
    "*vertices": "a Pajek file",
}
_ZIPPED = {".xlsx": "an Excel workbook", ".docx": "a Word document", ".zip": "a zip archive"}


def refuse_other_kinds(path: Path) -> None:
    """Refuse a file that is about to be read as an edge list and is something else.

    Raises:
        DataError: If its first bytes are those of a known format, or binary.

    """
    kind = _kind(path)
    if kind is not None:
        raise unknown_kind(path, kind)


def unknown_kind(path: Path, kind: str) -> DataError:
    """The error for a file that no reader is for.

    Args:
        path: The file.
        kind: What it is instead, as far as that is known.
    """
    return DataError(f"{path}: an unknown kind of file ({kind}): the known kinds are {KINDS}")


def _kind(path: Path) -> str | None:
    """What the file is, going by its first bytes; None where it may be an edge list."""
    try:
        with open_bytes(path) as stream:
            start = stream.read(4096)
    except (OSError, EOFError, zlib.error):
        return None  # whoever reads it will say what is wrong
    for magic, kind in _STARTS.items():
        if start.startswith(magic):
            return _ZIPPED.get(inner_suffix(path), kind) if magic == b"PK\x03\x04" else kind
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()[:32].lower()
    for opening, kind in _TEXT_STARTS.items():
        if text.startswith(opening.encode()):
            return kind
    # Of a stray byte in a file that is named as text, the reader knows the line.
    if inner_suffix(path) not in TEXT_SUFFIXES and not _is_text(start):
        return "binary data"
    return None


def _is_text(start: bytes) -> bool:
    try:
        start[: max(0, len(start) - 3)].decode("utf-8")  # a letter may be cut at the end
    except UnicodeDecodeError:
        return False
    return b"\0" not in start
