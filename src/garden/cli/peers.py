"""``garden peers cut|faults|attacks|paths|speed|leaks``: what sees a whole graph."""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import tyro

from garden.cli.console import busy, print_report, progress_bar
from garden.cli.peers_options import Columns, OnGraph
from garden.errors import SpecError

if TYPE_CHECKING:
    from garden.experiments.peers.cut import Cut
    from garden.experiments.peers.faults import FaultPlan
    from garden.graphs.graph import Graph
    from garden.search.progress import Progress

_LOG = logging.getLogger("garden")


@dataclass(frozen=True, kw_only=True)
class PeersCut(OnGraph):
    """Cut a graph into peers: one file per agent with what it sees, and nothing else.

    This is the only step that sees the graph. OUT/agents/KEY.agent holds the keys of the agent and
    of its neighbours, in order, and its ego graph: no secrets, no counters, nothing of the graph
    elsewhere. OUT/strategy.json says what all agents run. For peers over a network, --roster or
    --test-keys adds OUT/agents/KEY.contacts: the neighbours' public keys and addresses.
    """

    out: Path
    """The folder to write."""

    strategy: str = "beacons+backtrack"
    """What the agents run: a walker, beacons, universal or the folder of an export; NAME+MEMORY
    gives it a memory."""

    memory: str = "none"
    """The memory, where the strategy names none: none, visited, backtrack,
    frontier."""

    seed: int = 0
    """The split that temperatures are tuned on."""

    roster: Path | None = None
    """The lines of all agents, as `garden peers keys` wrote them."""

    test_keys: int | None = None
    """Derive all keys from this seed, for hosts on this machine: they protect nothing."""

    hosts: int = 1
    """With --test-keys: how many hosts run the agents."""

    port: int = 7100
    """With --test-keys: the port of the first host; the others follow."""

    force: bool = False
    """Replace OUT, where it holds peers already."""

    def run(self) -> None:
        """Cut the graph, store what each host needs, and print how large it is."""
        if self.roster is not None and self.test_keys is not None:
            raise SpecError("give `roster=FILE` or `test_keys=SEED`, not both")
        graph = self.load()
        with progress_bar(f"cutting {self.spec}") as progress:
            made = self._cut(graph, progress)
        summary = {"graph": graph.name, **asdict(made), "folder": str(made.folder)}
        print_report("Peers", summary, self.json)

    def _cut(self, graph: Graph, progress: Progress) -> Cut:
        """Cut with keys, where some were asked for."""
        from garden.experiments.peers.cut import cut

        settings = (self.memory, self.seed, self.force, progress)
        if self.roster is None and self.test_keys is None:
            return cut(graph, self.strategy, self.out, *settings)
        from garden.experiments.peers.network_cut import (
            cut_network,
            local_addresses,
            roster_for_tests,
        )
        from garden.peers.network.roster import read_roster

        if self.roster is not None:
            lines = read_roster(self.roster)
            return cut_network(graph, self.strategy, self.out, lines, *settings)
        seed = self.test_keys or 0
        addresses = local_addresses(self.hosts, self.port)
        lines = dict(roster_for_tests(graph.node_names, addresses, seed))
        _LOG.warning("all keys are derived from seed %d: they protect nothing", seed)
        return cut_network(graph, self.strategy, self.out, lines, *settings, (seed, addresses))


@dataclass(frozen=True, kw_only=True)
class PeersFaults(OnGraph):
    """Let peers and links fail in virtual time, and count the messages that arrive.

    Messages count whose sender and target live and are joined by living peers from sending to
    ending.
    """

    strategy: str = "beacons+backtrack"
    """What the agents run: a walker, beacons, universal or the folder of an export; NAME+MEMORY
    gives it a memory."""

    crashed: float = 0.1
    """The share of peers that crash once all have settled."""

    loss: float = 0.0
    """The share of envelopes that are lost."""

    stale_views: float = 0.0
    """The share of links that go while as many others come: nobody is told, and nobody sees
    those that came."""

    stale_cards: float = 0.0
    """The share of links that have changed since the senders' cards were made."""

    parted: float = 0.0
    """The share of peers that are parted from the rest for the middle third of the messages."""

    churn: float = 0.0
    """The share of peers that go each minute, and come back after one."""

    at_once: bool = False
    """Send right after crashes and changes, not after they have been found out."""

    messages: int = 1_000
    """How many messages are sent."""

    pace: int = 100
    """Milliseconds between two messages."""

    seed: int = 0
    """Fixes who crashes, what is lost and who sends to whom."""

    def run(self) -> None:
        """Send messages while agents fail as planned, and print how they ended."""
        from garden.experiments.peers.faults import measure_faults

        plan = self._plan()
        graph = self.load()
        with progress_bar(f"peers of {self.spec}") as progress:
            report = measure_faults(graph, self.strategy, plan, progress).to_json()
        print_report("Peers under faults", report, self.json)

    def _plan(self) -> FaultPlan:
        from garden.experiments.peers.faults import FaultPlan

        return FaultPlan(
            crashed=self.crashed,
            loss=self.loss,
            stale_views=self.stale_views,
            stale_cards=self.stale_cards,
            parted=self.parted,
            churn=self.churn,
            settle_anew=not self.at_once,
            messages=self.messages,
            pace=self.pace,
            seed=self.seed,
        )


@dataclass(frozen=True, kw_only=True)
class PeersAttacks(OnGraph):
    """Let a share of the peers attack in virtual time, with the defences off and on.

    Messages count between honest peers that are joined by honest peers.
    """

    attack: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """One attack, or several by repeating the flag: drop, misroute, forged-cards, claim-target,
    false-beacons, eclipse, replay, flood, forged-hops; all by default."""

    share: tyro.conf.UseAppendAction[tuple[float, ...]] = ()
    """The share of peers that attack, or several; 0.05 by default."""

    strategy: str = "beacons+backtrack"
    """What honest agents run."""

    messages: int = 1_000
    """How many messages count in each row."""

    seed: int = 0
    """Fixes who attacks and who sends to whom."""

    def run(self) -> None:
        """Measure each attack at each share, without and with defences; print a table."""
        from garden.experiments.peers.attackers import ATTACKS
        from garden.experiments.peers.attacks import measure_attack

        graph = self.load()
        reports = []
        for attack in self.attack or tuple(ATTACKS):
            for share in self.share or (0.05,):
                for defended in (False, True):
                    with progress_bar(f"{attack}, {share:.0%}") as progress:
                        reports.append(
                            measure_attack(
                                graph,
                                attack,
                                self.strategy,
                                share=share,
                                defended=defended,
                                messages=self.messages,
                                seed=self.seed,
                                progress=progress,
                            )
                        )
        columns: Columns = {
            "attack": lambda one: one.attack,
            "share": lambda one: f"{one.share:.0%}",
            "defences": lambda one: "on" if one.defended else "off",
            "delivered": lambda one: f"{one.delivery_rate:.1%}",
            "false": lambda one: str(one.false_deliveries),
            "twice": lambda one: str(one.handed_over_twice),
            "source named": lambda one: f"{one.source_named:.1%}",
        }
        self.print_rows("Peers under attack", columns, reports)


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
