"""``garden peers paths|speed|leaks``: peers without faults, and what their rows tell."""

from __future__ import annotations

from dataclasses import dataclass

import tyro

from garden.cli.console import busy, progress_bar
from garden.cli.peers_options import Columns, OnGraph


@dataclass(frozen=True, kw_only=True)
class PeersPaths(OnGraph):
    """Compare the paths of peers in virtual time with the simulator's, message by message.

    It also says how large the envelopes of messages are.
    """

    strategy: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """What the agents run, or several by repeating the flag; beacons+backtrack by default."""

    messages: int = 1_000
    """How many messages are compared for each strategy."""

    seed: int = 0
    """Fixes who sends to whom."""

    def run(self) -> None:
        """Compare the paths of peers with those of the simulator, and print a table."""
        from garden.experiments.peers.paths import compare_paths

        graph = self.load()
        reports = []
        for name in self.strategy or ("beacons+backtrack",):
            with progress_bar(name) as progress:
                reports.append(compare_paths(graph, name, self.messages, self.seed, progress))
        columns: Columns = {
            "strategy": lambda one: one.strategy,
            "memory": lambda one: one.memory,
            "messages": lambda one: f"{one.messages:,}",
            "differing": lambda one: str(one.differing),
            "hops": lambda one: f"{one.hops:,}",
            "bytes": lambda one: f"{one.mean_envelope_bytes:,.0f}",
            "at most": lambda one: f"{one.largest_envelope_bytes:,}",
        }
        self.print_rows(f"Paths of {graph.name}", columns, reports)


@dataclass(frozen=True, kw_only=True)
class PeersSpeed(OnGraph):
    """Time single choices of settled agents, on one core."""

    strategy: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """What the agents run, or several by repeating the flag; walkers, beacons and universal by
    default."""

    choices: int = 2_000
    """How many choices are timed for each strategy."""

    seed: int = 0
    """Fixes which holders choose for which targets."""

    def run(self) -> None:
        """Time the choice of a next hop by each strategy, and print a table."""
        from garden.experiments.peers.speed import STRATEGIES, time_choices

        graph = self.load()
        times = []
        for name in self.strategy or STRATEGIES:
            with busy(f"timing {name}"):
                times.append(time_choices(graph, name, self.choices, self.seed))
        columns: Columns = {
            "strategy": lambda one: one.strategy,
            "memory": lambda one: one.memory,
            "median, µs": lambda one: f"{one.median_us:.0f}",
            "ninetieth, µs": lambda one: f"{one.ninetieth_us:.0f}",
        }
        self.print_rows(f"One choice of peers of {graph.name}", columns, times, "times")


@dataclass(frozen=True, kw_only=True)
class PeersLeaks(OnGraph):
    """Guess attributes of agents from their rows, as somebody who knows some profiles would.

    The graph must have attributes of 0 and 1.
    """

    strategy: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """Whose rows are read, or several by repeating the flag; beacons and universal by default."""

    known: float = 0.5
    """The share of agents whose profiles are known to whoever guesses."""

    seed: int = 0
    """Fixes who is known."""

    def run(self) -> None:
        """Guess attributes from rows of each strategy, and print how often that is right."""
        from garden.experiments.peers.leaks import measure_leaks

        graph = self.load()
        reports = []
        for name in self.strategy or ("beacons", "universal"):
            with busy(f"rows of {name}"):
                reports.append(measure_leaks(graph, name, self.known, self.seed))
        columns: Columns = {
            "strategy": lambda one: one.strategy,
            "attributes": lambda one: str(one.attributes),
            "AUC": lambda one: f"{one.mean_auc:.3f}",
            "AUC ≥ 0.9": lambda one: f"{one.share_of_large_auc:.0%}",
            "accuracy": lambda one: f"{one.mean_accuracy:.1%}",
            "base rate": lambda one: f"{one.mean_base_accuracy:.1%}",
        }
        self.print_rows(f"What rows of {graph.name} give away", columns, reports)
