"""Files on disk: every one is written whole or not at all, and a policy's are recognised when read.

Files and folders are written beside their destination, then moved there: it is either complete or
as it was before, whatever stops the process. A trained policy is a folder with ``config.json`` and
safetensors, without torch and without pickle, for models and `universal` alike. A file that is cut
short, altered, foreign or of another version is refused in one line.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from garden.errors import DataError, expect

if TYPE_CHECKING:
    import numpy as np

CONFIG_FILE = "config.json"
WEIGHTS_FILE = "model.safetensors"
ARRAYS_FORMAT = "garden-arrays-2"
_MAX_SUFFIX = 16  # letters
_DESCRIPTORS = ("/dev", "/dev/fd", "/proc/self/fd")


def write_text(path: Path, text: str) -> None:
    """Write text as UTF-8, whole or not at all.

    Args:
        path: The destination, as :func:`write_file` takes it.
        text: Its content, without a byte-order mark.
    """
    write_file(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def write_file(path: Path, fill: Callable[[Path], object]) -> None:
    """Write a file, whole or not at all.

    Args:
        path: The destination. A link stays and its target is replaced; a device or a pipe is
            written to as it is.
        fill: Writes the content to the temporary path that it is called with.
    """
    with _one_line_errors(path):
        _refuse_folder(path)
        if _is_stream(path):
            _write_through(path, fill)
        else:
            _replace(_real(path), fill)


def read_bytes(path: Path, missing: str = "") -> bytes:
    """The content of a file, or one line that says why it cannot be read.

    Args:
        path: The file.
        missing: What to say where there is no such file, instead of what the system says.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        why = f"cannot be read ({error.strerror or error})"
        is_missing = missing and isinstance(error, FileNotFoundError)
        raise DataError(f"{path}: {missing if is_missing else why}") from None


def refuse_other(path: Path, text: str) -> None:
    """Refuse to overwrite a file that holds anything else than this text.

    Args:
        path: The file; none need be there.
        text: All that it may hold.
    """
    with _one_line_errors(path):
        if not path.is_file() or _is_stream(path):
            return
        if path.read_bytes() != text.encode("utf-8", "surrogatepass"):
            raise DataError(f"{path}: is there already: give `force=True`, or another file")


def check_writable(path: Path) -> None:
    """Refuse a destination that cannot be written, before long work is done for it."""
    with _one_line_errors(path):
        _refuse_folder(path)
        place = path if _is_stream(path) else _real(path).parent
        while not place.exists() and place != place.parent:
            place = place.parent
        if not _is_stream(path) and not place.is_dir():
            raise DataError(f"{path}: cannot be written ({place} is no folder)")
        if not os.access(place, os.W_OK):
            raise DataError(f"{path}: cannot be written (no permission to write {place})")


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """An empty folder that replaces ``path`` when the block ends without an error."""
    temporary = _beside(path)
    try:
        with _one_line_errors(path):
            temporary.mkdir(parents=True)
            yield temporary
            _swap(temporary, path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def free_folder(folder: str | Path, force: bool = False) -> Path:
    """The folder for a policy, as a path; one that holds a policy already is refused.

    Args:
        folder: The folder that was asked for.
        force: Accept a folder that holds a policy, which is to be overwritten.
    """
    expect("folder", folder, str, os.PathLike, otherwise="a path")
    folder = Path(folder)
    if (folder / CONFIG_FILE).exists() and not force:
        raise DataError(f"{folder}: holds a policy already: give `force=True`, or another folder")
    if folder.exists() and not folder.is_dir():
        raise DataError(f"{folder}: is a file, and a policy needs a folder")
    return folder


def write_config(folder: Path, kind: str, content: Mapping[str, Any]) -> None:
    """Write a folder's ``config.json``, atomically.

    Args:
        folder: The policy's folder.
        kind: What it holds and in which version, such as ``garden-policy-2``.
        content: Values that JSON can hold.

    """
    text = json.dumps({"format": kind, **content}, indent=2, ensure_ascii=False)
    write_text(folder / CONFIG_FILE, text + "\n")


def read_config(folder: Path, kind: str) -> dict[str, Any]:
    """The content of a folder's ``config.json``.

    Args:
        folder: The policy's folder.
        kind: What it must hold; another kind or version is refused.
    """
    path = folder / CONFIG_FILE
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(f"{path}: no such file: {folder} holds no policy") from None
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path}: not readable as a policy's description ({error})") from None
    if not isinstance(content, dict) or (found := content.pop("format", None)) is None:
        raise DataError(f"{path}: not the description of a policy")
    if found != kind:
        raise DataError(f"{path}: it is of format {found}, not {kind}: train it anew")
    return content


def holds(folder: Path, kind: str) -> bool:
    """Whether a folder's ``config.json`` says that it holds a policy of this kind.

    Args:
        folder: Any folder, or none.
        kind: Such as ``garden-policy-2``.
    """
    try:
        read_config(folder, kind)
    except DataError:
        return False
    return True


def write_arrays(
    path: Path, arrays: Mapping[str, np.ndarray], record: Mapping[str, Any] | None = None
) -> None:
    """Write named arrays and a digest of them as safetensors, atomically.

    Args:
        path: The file.
        arrays: The numbers, by name.
        record: Values that JSON can hold, stored beside them.

    """
    import numpy as np  # `garden --help` writes no arrays and loads no NumPy
    from safetensors.numpy import save

    plain = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    metadata = {
        "format": ARRAYS_FORMAT,
        "content_hash": arrays_hash(plain),
        "record": json.dumps(record or {}, allow_nan=True),
    }
    content = save(plain, metadata=metadata)
    write_file(path, lambda temporary: temporary.write_bytes(content))


def read_arrays(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The arrays of a file and the record beside them; refused where the digest does not match."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except (SafetensorError, OSError, ValueError) as error:
        raise DataError(f"{path}: damaged or not a safetensors file ({error})") from None
    if metadata.get("format") != ARRAYS_FORMAT:
        raise DataError(f"{path}: not written by garden, or by another version: train it anew")
    if metadata.get("content_hash") != arrays_hash(arrays):
        raise DataError(f"{path}: the numbers were altered: their hash does not match")
    return arrays, json.loads(metadata.get("record", "{}"))


def arrays_hash(arrays: Mapping[str, np.ndarray]) -> str:
    """A SHA-256 digest of names, types, shapes and values."""
    import numpy as np

    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.asarray(arrays[name], order="C")
        digest.update(f"{name} {array.dtype} {array.shape}\n".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


@contextmanager
def _one_line_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DataError(f"{path}: cannot be written ({error.strerror or error})") from None


def _refuse_folder(path: Path) -> None:
    if path.is_dir():
        raise DataError(f"{path}: cannot be written (it is a folder): name a file")


def _is_stream(path: Path) -> bool:
    """Whether the path is a device, a pipe or an open descriptor, which nothing may replace."""
    # /dev/stdout may lead to a plain file, but one that another process is writing to.
    return path.exists() and (not path.is_file() or str(path.parent) in _DESCRIPTORS)


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def _replace(path: Path, fill: Callable[[Path], object]) -> None:
    temporary = _beside(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fill(temporary)
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink()


def _write_through(path: Path, fill: Callable[[Path], object]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        temporary = _beside(Path(folder) / path.name)
        fill(temporary)
        # Appending: a shell's `> file` behind /dev/stdout may hold earlier output.
        with temporary.open("rb") as content, path.open("ab") as stream:
            shutil.copyfileobj(content, stream)


def _swap(new: Path, path: Path) -> None:
    """Rename ``new`` to ``path``; a folder cannot be replaced in one step, so the old one moves."""
    if not path.exists():
        new.rename(path)
        return
    old = _beside(path)
    path.rename(old)
    try:
        new.rename(path)
    except OSError:
        old.rename(path)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _beside(path: Path) -> Path:
    # The suffix stays last, since some writers choose their format by it; the name itself does
    # not, since one of the greatest length allowed leaves no room.
    suffix = path.suffix if len(path.suffix) <= _MAX_SUFFIX else ""
    return path.parent / f".{secrets.token_hex(8)}{suffix}"
