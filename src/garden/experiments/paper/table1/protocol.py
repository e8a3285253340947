"""The paper's own training beside its numbers: its five agents, attributes as published.

The agent is `garden` by ``protocol=paper``: an episode per update, cut off after some minutes of
one core. Table 1 of the paper has one split of each graph, so few seeds are enough to stand beside
it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from garden.experiments.paper.published import AGENTS, FACEBOOK, GRAPHS, title_of
from garden.experiments.paper.table1.tables import PAPER
from garden.experiments.report.intervals import pooled
from garden.experiments.report.sections import Table
from garden.experiments.report.tables import Result, Row, group_win_rates
from garden.experiments.run.config import FIRST_SEED, Scope
from garden.experiments.run.jobs import Comparison, ContenderSpec, Training
from garden.training.config import TrainingOptions

TABLE = "paper-protocol"
NUM_SEEDS: Mapping[str, int] = {"414": 3, "686": 3, "348": 1, "0": 1}
MINUTES: Mapping[str, float] = {"414": 17, "686": 13, "348": 10, "0": 12}
"""Of one core, shared by the seeds of a graph, which train as one stack."""

_QUICK_UPDATES = 40


def protocol_comparison(ego: str, seed: int, quick: bool) -> Comparison:
    """The paper's five agents on one split, the learned one by the paper's own training.

    Args:
        ego: The SNAP ego id.
        seed: Of the split and of the training.
        quick: Whether the training is cut short.

    Returns:
        The unit of work.
    """
    graph = f"facebook:{ego},attributes=as-published"
    options = TrainingOptions(protocol="paper", updates=_QUICK_UPDATES if quick else None)
    training = Training(graph, seed, options, max_minutes=None if quick else MINUTES[ego])
    walkers = tuple(ContenderSpec(name, name) for name in AGENTS if name != "garden")
    contenders = (*walkers, ContenderSpec("garden", training))
    return Comparison(graph, seed, contenders, win_groups=((PAPER, AGENTS),))


def protocol_seeds(scope: Scope, ego: str) -> tuple[int, ...]:
    """The splits of a graph that are played; none of the graphs left out.

    Args:
        scope: How much is made.
        ego: The SNAP ego id.
    """
    return scope.seeds_or(NUM_SEEDS[ego], FIRST_SEED) if ego in NUM_SEEDS else ()


def protocol_table(results: Mapping[str, Sequence[Result]]) -> Table:
    """All three metrics of the five agents beside the paper's, graph by graph.

    Args:
        results: What each seed's comparison stored, by ego id.
    """
    rows: list[Row] = []
    for agent in AGENTS:
        rows += _agent_rows(agent, results)
    rows.append(("episodes of the training, by seed", *(_episodes(of) for of in results.values())))
    best = (", ".join(f"{one['best_update']:,}" for one in _trained(of)) for of in results.values())
    rows.append(("… best on validation after", *best))
    return Table(
        TABLE,
        "The paper's five agents, attributes and training (`protocol=paper`): ours (the paper's)",
        ("ours (the paper's)", *map(title_of, results)),
        tuple(rows),
        f"{_training_words(results)} The paper trains for up to 200,000 episodes, plays one split "
        "that it does not give, and stops by a patience that it does not name.",
    )


def protocol_cells(results: Mapping[str, Sequence[Result]]) -> dict[str, str]:
    """The oracle ratio of `garden` by the paper's training and after how many episodes, by ego."""
    cells = {}
    for ego, of in results.items():
        episodes = {f"{one['updates']:,}" for one in _trained(of)}
        after = f"{' and '.join(sorted(episodes))} episodes"
        cells[ego] = f"{pooled(of).mean('ratio', 'garden'):.2f} after {after}"
    return cells


def _agent_rows(agent: str, results: Mapping[str, Sequence[Result]]) -> list[Row]:
    paper = {ego: FACEBOOK[ego][agent] for ego in results}
    pools = {ego: pooled(of) for ego, of in results.items()}
    ratio = [
        f"{pool.estimate('ratio', agent).text()} ({paper[ego].ratio_text()})"
        for ego, pool in pools.items()
    ]
    truncated = [
        f"{100 * pool.mean('truncated', agent):.1f} ({100 * paper[ego].truncation_rate:.1f})"
        for ego, pool in pools.items()
    ]
    wins = []
    for ego, of in results.items():
        rates = group_win_rates(of, PAPER, agent)
        wins.append(f"{100 * sum(rates) / len(rates):.1f} ({100 * paper[ego].win_rate:.1f})")
    return [
        (f"{agent}: oracle ratio", *ratio),
        (f"{agent}: truncated, %", *truncated),
        (f"{agent}: wins, %", *wins),
    ]


def _trained(results: Sequence[Result]) -> list[Mapping[str, object]]:
    return [result["trained"]["garden"] for result in results]


def _episodes(results: Sequence[Result]) -> str:
    return ", ".join(
        f"{one['updates']:,}" + (" (cut off)" if one.get("stopped") == "time" else "")
        for one in _trained(results)
    )


def _training_words(results: Mapping[str, Sequence[Result]]) -> str:
    """Seeds and where they were trained."""
    seeds = ", ".join(f"{len(of)} of {GRAPHS[ego]}" for ego, of in results.items())
    devices = sorted({str(one["device"]) for of in results.values() for one in _trained(of)})
    return (
        f"Seeds: {seeds}; trained on {' and '.join(devices)}, those of a graph as one stack on one "
        "core."
    )
