"""Checks of what a strategy declares, and of how it is fitted and set to a temperature."""

from __future__ import annotations

import copy
import json
from contextlib import suppress
from typing import TypeVar, get_args

from garden.graphs.ego import EgoGraphs
from garden.strategies.base import Selection, Strategy
from garden.strategies.protocols import Fitted, Tempered
from garden.testing.findings import Findings, StoppedError

Kind = TypeVar("Kind", bound=Strategy)

_TEMPERATURE = 0.7


def check_declared(strategy: Strategy, found: Findings) -> None:
    """Check its name, its selection, its flags and its parameters.

    Args:
        strategy: The strategy, wrapped where it has no base class.
        found: Where problems are noted.
    """
    name: object = strategy.name
    if not isinstance(name, str) or not name:
        found.add("name", f"Its name is {name!r}: give it a text to be known by.")
    if strategy.selection not in get_args(Selection):
        choices = " or ".join(repr(choice) for choice in get_args(Selection))
        found.add("selection", f"Its selection is {strategy.selection!r}: it must be {choices}.")
    value: object = strategy.needs_attributes
    if not isinstance(value, bool):
        found.add("needs_attributes", f"needs_attributes is {value!r}: it must be True or False.")
    if hasattr(strategy, "fit") and not isinstance(strategy, Fitted):
        found.add("fitted", "It has fit, but no property fitted that says whether it is done.")
    check_parameters(strategy, found)


def check_parameters(strategy: Strategy, found: Findings) -> None:
    """Check that its parameters can be written as JSON, as reports do.

    Args:
        strategy: The strategy.
        found: Where problems are noted.
    """
    try:
        parameters = found.at("").result_of("parameters", lambda: strategy.parameters)
    except StoppedError:
        return
    try:
        fine = isinstance(parameters, dict)
        json.dumps(parameters, allow_nan=False)
    except (TypeError, ValueError):
        fine = False
    if not fine:
        found.add(
            "parameters",
            f"parameters gives {parameters!r}, which a report cannot write: give a dictionary of "
            "plain, finite numbers and texts.",
        )


def copy_of(strategy: Kind) -> Kind:
    """A deep copy of the strategy; a shallow one or itself where it cannot be copied."""
    for way in (copy.deepcopy, copy.copy):
        with suppress(Exception):  # it may hold whatever it likes
            return way(strategy)
    return strategy


def ready_strategy(strategy: Strategy, egos: EgoGraphs, found: Findings) -> Strategy:
    """The strategy fitted on these ego graphs and at a temperature, where it needs either.

    Args:
        strategy: The strategy.
        egos: What it is fitted on.
        found: Where problems are noted.

    """
    if isinstance(strategy, Fitted) and not strategy.fitted:
        strategy = _fitted(strategy, egos, found)
    if isinstance(strategy, Tempered) and strategy.temperature is None:
        strategy = at_temperature(strategy, _TEMPERATURE, found)
    check_parameters(strategy, found)
    return strategy


def at_temperature(strategy: Strategy, temperature: float, found: Findings) -> Strategy:
    """The strategy at this temperature, checked that the original stays unchanged.

    Args:
        strategy: A strategy with a temperature.
        temperature: The temperature.
        found: Where problems are noted.

    """
    assert isinstance(strategy, Tempered)
    before = _itself(strategy).temperature  # type: ignore[attr-defined]
    tempered = found.result_of("with_temperature", lambda: strategy.with_temperature(temperature))
    if getattr(tempered, "temperature", None) != temperature or not isinstance(tempered, Strategy):
        raise found.stop(
            "with_temperature",
            f"with_temperature({temperature}) does not give a strategy at that temperature back.",
        )
    if _itself(strategy).temperature != before:  # type: ignore[attr-defined]
        found.add(
            "with_temperature changes",
            "with_temperature changes the strategy that it is called on: give a copy back.",
        )
    return tempered


def _fitted(strategy: Strategy, egos: EgoGraphs, found: Findings) -> Strategy:
    assert isinstance(strategy, Fitted)
    fitted = found.result_of("fit", lambda: strategy.fit(egos), may_refuse=True)
    if not isinstance(fitted, Strategy) or not getattr(fitted, "fitted", False):
        raise found.stop("fit", "fit does not give a strategy back whose fitted is True.")
    if _itself(strategy).fitted:  # type: ignore[attr-defined]
        found.add(
            "fit changes",
            "fit changes the strategy that it is called on: give a fitted copy back, so that the "
            "same strategy can be evaluated on several graphs.",
        )
    return fitted


def _itself(strategy: Strategy) -> object:
    """The object that its author wrote, out of the wrapper that one without a base class gets."""
    return getattr(strategy, "own", strategy)
