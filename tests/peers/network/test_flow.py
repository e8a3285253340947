"""What hosts send each other, paced by what was read."""

import random

import pytest

from garden.peers.envelopes import EnvelopeError
from garden.peers.network.flow import BATCH, MOST_PARTS, QUEUE, WINDOW, Flow
from garden.peers.network.wire import ENVELOPE, Head, Part, packed, packed_part, unpacked


def part(content=b"x"):
    return packed_part(Part(1, 2, ENVELOPE, content))


@pytest.fixture
def flows():
    return Flow(11), Flow(22)


def frames_of(flow, now=0):
    frames = []
    while (frame := flow.next_frame(now)) is not None:
        frames.append(frame.data)
    return frames


def read(flow, frame, now=0):
    head, parts = unpacked(frame)
    flow.take(head, now)
    return [one.content for one in parts]


def test_parts__of_one_turn_go_in_one_frame(flows):
    one, other = flows
    for number in range(100):
        one.post(part(b"%d" % number))
    (frame,) = frames_of(one)
    assert read(other, frame) == [b"%d" % number for number in range(100)]


def test_frames__hold_so_many_bytes_and_a_longer_part_goes_alone(flows):
    one, _ = flows
    for size in (BATCH // 2, BATCH // 2, 3 * BATCH, 5):
        one.post(part(bytes(size)), None, True)
    sizes = [[len(p.content) for p in unpacked(frame)[1]] for frame in frames_of(one)]
    assert sizes == [[BATCH // 2], [BATCH // 2], [3 * BATCH], [5]]


def test_part__is_under_way_until_the_other_host_says_that_it_was_read(flows):
    one, other = flows
    first = one.post(part())
    (frame,) = frames_of(one)
    second = one.post(part())
    read(other, frame)
    assert one.is_unread(first)
    assert other.owes_word
    read(one, other.word())
    assert not other.owes_word
    assert not one.is_unread(first)
    assert one.is_unread(second)


def test_host__that_is_not_heard_any_more_is_silent(flows):
    one, _ = flows
    ticket = one.post(part())
    frames_of(one, now=100)
    assert one.is_unread(ticket)
    assert one.is_heard(99)
    assert not one.is_heard(100)


def test_window__holds_frames_back_until_earlier_ones_were_read(flows):
    one, other = flows
    for _ in range(WINDOW + 3):
        one.post(part(bytes(BATCH)))
    frames = frames_of(one)
    assert one.is_waiting
    assert len(frames) <= WINDOW
    for frame in frames:
        read(other, frame)
    read(one, other.word())
    assert len(frames_of(one)) > 0


def test_parts__that_are_not_urgent_wait_until_earlier_frames_were_read(flows):
    one, other = flows
    one.post(part(b"a"))
    (first,) = frames_of(one)
    one.post(part(b"b"))
    assert frames_of(one) == []
    read(other, first)
    read(one, other.word())
    (second,) = frames_of(one)
    one.post(part(b"c"))
    assert frames_of(one) == []
    one.post(part(b"d"), "message", True)
    (third,) = frames_of(one)
    assert read(other, second) + read(other, third) == [b"b", b"c", b"d"]


def test_queue__refuses_messages_first(flows):
    one, _ = flows
    assert all(one.post(part(), "message", True) for _ in range(QUEUE))
    assert one.post(part(), "message", True) is None
    assert all(one.post(part()) for _ in range(MOST_PARTS - QUEUE))
    assert one.post(part()) is None


def test_frames__that_were_lost_with_a_connection_are_asked_for(flows):
    one, other = flows
    ticket = one.post(part())
    frames_of(one)  # lost
    assert one.is_stuck(0)
    read(other, one.question(1_000))
    read(one, other.word(), now=1_000)
    assert not one.is_unread(ticket)
    assert not one.is_under_way


def test_connection__that_is_gone_gives_back_messages_that_have_not_gone_out(flows):
    one, _ = flows
    one.post(part(), "out")
    assert one.next_frame(0).messages == ["out"]
    ticket = one.post(part(), "waits", True)
    assert one.lose() == ["waits"]
    assert not one.is_unread(ticket)
    assert not one.is_under_way
    assert not one.is_waiting


def test_host__that_begins_anew_counts_anew(flows):
    one, other = flows
    for _ in range(5):
        one.post(part(), None, True)
        read(other, frames_of(one)[0])
    again = Flow(33)
    ticket = again.post(part())
    read(again, other.word())  # of the life before
    assert again.is_unread(ticket)
    read(other, frames_of(again)[0])
    read(again, other.word())
    assert not again.is_unread(ticket)


def test_host__cannot_have_read_what_was_not_sent(flows):
    one, _ = flows
    ticket = one.post(part())
    frames_of(one)
    one.take(Head(22, 1, 11, 99), 0)
    assert one.is_unread(ticket)


@pytest.mark.parametrize("change", [
    lambda frame: b"",
    lambda frame: frame[:-1],
    lambda frame: frame + b"x",
    lambda frame: b"\1" + frame[1:],
    lambda frame: frame[:33],
    lambda frame: frame + packed_part(Part(1, 2, 9, b"")),
])  # fmt: skip
def test_frame__of_another_form_is_refused(change):
    head = Head(1, 2, 3, 4)
    frame = packed(head, [part(b"one"), part(b"")])
    assert unpacked(frame) == (head, [Part(1, 2, 0, b"one"), Part(1, 2, 0, b"")])
    if change(frame) == packed(head):
        assert unpacked(change(frame)) == (head, [])
        return
    with pytest.raises(EnvelopeError):
        unpacked(change(frame))


def test_frames__with_changed_bytes_are_refused_or_frames():
    draw = random.Random(0)
    frame = packed(Head(1, 2, 3, 4), [part(b"one"), part(b"three")])
    refused = 0
    for _ in range(20_000):
        data = bytearray(frame)
        for _ in range(draw.randint(1, 4)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        data = bytes(data[: draw.randint(0, len(data))] if draw.random() < 0.2 else data)
        try:
            head, parts = unpacked(data)
        except EnvelopeError:
            refused += 1
        else:
            assert packed(head, map(packed_part, parts)) == data
    assert refused > 2_000
