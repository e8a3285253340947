"""The collection: attributed graphs as ``FAMILY/NAME.npz`` in ``$GARDEN_DATA/collection``."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path

from garden.datasets.npz import read_npz
from garden.datasets.snap import data_folder
from garden.errors import DataError, SpecError, short_text
from garden.graphs.graph import Graph


def load_collected(member: str) -> Graph:
    """The whole graph of a member of the collection such as ``circles/345``.

    Raises:
        DataError: If ``$GARDEN_DATA`` is not set or holds no collection.
        SpecError: If there is no such family or graph; it names those that come near.

    """
    spec = f"collection:{short_text(member)}"
    family, slash, name = member.partition("/")
    folder = _collection(spec)
    families = {entry.name for entry in _entries(folder) if entry.is_dir()}
    if family not in families:
        raise _not_collected(spec, "family", family, families)
    names = {entry.stem for entry in _entries(folder / family) if entry.suffix == ".npz"}
    if not slash or name not in names:
        raise _not_collected(spec, f"graph of {family}", name, names)
    return read_npz(folder / family / f"{name}.npz")


def _collection(spec: str) -> Path:
    given = data_folder()
    if given is None:
        raise DataError(f"{spec}: set GARDEN_DATA to a folder that has collection/FAMILY/NAME.npz")
    folder = given / "collection"
    if not folder.is_dir():
        raise DataError(f"{spec}: GARDEN_DATA has no folder collection ({folder})")
    return folder


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        raise DataError(f"{folder}: cannot be read ({error.strerror})") from None


def _not_collected(spec: str, what: str, given: str, known: Iterable[str]) -> SpecError:
    close = difflib.get_close_matches(given, known, n=3, cutoff=0.5)
    meant = f"did you mean {' or '.join(close)}? " if close else ""
    ordered = sorted(known)
    some = ", ".join(ordered[:10]) + (f" and {len(ordered) - 10} more" if ordered[10:] else "")
    asked = f"no {what} called {short_text(given)!r}: {meant}" if given else f"which {what}? "
    return SpecError(f"{spec}: {asked}write collection:FAMILY/NAME; there are {some or 'none'}")
