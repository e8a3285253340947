"""Verbs and flags by name: which there are, and messages of the library in their words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import tyro

from garden.errors import SpecError, did_you_mean

_OTHERWISE = {"scale=False": "--no-scaling"}  # flags with a name of their own
_ARGUMENT = re.compile(r"`([a-z][a-z0-9_]*)(?:=([^`]*))?`")


def check_verb(arguments: Sequence[str], commands: Any, before: str = "garden") -> None:
    """Refuse a verb that there is not, naming the nearest that there is."""
    verbs = {get_args(command)[1].name: get_args(command)[0] for command in get_args(commands)}
    if not arguments or arguments[0].startswith("-"):
        return
    verb = arguments[0]
    if verb not in verbs:
        raise SpecError(
            f"{before} has no verb {verb!r}: {did_you_mean(verb, verbs)}"
            f"it has {', '.join(verbs)}; see {before} --help"
        )
    if not is_dataclass(verbs[verb]):
        check_verb(arguments[1:], verbs[verb], f"{before} {verb}")


def in_flags(message: str, commands: Any) -> str:
    """The message with arguments that are flags here spelled as such: `max_hops=5` in a shell."""
    known = set(_flags_of(commands))

    def flag(found: re.Match[str]) -> str:
        name, value = found.groups()
        if f"{name}={value}" in _OTHERWISE:
            return _OTHERWISE[f"{name}={value}"]
        return _flag(name, value) if name in known else found.group()

    return _ARGUMENT.sub(flag, message)


def _flag(name: str, value: str | None) -> str:
    dashed = name.replace("_", "-")
    if value == "False":
        return f"--no-{dashed}"
    if value is None or value == "True":
        return f"--{dashed}"
    return f"--{dashed} {value.strip(chr(39))}"


def _flags_of(kind: Any) -> Iterator[str]:
    """The names of all flags of a command, of those it is made of, and of a union of commands."""
    if get_origin(kind) is Annotated:
        kind, *marks = get_args(kind)
        groups = [getattr(mark, "constructor_factory", None) for mark in marks]
        for group in filter(None, groups):
            yield from _flags_of(group())
    if not is_dataclass(kind):
        for part in get_args(kind):
            yield from _flags_of(part)
        return
    hints = get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        if tyro.conf.Positional not in get_args(hints[field.name]):
            yield field.name
        yield from _flags_of(hints[field.name])
