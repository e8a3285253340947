"""Envelopes: what is encoded comes back, and nothing else is taken."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from garden.peers.envelopes import (
    MAX_ENVELOPE,
    MAX_HOPS,
    MAX_MEMORY,
    MAX_PAYLOAD,
    VERSION,
    Announcement,
    Envelope,
    EnvelopeError,
    Hello,
    Message,
    Update,
    decoded,
    encoded,
)
from garden.strategies.gossip.paths import LONGEST

MESSAGE = Message(
    id=b"i" * 16, attempt=0, hop=3, hop_limit=100, ttl=1_000, age=5, tries=4, target=(1 << 64) - 1,
    row=b"row", memory=b"", nonce=b"n" * 16, payload=b"hello",
)  # fmt: skip


def changed(**fields):
    return encoded(msgspec.structs.replace(MESSAGE, **fields))


def test_envelope__comes_back_as_it_was_sent():
    update = Update((((-3, 7), 2),), ((-1, 9),), (), (((-3, 7), (12, 5)),))
    bodies = [
        MESSAGE,
        Hello(1, 0, None),
        Announcement(1, 2, 0, None, (update,), (4, 5)),
        Announcement(1, 2, 1, b"row", (), None),
    ]
    assert [decoded(encoded(body)) for body in bodies] == bodies


def test_envelope__of_a_short_message_has_few_bytes_beside_its_content():
    content = 16 + 16 + len(MESSAGE.row) + len(MESSAGE.payload)
    assert len(encoded(MESSAGE)) < content + 40


@pytest.mark.parametrize(
    "fields",
    [
        {"payload": b"x" * (MAX_PAYLOAD + 1)},
        {"memory": b"x" * (MAX_MEMORY + 1)},
        {"hop_limit": MAX_HOPS + 1},
        {"hop": -1},
        {"id": b"short"},
        {"attempt": 8},
        {"target": -1},
        {"row": "text"},
    ],
)
def test_envelope__beyond_a_limit_is_refused(fields):
    with pytest.raises(EnvelopeError, match="no envelope"):
        decoded(changed(**fields))


def test_envelope__of_another_version_kind_or_length_is_refused():
    data = encoded(MESSAGE)
    with pytest.raises(EnvelopeError, match="version"):
        decoded(bytes([VERSION + 1]) + data[1:])
    with pytest.raises(EnvelopeError, match="version"):
        decoded(b"")
    with pytest.raises(EnvelopeError, match="no envelope"):
        decoded(data + b"\x00")
    with pytest.raises(EnvelopeError, match="no envelope"):
        decoded(data[:1] + msgspec.msgpack.encode([99, 1, 2]))
    with pytest.raises(EnvelopeError, match="no envelope"):
        decoded(data[:1] + msgspec.msgpack.encode([6, 1, 0, None, "more"]))
    with pytest.raises(EnvelopeError, match="are allowed"):
        decoded(data[:1] + b"x" * MAX_ENVELOPE)


@pytest.mark.parametrize("steps", [(), tuple(range(LONGEST + 1)), (-1,), ("a",)])
def test_envelope__with_a_path_of_no_steps_too_many_or_other_things_is_refused(steps):
    update = Update((), (), (), (((-3, 7), steps),))
    with pytest.raises(EnvelopeError, match="no envelope"):
        decoded(encoded(Announcement(1, 2, 0, None, (update,), None)))


@given(st.binary(max_size=200))
def test_envelope__any_bytes_are_an_envelope_or_refused(data):
    for attempt in (data, bytes([VERSION]) + data):
        try:
            body = decoded(attempt)
        except EnvelopeError:
            continue
        assert decoded(encoded(body)) == body


@given(st.integers(0, 200), st.integers(0, 255))
def test_envelope__with_a_changed_byte_is_an_envelope_or_refused(place, byte):
    data = bytearray(encoded(Announcement(1, 2, 0, b"row" * 40, (), (4, 5))))
    data[place % len(data)] = byte
    try:
        Envelope(1, 2, decoded(bytes(data)))
    except EnvelopeError:
        return
