"""A name becomes a strategy with its memory: the one place where contenders are built.

Names are, in this order: walkers and strategies with rounds, shipped weights, run folders, and
classes as ``package.module:Class``; ``NAME+MEMORY`` adds a memory. Whoever holds a strategy
already, a policy that an experiment trained for example, gives it to :func:`contender_of`.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from garden.errors import SpecError, did_you_mean, expect, short_repr
from garden.graphs.graph import Graph
from garden.models.registry import MODELS
from garden.search.compare import Contender
from garden.storage import CONFIG_FILE
from garden.strategies.base import Strategy
from garden.strategies.duck_typed import PlainStrategy, as_strategy
from garden.strategies.explore import ExploreMemory
from garden.strategies.exported import holds_export, load_exported
from garden.strategies.frontier import FrontierMemory
from garden.strategies.gossip.beacons import Beacons
from garden.strategies.gossip.directory import Directory
from garden.strategies.import_path import strategy_of_dotted_name
from garden.strategies.memory import Memory, NoMemory
from garden.strategies.registry import BY_SCORE, GOSSIP, MEMORIES, RULES, WALKERS, registered
from garden.strategies.universal.edge_bias import EdgeBias
from garden.strategies.universal.storage import holds_universal, load_universal_or_adapted

_LOG = logging.getLogger("garden")
_WEIGHTS = Path(__file__).parent / "weights"

StrategyLike = str | PlainStrategy

UNIVERSAL = "universal"
DEFAULT_STRATEGY = f"{UNIVERSAL}+explore"
"""The default strategy: it needs no training. On forty generated graphs that nothing else was tried
on, its memory needs the fewest hops."""


def default_strategies(graph: Graph, memory: str = "none") -> list[str]:
    """The names of the strategies that are evaluated where none is named.

    Args:
        graph: The graph; without attributes, strategies that need them are left out.
        memory: The memory that all are given; with ``none``, the default strategy with its own
            memory is added.

    Returns:
        Names of walkers, of the policy for every graph, and of ``beacons``, whose agents talk.
    """
    walkers = {name: make() for name, make in WALKERS.items()}
    if graph.num_attributes > 0:
        own = [DEFAULT_STRATEGY] if memory == "none" else []
        return [*walkers, UNIVERSAL, *own, Beacons.name]
    usable = [name for name, walker in walkers.items() if not walker.needs_attributes]
    left_out = ", ".join(name for name in (*walkers, UNIVERSAL) if name not in usable)
    _LOG.info("%s has no attributes: %s are left out", graph.name, left_out)
    return [*usable, Beacons.name]


def contender_of(label: str, strategy: Strategy, memory: str = "none") -> Contender:
    """A strategy with a memory that suits it.

    Args:
        label: The name that reports give it, which also seeds its sampled walks.
        strategy: The strategy. Where agents have learned a bias for each of their edges, it is
            added to what the memory sees; the messages of ``directory`` remember more.
        memory: The name of the memory.

    Returns:
        The contender.
    """
    rule = memory_for(strategy, memory)
    if isinstance(strategy, Directory):
        rule = strategy.with_memory(rule)
    bias = getattr(strategy, "edge_bias", None)
    return Contender(
        label, strategy, bias.with_memory(rule) if isinstance(bias, EdgeBias) else rule
    )


def contender_named(strategy: StrategyLike, memory: str = "none") -> Contender:
    """One contender, as :func:`contenders_named` makes them.

    Args:
        strategy: A name, which may end in ``+MEMORY``, or a strategy.
        memory: The memory where the name holds none.
    """
    return contenders_named([strategy], memory)[0]


def contenders_named(strategies: Sequence[StrategyLike], memory: str = "none") -> list[Contender]:
    """Contenders from names or strategies.

    Args:
        strategies: Names, each of which may end in ``+MEMORY``, or strategies. One name is one
            strategy, whatever memories it is played with.
        memory: The memory of all that name none.

    Returns:
        The contenders, in the order given.
    """
    expect("memory", memory, str, otherwise="the name of a memory")
    known: dict[str, Strategy] = {}
    contenders = []
    for strategy in strategies:
        if isinstance(strategy, str):
            name, own_memory = _split_memory(strategy)
            if name not in known:
                known[name] = strategy_named(name)
            contenders.append(contender_of(name, known[name], own_memory or memory))
        else:
            ready = as_strategy(strategy)
            contenders.append(contender_of(ready.name, ready, memory))
    return contenders


def strategy_named(name: str) -> Strategy:
    """The strategy with this name: a walker, shipped weights, a run folder, or a class."""
    if not name.strip():
        raise SpecError("a strategy's name is empty: `garden evaluate --help` says what there is")
    if name in WALKERS:
        return WALKERS[name]()
    ready = registered(name)
    if ready is not None:
        return ready
    shipped = shipped_weights()
    if name in shipped or Path(name).is_dir():
        folder = shipped.get(name, Path(name))
        if holds_universal(folder):
            return load_universal_or_adapted(folder)
        if holds_export(folder):
            return load_exported(folder)
        from garden.models.policy_files import load_policy

        return load_policy(folder)
    if ":" in name:
        return strategy_of_dotted_name(name)
    if name in MODELS:
        raise SpecError(
            f"{name} is a model: train it first (`garden train GRAPH --model {name}`), and name "
            "the run folder"
        )
    hint = did_you_mean(name, [*WALKERS, *GOSSIP, *shipped, *policies_beside(name)])
    raise SpecError(
        f"unknown strategy {name!r}: {hint}walkers are {', '.join(WALKERS)}; with rounds: "
        f"{', '.join(GOSSIP)}; others are shipped weights, a run folder, or a class of your own as "
        "package.module:Class"
    )


def memory_named(name: str) -> Memory:
    """The memory with this name, or an error that lists the names."""
    expect("memory", name, str, otherwise="the name of a memory")
    if name in MEMORIES:
        return MEMORIES[name]
    hint = did_you_mean(name, MEMORIES)
    raise SpecError(f"unknown memory {short_repr(name)}: {hint}choose from {', '.join(MEMORIES)}")


def memory_for(strategy: Strategy | type[Strategy], name: str) -> Memory:
    """The memory with this name, in the form that suits the strategy, or an error if none does.

    Args:
        strategy: Says whether its rows show links and its scores compare.
        name: The memory's name; ``frontier`` goes by score where scores compare.
    """
    memory = memory_named(name)
    if name == ExploreMemory.name and not strategy.shows_links:
        raise SpecError(
            f"{strategy.name}: the memory {name} counts links that rows show, and its rows show "
            f"none: choose from {', '.join((NoMemory.name, *RULES))}"
        )
    return BY_SCORE if name == FrontierMemory.name and strategy.scores_compare else memory


def shipped_weights() -> dict[str, Path]:
    """The policies that come with the package, by name."""
    if not _WEIGHTS.is_dir():
        return {}
    return {folder.name: folder for folder in sorted(_WEIGHTS.iterdir()) if folder.is_dir()}


def policies_beside(name: str) -> list[str]:
    """The folders of policies that a mistyped path may have meant, spelled as it is."""
    parent = Path(name).parent
    try:
        holders = (found.parent.name for found in parent.glob(f"*/{CONFIG_FILE}"))
        return [str(parent / holder) for holder in holders]
    except (OSError, ValueError):  # no such folder, or none that we may look into
        return []


def _split_memory(name: str) -> tuple[str, str | None]:
    """``NAME+MEMORY`` as its two parts; no memory where the whole is a folder or has no plus."""
    base, plus, memory = name.rpartition("+")
    if not plus or Path(name).is_dir():
        return name, None
    if not base:
        raise SpecError(f"{name!r} names a memory but no strategy: write NAME+{memory}")
    memory_named(memory)  # refused before anything is loaded
    return base, memory
