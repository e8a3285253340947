"""Files that people drop on the page: bounded, read by a process of their own, kept by id.

A file is stored under a name of ours in a folder that goes away; what people called it is only
ever shown.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from garden.datasets.files import read_graph
from garden.errors import DataError
from garden.graphs.graph import Graph
from garden.web.read_upload import MAX_UNPACKED, RESULT

MAX_BYTES = 64 << 20
MAX_SECONDS = 60.0
_TEXTS = (".csv", ".tsv", ".txt", ".edges", ".edgelist")
_KINDS = {*_TEXTS, ".graphml", ".gml", ".gexf", ".json", ".npz", ".parquet", ".zip"}
_MAX_NAME = 80
assert MAX_BYTES < MAX_UNPACKED


class WhichColumnsError(DataError):
    """A file of which a person must say what its columns are.

    Args:
        why: What is unclear.
        columns: The columns there are.
        arguments: Which are looked for: ``source_column``, ``target_column``, ``node_column``.
    """

    def __init__(self, why: str, columns: list[str], arguments: list[str]) -> None:
        super().__init__(why)
        self.columns = columns
        self.arguments = arguments


@dataclass(frozen=True)
class Upload:
    """A file that was read."""

    name: str
    graph: Graph
    messages: list[str]


async def receive(
    chunks: AsyncIterator[bytes], path: Path, limit: int = MAX_BYTES, seconds: float = MAX_SECONDS
) -> None:
    """Write what arrives to a file; more than these bytes or seconds are refused.

    Args:
        chunks: What arrives.
        path: The file.
        limit: Bytes.
        seconds: How long it may take to arrive.
    """
    try:
        async with asyncio.timeout(seconds):
            await _write(chunks, path, limit)
    except TimeoutError:
        raise DataError(f"the file took longer than {seconds:.0f} s to arrive") from None


async def _write(chunks: AsyncIterator[bytes], path: Path, limit: int) -> None:
    total = 0
    with path.open("wb") as file:
        async for chunk in chunks:
            total += len(chunk)
            if total > limit:
                raise DataError(f"the file is larger than {limit >> 20} MB")
            file.write(chunk)
    if total == 0:
        raise DataError("the file is empty")


def shown_name(given: str) -> str:
    """A file's name as it is shown: its last part, one line, at most 80 letters."""
    last = given.replace("\\", "/").rsplit("/", 1)[-1]
    plain = "".join(letter for letter in last if unicodedata.category(letter)[0] != "C").strip()
    return plain[:_MAX_NAME] or "graph"


def stored_name(given: str) -> str:
    """The name that the file is kept under: ours, with the suffix that says how to read it."""
    suffixes = [suffix.lower() for suffix in PurePosixPath(shown_name(given)).suffixes[-2:]]
    packed = suffixes[-1:] == [".gz"]
    kind = suffixes[0] if packed and len(suffixes) == 2 else "".join(suffixes[-1:])
    if packed and kind in (".gz", ""):
        kind = ".txt"
    if kind not in _KINDS:
        known = ", ".join(sorted(_KINDS))
        raise DataError(f"{shown_name(given)}: unknown kind of file: use {known}, or these as .gz")
    return f"upload{kind}.gz" if packed else f"upload{kind}"


def parsed(
    folder: Path,
    stored: str,
    given: str,
    columns: Mapping[str, str | None] | None = None,
    seconds: float = MAX_SECONDS,
) -> Upload:
    """The graph of a stored file, read by a process that is ended when it takes too long.

    Args:
        folder: Where the file lies, and nothing else.
        stored: Its name there.
        given: What people called it.
        columns: Which columns are meant, by the arguments of :func:`garden.load`.
        seconds: How long reading may take.
    """
    name = shown_name(given)
    meant = json.dumps({key: column for key, column in (columns or {}).items() if column})
    command = [sys.executable, "-P", "-m", "garden.web.read_upload", str(folder), stored, meant]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=seconds, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        raise DataError(f"{name}: took longer than {seconds:.0f} s to read") from None
    if done.returncode or not done.stdout.strip():
        raise DataError(f"{name}: cannot be read")
    reply = json.loads(done.stdout.strip().splitlines()[-1])
    if "error" in reply:
        why = str(reply["error"]).replace(stored, name)
        if "columns" in reply:
            raise WhichColumnsError(why, reply["columns"], reply["arguments"])
        raise DataError(why)
    messages = [str(line).replace(stored, name) for line in reply["messages"]]
    return Upload(name, read_graph(folder / RESULT).renamed(name), messages)


def upload_folder() -> tempfile.TemporaryDirectory[str]:
    """A folder for one file, which goes away."""
    return tempfile.TemporaryDirectory(prefix="garden-upload-", ignore_cleanup_errors=True)
