"""Checkers for what users write themselves.

:func:`check_strategy` plays a strategy on small graphs and raises with a sentence for everything
that is wrong with it; :func:`strategy_problems` gives the sentences.
"""

from __future__ import annotations

from garden.testing.check import StrategyCheckError, check_strategy, strategy_problems

__all__ = ["StrategyCheckError", "check_strategy", "strategy_problems"]
