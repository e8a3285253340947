"""What a message remembers, as bytes: the states of :mod:`garden.strategies.memory`.

A state that comes from others is checked so far that the rules, which trust their states, end and
raise nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isnan
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from garden.errors import StrategyError
from garden.peers.envelopes import MAX_MEMORY, EnvelopeError, Key
from garden.strategies.explore import Explored, ExploreMemory, Step
from garden.strategies.frontier import FrontierMemory, Map, Passed
from garden.strategies.memory import BacktrackMemory, Memory, NoMemory, Trail, VisitedMemory, Visits

_NOBODY = -1
_Count = Annotated[int, Meta(ge=0, le=1 << 32)]
_LinkId = Annotated[int, Meta(ge=0, lt=1 << 32)]
_Times = Annotated[int, Meta(ge=1, le=1 << 32)]
_Last = Annotated[int, Meta(ge=_NOBODY)]
_VISITS = msgspec.msgpack.Decoder(dict[Key, _Count])
_TRAIL = msgspec.msgpack.Decoder(tuple[list[Key], list[Key]])
_MAP = msgspec.msgpack.Decoder(
    tuple[list[tuple[Key, Key]], list[tuple[Key, float, Key]], list[Key], _Last]
)
_EXPLORED = msgspec.msgpack.Decoder(
    tuple[
        list[Key],
        list[Key],
        dict[_LinkId, _Times],
        list[tuple[Key, bool]],
        tuple[list[Key], list[Key]] | None,
    ]
)
_ENCODE = msgspec.msgpack.Encoder().encode


class _Codec(NamedTuple):
    encode: Callable[[Any], bytes]
    decode: Callable[[bytes], Any]


def encoded_state(memory: Memory, state: Any) -> bytes:
    """The bytes of a state.

    Args:
        memory: The rule whose state it is.
        state: As the rule keeps it.

    Raises:
        EnvelopeError: If they are more than :data:`~.envelopes.MAX_MEMORY`.
    """
    data = _codec(memory).encode(state)
    if len(data) > MAX_MEMORY:
        raise EnvelopeError(f"the message's memory has {len(data)} bytes: {MAX_MEMORY} are allowed")
    return data


def decoded_state(memory: Memory, data: bytes, holder: int) -> Any:
    """The state of these bytes, in a message that the holder has received; empty: its start.

    Args:
        memory: The rule whose state it is.
        data: As :func:`encoded_state` gave it, or anything that others sent.
        holder: The key of the agent that has received the message.

    Raises:
        EnvelopeError: If they are no state of this memory that the holder can go on from.
    """
    if not data:
        return memory.start()
    try:
        state = _codec(memory).decode(data)
        if isinstance(state, Map):
            _check_place(state, holder)
        return state
    except (msgspec.DecodeError, RecursionError, KeyError, ValueError):
        raise EnvelopeError(f"the message's memory is no state of {memory.name}") from None


def check_memory(memory: Memory) -> None:
    """Refuse a memory that no envelope can carry."""
    _codec(memory)


def _codec(memory: Memory) -> _Codec:
    try:
        return _CODECS[type(memory)]
    except KeyError:
        known = ", ".join(kind.name for kind in _CODECS)
        raise StrategyError(f"peers have no memory {memory.name!r}: choose from {known}") from None


def _no_state(_data: bytes) -> None:
    raise ValueError


def _visits(data: bytes) -> Visits:
    return Visits(_VISITS.decode(data))


def _encoded_trail(state: Trail) -> bytes:
    return _ENCODE(_parts(state))


def _parts(trail: Trail) -> tuple[tuple[int, ...], list[int]]:
    """The way back, and the other nodes that were met."""
    return trail.way_back, sorted(trail.met.difference(trail.way_back))


def _trail(data: bytes) -> Trail:
    return _trail_of(*_TRAIL.decode(data))


def _trail_of(way_back: list[int], others: list[int]) -> Trail:
    return Trail(frozenset(way_back).union(others), tuple(way_back))


def _encoded_map(state: Map) -> bytes:
    passed = [(one.node, one.value, one.gate) for one in state.passed]
    return _ENCODE((list(state.came_from.items()), passed, state.way, state.last))


def _map(data: bytes) -> Map:
    parents, passed, way, last = _MAP.decode(data)
    came_from: dict[int, int] = {}
    for node, parent in parents:  # a tree: parents stand before their children
        if node in came_from or (parent not in came_from and (came_from or parent != node)):
            raise ValueError
        came_from[node] = parent
    if last not in came_from or any(
        gate not in came_from or isnan(value) for _, value, gate in passed
    ):
        raise ValueError
    return Map(came_from, tuple(Passed(*one) for one in passed), tuple(way), last)


def _encoded_explored(state: Explored) -> bytes:
    links = dict(sorted(state.links.items()))
    trail = None if state.trail is None else _parts(state.trail)
    met, others = sorted(state.met), sorted(state.seen - state.met)
    return _ENCODE((met, others, links, state.way, trail))


def _explored(data: bytes) -> Explored:
    met, others, links, way, trail = _EXPLORED.decode(data)
    held = frozenset(met)
    if any(node not in held for node, _ in way):
        raise ValueError
    steps = tuple(Step(*step) for step in way)
    seen = held.union(others)
    return Explored(held, seen, links, steps, None if trail is None else _trail_of(*trail))


def _check_place(state: Map, holder: int) -> None:
    """Refuse a map that leads over a node not visited, or ends at one that was."""
    if bool(state.way) != (holder in state.came_from):
        raise ValueError


_CODECS: dict[type[Memory], _Codec] = {
    NoMemory: _Codec(lambda _state: b"", _no_state),
    VisitedMemory: _Codec(lambda state: _ENCODE(state.counts), _visits),
    BacktrackMemory: _Codec(_encoded_trail, _trail),
    FrontierMemory: _Codec(_encoded_map, _map),
    ExploreMemory: _Codec(_encoded_explored, _explored),
}
