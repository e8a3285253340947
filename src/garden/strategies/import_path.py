"""Strategies by import path: ``package.module:Class``, the working folder searched too.

The path may lead to a class or a function that needs no arguments, or to a ready object.
"""

from __future__ import annotations

import difflib
import importlib
import inspect
import pkgutil
import sys
import sysconfig
import traceback
from collections.abc import Callable
from pathlib import Path

from garden.errors import SpecError, StrategyError, short_repr
from garden.strategies.base import Strategy
from garden.strategies.duck_typed import as_strategy, missing_functions

_LIBRARIES = (
    *(sysconfig.get_paths()[kind] for kind in ("stdlib", "platstdlib", "purelib", "platlib")),
    str(Path(__file__).parents[1]),  # this package
)


def strategy_of_dotted_name(name: str) -> Strategy:
    """The strategy that ``package.module:Class`` names, or an error that says what is wrong."""
    return made_strategy(_object_at(name), name)


def made_strategy(found: object, name: str) -> Strategy:
    """A strategy from a class, a function that makes one, or a ready object.

    Args:
        found: The class, function or object.
        name: How errors call it.

    """
    if not isinstance(found, type) and not missing_functions(found):
        return as_strategy(found)
    if not callable(found) or (isinstance(found, type) and missing_functions(found)):
        lacks = missing_functions(found)
        raise StrategyError(f"{name} is not a strategy: {lacks}")
    made = _made_without_arguments(found, name)
    if isinstance(made, type) or missing_functions(made):
        raise StrategyError(f"{name} gave {short_repr(made)}, which is not a strategy")
    return as_strategy(made)


def failure_of(error: BaseException) -> str:
    """An error in a user's code on one line: file and line in that code, type and message."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{_short(error.filename)}, line {error.lineno}: {_described(error, error.msg)}"
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith("<") and Path(frame.filename) != Path(__file__)
    ]
    own = [frame for frame in frames if not frame.filename.startswith(_LIBRARIES)]
    if not frames:
        return _described(error, str(error))
    frame = (own or frames)[-1]
    return f"{_short(frame.filename)}, line {frame.lineno}: {_described(error, str(error))}"


def _object_at(name: str) -> object:
    """What ``package.module:attribute`` names, the working folder searched too."""
    module_name, _, attribute = name.partition(":")
    if not all(part.isidentifier() for part in f"{module_name}.{attribute}".split(".")):
        hint = _hint_of_path(name) or ": write package.module:Class"
        raise SpecError(f"{name!r} is no name of a strategy{hint}")
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))  # an installed `garden` does not look here by itself
    importlib.invalidate_caches()
    try:
        return pkgutil.resolve_name(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise SpecError(f"{name}: cannot import {module_name} ({failure_of(error)})") from None
        raise SpecError(
            f"{name}: cannot import {module_name}: no module named {error.name!r} in {Path.cwd()} "
            f"or among the installed packages{_hint_of_path(name)}"
        ) from None
    except (Exception, SystemExit) as error:
        if isinstance(error, AttributeError) and module_name in sys.modules:  # it was imported
            raise _no_attribute(error, attribute, name) from None
        raise SpecError(f"{name}: cannot import {module_name} ({failure_of(error)})") from None


def _hint_of_path(name: str) -> str:
    """What to write in place of a file's path, where that is what was given."""
    path, _, attribute = name.partition(":")
    if "/" not in path and not path.endswith(".py"):
        return ""
    parts = Path(path).with_suffix("").parts
    dotted = ".".join(part for part in parts if part not in ("/", "..", "."))
    return f": it wants a module, not a file: {dotted}:{attribute}"


def _no_attribute(error: AttributeError, attribute: str, name: str) -> SpecError:
    """The error where a module, or a class in it, lacks an attribute; with the nearest name."""
    missing = error.name or attribute
    public = [key for key in getattr(error.obj, "__dict__", {}) if key[0] != "_"]
    close = difflib.get_close_matches(missing, public)
    hint = f": did you mean {close[0]!r}?" if close else ""
    return SpecError(f"{name}: {name.partition(':')[0]} has no {missing!r}{hint}")


def _made_without_arguments(make: Callable[..., object], name: str) -> object:
    """What a class or function gives that must need no arguments."""
    needed = _needed_arguments(make)
    if needed:
        raise StrategyError(
            f"{name} needs arguments ({', '.join(needed)}): give them defaults, or name a "
            "function without arguments that makes it"
        )
    try:
        return make()
    except Exception as error:
        raise StrategyError(f"{name}: making it failed ({failure_of(error)})") from None


def _needed_arguments(make: Callable[..., object]) -> list[str]:
    """The names of its arguments without defaults."""
    try:
        parameters = inspect.signature(make).parameters.values()
    except (TypeError, ValueError):  # built-in ones may hide theirs
        return []
    return [
        parameter.name
        for parameter in parameters
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]


def _described(error: BaseException, message: str) -> str:
    """The type of an error and its message, on one line."""
    line = " ".join(message.split())
    return f"{type(error).__name__}: {line}" if line else type(error).__name__


def _short(filename: str) -> str:
    """The path from the working folder, where the file lies in it."""
    path = Path(filename)
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
