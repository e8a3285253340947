"""The process that reads one uploaded file: strict readers, within limits of memory and time.

python -P -m garden.web.read_upload FOLDER NAME COLUMNS

Reads FOLDER/NAME, writes FOLDER/graph.npz and prints one line of JSON: ``messages``, what a person
should know, or ``error``, with ``columns`` and ``arguments`` where a person must say which columns
are meant: COLUMNS holds their answer, by arguments of :func:`garden.load`, as JSON. Whatever a file
does to this process, the server stays up.
"""

from __future__ import annotations

import gzip
import json
import logging
import os
import sys
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import IO

from garden.datasets.files import write_graph
from garden.datasets.spec import load
from garden.datasets.tabular.column_roles import ColumnsError
from garden.errors import DataError, GardenError, one_line

MAX_UNPACKED = 256 << 20  # bytes
MAX_MEMORY = 8 << 30  # bytes of address space
MAX_NODES = 100_000
MAX_MESSAGES = 8
MAX_COLUMNS = 200  # that are offered to choose from
RESULT = "graph.npz"
_MEMBERS = ("edges", "nodes")  # of a zipped folder
_BLOCK = 1 << 20
_WORDS = {  # what only callers of functions can do, in the words of a page
    "`scale=False` leaves them as they are": (
        "garden data convert, told not to scale, makes an .npz of them as they are"
    )
}


def main(folder: Path, name: str, columns: dict[str, str]) -> None:
    """Read the file, write the graph, print what happened.

    Args:
        folder: Where the file lies, and where the graph is written.
        name: The file's.
        columns: Which columns are meant, by the arguments of :func:`garden.load`.
    """
    os.chdir(folder)  # so that no message can hold the folder
    heard = _Messages()
    logging.getLogger("garden").addHandler(heard)
    reply: dict[str, object] = {}
    try:
        _limit_memory()
        _convert(Path(name), columns)
        reply["messages"] = [_on_a_page(line) for line in heard.lines[:MAX_MESSAGES]]
    except ColumnsError as error:
        reply["error"] = error.why
        if error.columns:
            reply.update(columns=error.columns[:MAX_COLUMNS], arguments=error.arguments)
    except GardenError as error:
        reply["error"] = one_line(error)
    except (MemoryError, RecursionError, OverflowError):
        reply["error"] = f"{name}: needs too much memory to be read here"
    except Exception:  # a reader's own fault: say no more than that
        reply["error"] = f"{name}: cannot be read"
    print(json.dumps(reply))


class _Messages(logging.Handler):
    """Keeps warnings as lines of text."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the message of a log record, to be shown with the upload."""
        self.lines.append(record.getMessage())


def _limit_memory() -> None:
    with suppress(ImportError, OSError, ValueError):  # not every system has such limits
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))


def _on_a_page(line: str) -> str:
    """A message of the library without the arguments of its functions, which a page has not."""
    for ours, on_a_page in _WORDS.items():
        line = line.replace(ours, on_a_page)
    return line


def _convert(path: Path, columns: dict[str, str]) -> None:
    check_unpacked(path)
    graph = load(
        _unzipped(path) if path.suffix == ".zip" else path,
        source_column=columns.get("source_column"),
        target_column=columns.get("target_column"),
        node_column=columns.get("node_column"),
    )
    if graph.num_nodes > MAX_NODES:
        raise DataError(
            f"{path}: {graph.num_nodes:,} nodes, and the page takes {MAX_NODES:,}: "
            "name larger graphs on the command line"
        )
    write_graph(graph, RESULT)


def check_unpacked(path: Path) -> None:
    """Refuse a file that unpacks to more than :data:`MAX_UNPACKED` bytes.

    Args:
        path: A file; of the kinds that pack, ``.gz``, ``.zip``, ``.npz`` and ``.parquet``.
    """
    try:
        size = _unpacked_size(path)
    except (OSError, EOFError, ValueError, zipfile.BadZipFile) as error:
        raise DataError(f"{path}: damaged ({one_line(error)})") from None
    if size > MAX_UNPACKED:
        limit = MAX_UNPACKED >> 20
        raise DataError(f"{path}: unpacks to more than {limit} MB: name it on the command line")


def _unpacked_size(path: Path) -> int:
    if path.suffix == ".gz":
        with gzip.open(path) as stream:
            return _length(stream)
    if path.suffix in (".zip", ".npz"):
        with zipfile.ZipFile(path) as archive:
            return sum(member.file_size for member in archive.infolist())
    if path.suffix == ".parquet":
        return _parquet_size(path)
    return path.stat().st_size


def _parquet_size(path: Path) -> int:
    import pyarrow.parquet

    about = pyarrow.parquet.read_metadata(path)
    return sum(int(about.row_group(at).total_byte_size) for at in range(about.num_row_groups))


def _length(stream: IO[bytes] | gzip.GzipFile) -> int:
    total = 0
    while total <= MAX_UNPACKED and (block := stream.read(_BLOCK)):
        total += len(block)
    return total


def _unzipped(path: Path) -> Path:
    """The tables of edges and nodes in an archive, by their bare names, in a folder."""
    folder = Path("graph")
    folder.mkdir()
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            name = Path(member.filename).name
            if member.is_dir() or Path(name).stem not in _MEMBERS:
                continue
            if member.flag_bits & 1:
                raise DataError(f"{path}: is encrypted: unpack it first")
            (folder / name).write_bytes(archive.read(member))
    if not any(folder.iterdir()):
        raise DataError(f"{path}: holds no edges.csv: zip edges.csv and nodes.csv, or drop a file")
    return folder


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3]))
