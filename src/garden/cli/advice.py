"""One line after a comparison, where its figures leave no doubt about what to do next."""

from __future__ import annotations

from collections.abc import Sequence

from garden.resolve import UNIVERSAL
from garden.search.report import Report, StrategyResult
from garden.strategies.registry import WALKERS

_AS_GOOD_AS_ONE = 1.005  # what a table shows as 1.00
_HALF = 0.5


def advice_on(reports: Sequence[Report]) -> str | None:
    """What every one of these reports says, or nothing."""
    lines = {_advice(report) for report in reports}
    return lines.pop() if len(lines) == 1 else None


def _advice(report: Report) -> str | None:
    return _of_the_limit(report) or _of_training(report) or _of_memory(report)


def _of_the_limit(report: Report) -> str | None:
    """Whether nobody could have delivered some of the messages."""
    if not report.num_pairs_beyond_limit:
        return None
    return (
        f"{report.num_pairs_beyond_limit} of {len(report.pairs)} pairs are further apart than "
        f"{report.config.max_hops} hops, the longest {report.distances.max()}: no ratio counts them"
    )


def _of_training(report: Report) -> str | None:
    """Whether a strategy that needs no training leaves nothing to be gained.

    The upper end of its interval has to be at 1.00 too. Targets that temperatures were tuned on
    prove nothing.
    """
    best = [result.name for result in report.results if _is_perfect_untrained(result)]
    if not best or report.config.split != "test":
        return None
    name = UNIVERSAL if UNIVERSAL in best else best[0]
    return f"{name} is at 1.00 here: training cannot help"


def _is_perfect_untrained(result: StrategyResult) -> bool:
    if result.name not in (*WALKERS, UNIVERSAL) or result.oracle_ratio_ci is None:
        return False
    return result.oracle_ratio_ci[1] < _AS_GOOD_AS_ONE


def _of_memory(report: Report) -> str | None:
    """Whether the best of those without a memory lost half of its messages.

    A message that can turn back reaches every node of a connected graph.
    """
    results = report.results
    if any(result.memory != "none" or result.truncation_rate < _HALF for result in results):
        return None
    return "half of the walks or more were cut off: try --memory backtrack"
