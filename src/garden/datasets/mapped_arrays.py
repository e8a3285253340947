"""Named arrays in one ``.npz``, mapped into memory where they lie as plain bytes in the file.

NumPy's ``mmap_mode`` ignores archives. A member that is stored and not compressed is a range of the
file, though, and can be mapped if its numbers start at a multiple of their size. Archives written
here pad the headers so that they do. A mapped file must not be changed in place; ours never are:
a new file takes the old one's name.
"""

from __future__ import annotations

import math
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO

import numpy as np
from numpy.lib import format as npy

from garden.errors import DataError

ALIGNMENT = 64  # bytes; the header of an .npy member is padded to this length by NumPy
_HEADER = 30  # bytes of a member's header before its name and extra fields, whose lengths end it
_LONG_SIZES = 20  # bytes of the field for sizes beyond 4 GiB, which is always written
_PADDING = 0xD935  # the id under which archives pad headers
_LEAST_MAPPED = 1 << 16  # bytes; below it a copy costs less than a mapping


def write_members(path: Path, arrays: Mapping[str, np.ndarray], compress: bool) -> None:
    """Write arrays as an ``.npz`` that NumPy reads too.

    Args:
        path: The file.
        arrays: What to write, by name; none of objects.
        compress: Compress members; they cannot be mapped then.
    """
    method = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
    with path.open("wb") as stream, zipfile.ZipFile(stream, "w", method) as archive:
        for name, array in arrays.items():
            member = zipfile.ZipInfo(f"{name}.npy")
            member.compress_type = method
            if not compress:
                start = stream.tell() + _HEADER + len(member.filename) + _LONG_SIZES + 4
                missing = -start % ALIGNMENT  # a field of as many zeros, after 4 bytes of its own
                member.extra = struct.pack("<HH", _PADDING, missing) + bytes(missing)
            with archive.open(member, "w", force_zip64=True) as content:
                npy.write_array(content, np.asanyarray(array), allow_pickle=False)


def read_members(path: Path) -> dict[str, np.ndarray]:
    """The arrays of an ``.npz`` by name: mapped and read-only where that is possible, else read.

    Raises:
        DataError: If an array holds objects or does not match its header.

    """
    with path.open("rb") as stream, zipfile.ZipFile(stream) as archive:
        return {
            member.filename.removesuffix(".npy"): _array(path, stream, archive, member)
            for member in archive.infolist()
        }


def _array(
    path: Path, stream: IO[bytes], archive: zipfile.ZipFile, member: zipfile.ZipInfo
) -> np.ndarray:
    with archive.open(member) as content:
        shape, fortran, kind = _header(content)
        length = content.tell()
        if kind.hasobject or kind.itemsize * math.prod(shape) != member.file_size - length:
            raise DataError(f"the array {member.filename} does not match its header")
        start = _first_byte(stream, member) + length
        if _can_be_mapped(member, start, kind):
            flat = np.memmap(path, kind, mode="r", offset=start, shape=(math.prod(shape),))
            return np.asarray(flat).reshape(shape, order="F" if fortran else "C")
    with archive.open(member) as content:
        return np.asarray(npy.read_array(content, allow_pickle=False))


def _header(content: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[np.generic]]:
    version = npy.read_magic(content)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, fortran, kind = read(content)
    return shape, fortran, kind


def _first_byte(stream: IO[bytes], member: zipfile.ZipInfo) -> int:
    """Where a member's content starts: behind its own header, which the archive's index lacks."""
    place = stream.tell()
    stream.seek(member.header_offset)
    header = stream.read(_HEADER)
    stream.seek(place)
    name, extra = struct.unpack("<HH", header[-4:])
    return int(member.header_offset + _HEADER + name + extra)


def _can_be_mapped(member: zipfile.ZipInfo, start: int, kind: np.dtype[np.generic]) -> bool:
    stored = member.compress_type == zipfile.ZIP_STORED and not member.flag_bits & 1
    aligned = start % max(kind.alignment, 1) == 0
    return stored and aligned and member.file_size >= _LEAST_MAPPED
