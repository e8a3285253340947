"""Representations on the wire: one row as bytes, and back.

An agent knows the form of rows from its own: names, types and shapes. A row that it is sent must
have that form.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import msgspec
import numpy as np
import scipy.sparse as sp

from garden.peers.envelopes import MAX_ROW, EnvelopeError
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


class RowForm:
    """The form of the rows of one strategy on one network, taken from an agent's own row."""

    def __init__(self, row: Representations) -> None:
        self._arrays = sorted(row.arrays.items())
        self._ragged = [
            (name, _little(ragged.values).dtype, ragged.values.shape[1:])
            for name, ragged in sorted(row.ragged.items())
        ]
        self._num_parts = len(self._ragged) + sum(
            1 if isinstance(array, np.ndarray) else 2 for _, array in self._arrays
        )

    def decoded(self, data: bytes) -> Representations:
        """The row of these bytes.

        Raises:
            EnvelopeError: If they are no row of this form.
        """
        try:
            parts = _PARTS.decode(data)
            if len(parts) != self._num_parts:
                raise ValueError
            taken = iter(parts)
            arrays = {name: _array(like, taken) for name, like in self._arrays}
            ragged = {name: _ragged(next(taken), kind, shape) for name, kind, shape in self._ragged}
        except (msgspec.DecodeError, ValueError, RecursionError):
            raise EnvelopeError("a row of another form than the own one") from None
        return Representations(arrays, ragged)


def _array(like: Rows, parts: Iterator[bytes]) -> Rows:
    data = next(parts)
    if isinstance(like, np.ndarray):
        return _values(data, _little(like).dtype, (1, *like.shape[1:]))
    columns = np.frombuffer(data, dtype="<i4")
    values = np.frombuffer(next(parts), dtype=_little(like.data).dtype)
    width = like.shape[1]
    ascending = bool((np.diff(columns) > 0).all())
    if len(columns) != len(values) or not ascending or not np.isfinite(values).all():
        raise ValueError
    if len(columns) and not 0 <= columns[0] <= columns[-1] < width:
        raise ValueError
    return sp.csr_array((values, columns, np.array([0, len(values)])), shape=(1, width))


def _ragged(data: bytes, dtype: np.dtype, shape: tuple[int, ...]) -> Ragged:
    size = dtype.itemsize * math.prod(shape)
    if len(data) % size:
        raise ValueError
    count = len(data) // size
    return Ragged(_values(data, dtype, (count, *shape)), np.array([0, count], dtype=np.int64))


def _values(data: bytes, dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    values = np.frombuffer(data, dtype=dtype).reshape(shape)
    if dtype.kind == "f" and not np.isfinite(values).all():
        raise ValueError
    return values


def _little(array: np.ndarray) -> np.ndarray:
    return array.astype(array.dtype.newbyteorder("<"), copy=False)
