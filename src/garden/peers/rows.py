"""Representations on the wire: one row as bytes, and back.

An agent knows the form of rows from its own: names, types and shapes. A row that it is sent must
have that form.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import msgspec
import numpy as np
import scipy.sparse as sp

from garden.peers.envelopes import MAX_ROW, EnvelopeError
from garden.strategies.base import Strategy
from garden.strategies.representations import Ragged, Representations, Rows

_PARTS = msgspec.msgpack.Decoder(list[bytes])
_ENCODE = msgspec.msgpack.Encoder().encode


def encoded_row(row: Representations) -> bytes:
    """The bytes of one row: its arrays by name, little-endian.

    Raises:
        EnvelopeError: If they are more than :data:`~.envelopes.MAX_ROW`.
    """
    parts: list[bytes] = []
    for _, array in sorted(row.arrays.items()):
        if isinstance(array, np.ndarray):
            parts.append(_little(array).tobytes())
        else:
            parts += [array.indices.astype("<i4").tobytes(), _little(array.data).tobytes()]
    parts += [_little(ragged.values).tobytes() for _, ragged in sorted(row.ragged.items())]
    data = _ENCODE(parts)
    if len(data) > MAX_ROW:
        raise EnvelopeError(f"a row has {len(data)} bytes: {MAX_ROW} are allowed")
    return data


class _Part(NamedTuple):
    """The form of one array of a row."""

    name: str
    kind: np.dtype
    shape: tuple[int, ...]  # of one entry, or of a sparse row
    sparse: bool


@dataclass(frozen=True, eq=False)
class RowForm:
    """The form of the rows of one strategy on one network; there is one object for each form."""

    arrays: tuple[_Part, ...]
    ragged: tuple[_Part, ...]
    is_sound: Callable[[Representations, int], bool]
    num_attributes: int

    @staticmethod
    def of(row: Representations, strategy: Strategy, num_attributes: int) -> RowForm:
        """The form of an agent's own row.

        Args:
            row: The row.
            strategy: Whose row it is, and who says which rows are sound.
            num_attributes: How many attributes profiles have.

        """
        arrays = [
            _Part(name, _kind(array), array.shape[1:], False)
            if isinstance(array, np.ndarray)
            else _Part(name, _kind(array.data), array.shape[1:], True)
            for name, array in sorted(row.arrays.items())
        ]
        ragged = [
            _Part(name, _kind(one.values), one.values.shape[1:], False)
            for name, one in sorted(row.ragged.items())
        ]
        return _form_of(tuple(arrays), tuple(ragged), type(strategy).rows_are_sound, num_attributes)

    def decoded(self, data: bytes) -> Representations:
        """The row of these bytes; what is read often, such as a target's, is kept for a while.

        Raises:
            EnvelopeError: If they are no row of this form.
        """
        return _decoded(self, data)


@lru_cache(maxsize=64)
def _form_of(
    arrays: tuple[_Part, ...],
    ragged: tuple[_Part, ...],
    is_sound: Callable[[Representations, int], bool],
    num_attributes: int,
) -> RowForm:
    return RowForm(arrays, ragged, is_sound, num_attributes)


@lru_cache(maxsize=1024)  # agents of one host read the same targets' rows
def _decoded(form: RowForm, data: bytes) -> Representations:
    try:
        parts = _PARTS.decode(data)
        if len(parts) != len(form.arrays) + sum(p.sparse for p in form.arrays) + len(form.ragged):
            raise ValueError
        taken = iter(parts)
        arrays = {part.name: _array(part, taken) for part in form.arrays}
        ragged = {part.name: _ragged(part, next(taken)) for part in form.ragged}
    except (msgspec.DecodeError, ValueError, RecursionError):
        raise EnvelopeError("a row of another form than the own one") from None
    row = Representations(arrays, ragged)
    if not form.is_sound(row, form.num_attributes):
        raise EnvelopeError("a row whose parts do not fit together")
    return row


def _array(part: _Part, taken: Iterator[bytes]) -> Rows:
    data = next(taken)
    if not part.sparse:
        return _values(data, part.kind, (1, *part.shape))
    columns, values = np.frombuffer(data, dtype="<i4"), np.frombuffer(next(taken), dtype=part.kind)
    (width,) = part.shape
    ascending = bool((np.diff(columns) > 0).all())
    if len(columns) != len(values) or not ascending or not np.isfinite(values).all():
        raise ValueError
    if len(columns) and not 0 <= columns[0] <= columns[-1] < width:
        raise ValueError
    return sp.csr_array((values, columns, np.array([0, len(values)])), shape=(1, width))


def _ragged(part: _Part, data: bytes) -> Ragged:
    size = part.kind.itemsize * math.prod(part.shape)
    if len(data) % size:
        raise ValueError
    count = len(data) // size
    values = _values(data, part.kind, (count, *part.shape))
    return Ragged(values, np.array([0, count], dtype=np.int64))


def _values(data: bytes, dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    values = np.frombuffer(data, dtype=dtype).reshape(shape)
    if dtype.kind == "f" and not np.isfinite(values).all():
        raise ValueError
    return values


def _kind(array: np.ndarray) -> np.dtype:
    return array.dtype.newbyteorder("<")


def _little(array: np.ndarray) -> np.ndarray:
    return array.astype(_kind(array), copy=False)
