"""The errors that garden raises on purpose.

Each carries one line that says what is wrong, where, and what to do. The command line prints
that line and exits with code 2; library users catch :class:`GardenError`.

A message names an argument between backticks, as Python spells it (`max_hops`, `force=True`); the
command line shows the flag of that name in its place.
"""

from __future__ import annotations

import difflib
import math
import reprlib
from collections.abc import Hashable, Iterable, Sequence
from numbers import Integral, Real
from typing import Any, TypeVar

Name = TypeVar("Name", bound=str)
Item = TypeVar("Item", bound=Hashable)


class GardenError(Exception):
    """Something about the input, the data or the request that the user can put right."""


class GraphError(GardenError):
    """A graph that is not what it must be, or a node that is not in it."""


class DataError(GardenError):
    """A file, a folder or a download that cannot be read as a graph."""


class SpecError(GardenError):
    """A graph, strategy or memory name that means nothing here."""


class ArgumentError(SpecError, TypeError):
    """An argument of a type that means nothing here."""


class TaskError(GardenError):
    """A search task that cannot be made, read, or used with this graph."""


class StrategyError(GardenError):
    """A strategy that cannot work on what it was given."""


class ActionError(GardenError):
    """An action that the holder of the message cannot take."""


class MissingExtraError(GardenError, ImportError):
    """Something that needs a package which a plain install does not bring."""


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """``did you mean 'x'? `` for the known name nearest to a mistyped one; empty where none is.

    Args:
        name: What was given; anything with a text.
        known: The names that there are.
    """
    close = difflib.get_close_matches(str(name), list(known), n=1)
    return f"did you mean {close[0]!r}? " if close else ""


def expect(name: str, value: object, *kinds: type, otherwise: str | None = None) -> None:
    """Refuse an argument that is of none of these kinds, in one line that says what to give.

    Args:
        name: The argument, as Python spells it.
        value: What was given.
        *kinds: The types that it may have.
        otherwise: What to give instead, where the names of the types do not say it well.

    Raises:
        ArgumentError: If ``value`` is an instance of none of ``kinds``.

    """
    if not isinstance(value, kinds):
        wanted = otherwise or " or ".join(kind.__name__ for kind in kinds)
        kind = type(value).__name__
        raise ArgumentError(f"`{name}` is {short_repr(value)}, of type {kind}: give {wanted}")


def expect_count(name: str, value: Any) -> None:
    """Refuse an argument that is not a whole number of at least 1.

    Args:
        name: The argument, as Python spells it.
        value: What was given: anything at all.
    """
    expect(name, value, Integral, otherwise="a whole number")
    if value < 1:
        raise SpecError(f"{name} is {value}: it must be at least 1")


def expect_weight(name: str, value: Any) -> None:
    """Refuse an argument that is not a finite number of at least 0.

    Args:
        name: The argument, as Python spells it.
        value: What was given: anything at all.
    """
    expect(name, value, Real, otherwise="a number")
    if not (math.isfinite(value) and value >= 0):
        raise SpecError(f"{name} is {value}: it must be finite and not negative")


def expect_share(name: str, value: Any) -> None:
    """Refuse an argument that is not a number of at least 0 and below 1.

    Args:
        name: The argument, as Python spells it.
        value: What was given: anything at all.
    """
    expect(name, value, Real, otherwise="a number")
    if not 0 <= value < 1:
        raise SpecError(f"{name} is {value}: at least 0 and below 1 is needed")


def expect_discount(name: str, value: Any) -> None:
    """Refuse an argument that is not a number above 0 and below 1.

    Args:
        name: The argument, as Python spells it.
        value: What was given: anything at all.
    """
    expect(name, value, Real, otherwise="a number")
    if not 0 < value < 1:
        raise SpecError(f"{name} is {value}: it must lie between 0 and 1")


def expect_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Refuse an argument that is none of the choices, in a line that lists them.

    Args:
        name: What is chosen, as the message calls it.
        value: What was given.
        choices: All that may be given, in the order of the message.
    """
    if value not in choices:
        raise SpecError(f"unknown {name} {value!r}: choose from {', '.join(choices)}")


def known_name(kind: str, name: str, known: Sequence[Name]) -> Name:
    """The one of the known names that this is, or an error that lists them.

    Args:
        kind: What is named, in a word.
        name: What was given.
        known: All names.

    Raises:
        SpecError: If ``name`` is none of them; the nearest is proposed.
    """
    for one in known:
        if name == one:
            return one
    hint = did_you_mean(name, known)
    raise SpecError(f"unknown {kind} {name!r}: {hint}choose from {', '.join(known)}")


def first_repeated(values: Sequence[Item]) -> Item | None:
    """The first of these values that has stood among them before; None where all differ."""
    if len(set(values)) == len(values):
        return None
    seen: set[Item] = set()
    for value in values:
        if value in seen:
            return value
        seen.add(value)
    return None


def short_repr(value: object) -> str:
    """The ``repr`` of any value, on one line and cut where it is long, for messages.

    >>> short_repr("x" * 100)
    "'xxxxxxxxxxxx...xxxxxxxxxxxxx'"
    """
    return " ".join(reprlib.repr(value).split())


def short_text(text: str) -> str:
    """The text on one line, without quotes, its middle left out where it is long."""
    return short_repr(text)[1:-1]


def name_sample(names: Sequence[str], otherwise: str = "", count: int = 5) -> str:
    """The first ``count`` names with commas between, or ``otherwise`` where there is none.

    >>> name_sample(["a", "b", "c"], count=2)
    'a, b, …'

    Args:
        names: Names from files, each shortened where it is long.
        otherwise: What stands for no names at all.
        count: How many are shown; an ellipsis stands for the others.
    """
    sample = ", ".join(short_text(name) for name in names[:count])
    return (sample or otherwise) + (", …" if len(names) > count else "")


def kind_of(value: object) -> str:
    """The type of a value with its article, for messages.

    >>> kind_of(3), kind_of("x")
    ('an int', 'a str')
    """
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def one_line(error: BaseException) -> str:
    """What an error of another library says, on one line and at most 160 letters of it."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 160 else text[:160] + "…"


def duration(seconds: float) -> str:
    """A length of time as text: ``45 s``, ``3 min``, ``2.5 h``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
