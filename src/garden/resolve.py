"""Names of strategies: walkers, shipped weights, run folders, and classes of one's own."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from garden.checkpoint_files import CONFIG_FILE
from garden.errors import SpecError, did_you_mean, expect
from garden.graphs.graph import Graph
from garden.search.compare import Contender
from garden.strategies.base import Strategy
from garden.strategies.import_path import strategy_of_dotted_name
from garden.strategies.memory import Memory, memory_for, memory_named
from garden.strategies.registry import WALKERS
from garden.strategies.universal.edge_bias import EdgeBias
from garden.strategies.universal.storage import holds_universal, load_universal_or_adapted
from garden.strategies.wrap import PlainStrategy, as_strategy

_LOG = logging.getLogger("garden")
_WEIGHTS = Path(__file__).parent / "weights"

StrategyLike = str | PlainStrategy

UNIVERSAL = "universal"
DEFAULT_STRATEGY = f"{UNIVERSAL}+backtrack"
"""Who routes where nobody is named: it needs no training, and the memory was chosen on graphs that
are none of those it is reported on."""


def default_strategies(graph: Graph, memory: str = "none") -> list[str]:
    """The walkers that can work on this graph, and where they can the policy for every graph."""
    walkers = {name: make() for name, make in WALKERS.items()}
    if graph.num_attributes > 0:
        return [*walkers, UNIVERSAL, *([DEFAULT_STRATEGY] if memory == "none" else [])]
    usable = [name for name, walker in walkers.items() if not walker.needs_attributes]
    left_out = ", ".join(name for name in (*walkers, UNIVERSAL) if name not in usable)
    _LOG.info("%s has no attributes: %s are left out", graph.name, left_out)
    return usable


def contender_named(strategy: StrategyLike, memory: str = "none") -> Contender:
    """A strategy with its memory: ``NAME+MEMORY`` overrides the memory given for all."""
    return contenders_named([strategy], memory)[0]


def contenders_named(strategies: Sequence[StrategyLike], memory: str = "none") -> list[Contender]:
    """The same for several; one name is one strategy, whatever memories it plays with."""
    expect("memory", memory, str, otherwise="the name of a memory")
    known: dict[str, Strategy] = {}
    contenders = []
    for strategy in strategies:
        if isinstance(strategy, str):
            name, own_memory = _split_memory(strategy)
            ready = known[name] if name in known else known.setdefault(name, strategy_named(name))
            contenders.append(Contender(name, ready, _memory_of(ready, own_memory or memory)))
        else:
            ready = as_strategy(strategy)
            contenders.append(Contender(ready.name, ready, _memory_of(ready, memory)))
    return contenders


def _memory_of(strategy: Strategy, name: str) -> Memory:
    """The memory with this name, for this strategy."""
    edge_bias = getattr(strategy, "edge_bias", None)
    rule = memory_for(strategy, name)
    return edge_bias.with_memory(rule) if isinstance(edge_bias, EdgeBias) else rule


def strategy_named(name: str) -> Strategy:
    """The strategy with this name: a walker, shipped weights, a run folder, or a class."""
    if name in WALKERS:
        return WALKERS[name]()
    shipped = shipped_weights()
    if name in shipped or Path(name).is_dir():
        folder = shipped.get(name, Path(name))
        if holds_universal(folder):
            return load_universal_or_adapted(folder)
        from garden.models.checkpoint import load_policy

        return load_policy(folder)
    if ":" in name:
        return strategy_of_dotted_name(name)
    hint = did_you_mean(name, [*WALKERS, *shipped, *policies_beside(name)])
    raise SpecError(
        f"unknown strategy {name!r}: {hint}walkers are {', '.join(WALKERS)}; others are shipped "
        "weights, a run folder, or a class of your own as package.module:Class"
    )


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
    base, plus, memory = name.rpartition("+")
    if not plus or Path(name).is_dir():
        return name, None
    if not base:
        raise SpecError(f"{name!r} names a memory but no strategy: write NAME+{memory}")
    memory_named(memory)  # refused before anything is loaded
    return base, memory
