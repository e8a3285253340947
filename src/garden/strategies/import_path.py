"""Strategies by dotted name: ``package.module:Class``, the working folder included.

What stands there may be a class or a function that needs no arguments, or a ready object.
"""

from __future__ import annotations

import difflib
import importlib
import inspect
import sys
import sysconfig
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from garden.errors import SpecError, StrategyError, short_repr
from garden.strategies.base import Strategy
from garden.strategies.wrap import as_strategy, missing_functions

_LIBRARIES = (
    *(sysconfig.get_paths()[kind] for kind in ("stdlib", "platstdlib", "purelib", "platlib")),
    str(Path(__file__).parents[1]),  # this package
)


def strategy_of_dotted_name(name: str) -> Strategy:
    """The strategy that ``package.module:Class`` names."""
    module_name, _, attribute = name.partition(":")
    found = _attribute_of(_module_named(module_name, name), attribute, name)
    return made_strategy(found, name)


def made_strategy(found: object, name: str) -> Strategy:
    """A strategy from a class, a function that makes one, or a ready object."""
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
    """An error in somebody's code on one line: where it happened, what it is, what it says."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{_short(error.filename)}, line {error.lineno}: {_said(error, error.msg)}"
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith("<") and Path(frame.filename) != Path(__file__)
    ]
    own = [frame for frame in frames if not frame.filename.startswith(_LIBRARIES)]
    if not frames:
        return _said(error, str(error))
    place = (own or frames)[-1]
    return f"{_short(place.filename)}, line {place.lineno}: {_said(error, str(error))}"


def _module_named(module_name: str, name: str) -> ModuleType:
    if not all(module_name.split(".")) or name.endswith(":"):
        hint = _hint_of_path(name) or ": write package.module:Class"
        raise SpecError(f"{name!r} is no name of a strategy{hint}")
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))  # an installed `garden` does not look here by itself
    importlib.invalidate_caches()
    try:
        return importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise SpecError(f"{name}: cannot import {module_name} ({failure_of(error)})") from None
        raise SpecError(
            f"{name}: cannot import {module_name}: no module named {error.name!r} in {Path.cwd()} "
            f"or among the installed packages{_hint_of_path(name)}"
        ) from None
    except (Exception, SystemExit) as error:
        raise SpecError(f"{name}: cannot import {module_name} ({failure_of(error)})") from None


def _hint_of_path(name: str) -> str:
    """What to write in place of a file's path, where that is what was given."""
    path, _, attribute = name.partition(":")
    if "/" not in path and not path.endswith(".py"):
        return ""
    parts = Path(path).with_suffix("").parts
    dotted = ".".join(part for part in parts if part not in ("/", "..", "."))
    return f": it wants a module, not a file: {dotted}:{attribute}"


def _attribute_of(module: ModuleType, attribute: str, name: str) -> object:
    found: Any = module
    for part in attribute.split("."):
        if not hasattr(found, part):
            close = difflib.get_close_matches(part, [key for key in vars(found) if key[0] != "_"])
            hint = f": did you mean {close[0]!r}?" if close else ""
            raise SpecError(f"{name}: {module.__name__} has no {part!r}{hint}")
        found = getattr(found, part)
    return found


def _made_without_arguments(make: Callable[..., object], name: str) -> object:
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


def _said(error: BaseException, message: str) -> str:
    said = " ".join(message.split())
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _short(filename: str) -> str:
    """The path from the working folder, where the file lies in it."""
    path = Path(filename)
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
