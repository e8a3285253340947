"""What agents make of newcomers: a tenth of all nodes at once, and nodes that join alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from garden.experiments.ours.newcomers.old_map import OldMapTrial
from garden.experiments.ours.newcomers.trial import MEMORYLESS, Agent, NewcomerTrial
from garden.experiments.paper.published import GRAPHS
from garden.experiments.report.claims import Claim, claim_by_case, claim_of_comparison
from garden.experiments.report.intervals import Pooled, pooled
from garden.experiments.report.sections import Findings, Table
from garden.experiments.report.tables import Row, footing_of
from garden.experiments.run.config import FIRST_SEED, Scope
from garden.experiments.run.experiment import Experiment, ResultOf
from garden.experiments.run.jobs import Work
from garden.models.registry import ModelConfig
from garden.training.config import TrainingOptions

NUM_SEEDS = 5
NUM_ALONE = 8
UPDATES = 1200
HIDDEN_NODE_RATE = 0.15
_QUICK_UPDATES = 10
TRELLIS, FOR_NEWCOMERS = "trellis", "trellis for newcomers"
BY_OLD = "trellis by old neighbours"
WITHOUT_CODES = "trellis without distance codes"
UNIVERSAL, ADAPTED, RULE = "universal", "universal, adapted", "bidirectional"
_OPTIONS = TrainingOptions(model="trellis", method="guided", updates=UPDATES, validate_every=100)


def _for_newcomers(rate: float, updates: int = UPDATES) -> Agent:
    options = replace(_OPTIONS, hidden_node_rate=rate, updates=updates)
    return Agent(FOR_NEWCOMERS, options=options)


AGENTS: Mapping[str, Agent] = {
    TRELLIS: Agent(TRELLIS, options=_OPTIONS),
    FOR_NEWCOMERS: _for_newcomers(HIDDEN_NODE_RATE),
    "… up to half hidden": _for_newcomers(0.5),
    "… up to half hidden, 2,400 updates": _for_newcomers(0.5, 2400),
    BY_OLD: Agent(BY_OLD, options=_OPTIONS, trained_as=TRELLIS),
    WITHOUT_CODES: Agent(
        WITHOUT_CODES, options=_OPTIONS, size=ModelConfig(parts="no-distance-codes")
    ),
    UNIVERSAL: Agent(UNIVERSAL, kind="universal"),
    ADAPTED: Agent(ADAPTED, kind="adapted"),
    RULE: Agent(RULE, kind="rule", rule=RULE),
}
Part = Literal["test", "ordinary", "detached", "validation"]
Results = Mapping[str, Sequence[Mapping[str, Any]]]  # by agent, a result per draw
MEMORYLESS_BAR, MEMORY_BAR = 1.30, 1.12
_FIRST_GRAPH = "0"  # the bars are of this one


def works(scope: Scope) -> Sequence[Work]:
    """Every agent on every draw, the graph with the bar first; then nodes that join alone."""
    at_once = (one for ego in _egos(scope) for of in _at_once(scope, ego).values() for one in of)
    alone = (one for ego in _egos(scope) for of in _alone(scope, ego).values() for one in of)
    return [*_by_heart(scope), *at_once, *alone]


def report(scope: Scope, result_of: ResultOf, folder: Path) -> Findings:
    """Ratios without a memory and with the one that validation newcomers choose.

    Agents and kinds of newcomers that have not been played to the end are left out.
    """
    found = _found(scope, _at_once, result_of)
    alone = _found(scope, _alone, result_of)
    tests = _pools(found, "test")
    made = made_with(result for of in found.values() for some in of.values() for result in some)
    tables = [
        _ratio_table("newcomers", _AT_ONCE, tests, f"{_world_words(found)} {made}"),
        _ratio_table("newcomers-validation", _CHOICE, _pools(found, "validation"), made),
        _ratio_table("newcomers-ordinary", _ORDINARY, _pools(found, "ordinary"), made),
        _memory_table(found),
        _detached_table(found),
        *_old_map_tables(scope, result_of),
    ]
    if alone:
        tables.append(_ratio_table("newcomers-alone", _ALONE, _pools(alone, "test"), made))
    return Findings(claims=_claims(tests), tables=tuple(tables))


_AT_ONCE = (
    "Oracle ratio towards newcomers, a tenth of all nodes at once: mean over draws (worst draw)"
)
_CHOICE = "The same towards validation newcomers, by which memories and shares were chosen"
_ORDINARY = "The same policies towards ordinary test targets of the graph that they were trained on"
_ALONE = f"Oracle ratio towards {NUM_ALONE} nodes of each graph that join alone: mean (worst node)"


def chosen_memory(result: Mapping[str, Any]) -> str:
    """The memory with the least ratio on validation targets of the same draw."""
    played = result["validation"]["contenders"]
    with_memories = {name: one for name, one in played.items() if name != MEMORYLESS}
    return pooled([{**result["validation"], "contenders": with_memories}]).best()


def outcomes_by_agent(
    results: Mapping[str, Mapping[str, Any]], part: Part
) -> dict[str, Any] | None:
    """One draw's results of all agents as those of one comparison.

    Each agent stands there twice: without a memory, and with the one that validation chose.

    Args:
        results: What came of the trial of each agent.
        part: Which targets.
    """
    first = next(iter(results.values()))[part]
    if first is None:
        return None
    contenders = {}
    for label, result in results.items():
        contenders[label] = result[part]["contenders"][MEMORYLESS]
        contenders[with_memory(label)] = result[part]["contenders"][chosen_memory(result)]
    return {"targets": first["targets"], "contenders": contenders}


def with_memory(label: str) -> str:
    """What an agent with its memory is called in tables."""
    return f"{label} + memory"


def made_with(results: Iterable[Mapping[str, Any]]) -> str:
    """Device, versions and stack sizes of some trainings, in a sentence."""
    trained = [one["trained"] for one in results if one["trained"].get("device")]
    devices = sorted({one["device"] for one in trained})
    versions = sorted({f"torch {one['versions']['torch']}" for one in trained})
    sizes = sorted({str(one["stack"][0]) for one in trained})
    if not trained:
        return ""
    return (
        f"Trained on {' and '.join(devices)}, {', '.join(versions)}, "
        f"{' or '.join(sizes)} seed per stack, {UPDATES:,} updates where no other number is given."
    )


def _egos(scope: Scope) -> tuple[str, ...]:
    chosen = scope.graphs_among(tuple(GRAPHS))
    return tuple(sorted(chosen, key=lambda ego: (ego != _FIRST_GRAPH, tuple(GRAPHS).index(ego))))


def _at_once(scope: Scope, ego: str) -> dict[str, list[NewcomerTrial]]:
    seeds = scope.seeds_or(NUM_SEEDS, FIRST_SEED)
    return {
        label: [NewcomerTrial(f"facebook:{ego}", seed, agent) for seed in seeds]
        for label, agent in _agents(scope).items()
    }


def _alone(scope: Scope, ego: str) -> dict[str, list[NewcomerTrial]]:
    first = scope.seeds_or(1, FIRST_SEED)[0]
    count = 1 if scope.quick else NUM_ALONE
    return {
        label: [
            NewcomerTrial(f"facebook:{ego}", first, agent, "one", index) for index in range(count)
        ]
        for label, agent in _agents(scope).items()
    }


def _agents(scope: Scope) -> dict[str, Agent]:
    if not scope.quick:
        return dict(AGENTS)
    few = ((label, AGENTS[label]) for label in (TRELLIS, FOR_NEWCOMERS, RULE))
    return {
        label: replace(agent, options=replace(agent.options, updates=_QUICK_UPDATES))
        for label, agent in few
    }


def _by_heart(scope: Scope) -> list[OldMapTrial]:
    return [
        OldMapTrial(f"facebook:{ego}", seed)
        for ego in _egos(scope)
        for seed in scope.seeds_or(NUM_SEEDS, FIRST_SEED)
    ]


def _old_map_tables(scope: Scope, result_of: ResultOf) -> list[Table]:
    """What the rule needs that knows the old graph by heart, where it was played to the end."""
    rows: list[Row] = []
    for ego in _egos(scope):
        trials = [one for one in _by_heart(scope) if one.graph == f"facebook:{ego}"]
        results = [one for one in (_done(trial, result_of) for trial in trials) if one is not None]
        if len(results) < len(trials):
            continue
        means = {part: [float(np.mean(one[part])) for one in results] for part in _PARTS}
        unsure = sum(one["unsure"] for one in results)
        count = sum(len(one["targets"]) for one in results)
        cells = (f"{np.mean(some):.3f} ({max(some):.3f})" for some in means.values())
        rows.append((f"{GRAPHS[ego]} ({ego})", f"{unsure} of {count}", *cells))
    columns = ("graph", "no sure old neighbour", "all sources", "old sources", "other sources")
    return [Table("newcomers-old-map", _OLD_MAP, columns, tuple(rows))] if rows else []


_PARTS = ("ratio", "old", "other")
_OLD_MAP = (
    "A rule that knows the old graph by heart, memoryless: oracle ratio towards newcomers, a tenth "
    "of all nodes at once, mean over draws (worst draw)"
)


def _found(
    scope: Scope,
    planned: Callable[[Scope, str], Mapping[str, Sequence[NewcomerTrial]]],
    result_of: ResultOf,
) -> dict[str, Results]:
    """By graph, the results of the agents that played all of their draws."""
    found: dict[str, Results] = {}
    for ego in _egos(scope):
        results = {
            label: [_done(work, result_of) for work in of]
            for label, of in planned(scope, ego).items()
        }
        whole = {
            label: [one for one in of if one is not None]
            for label, of in results.items()
            if None not in of
        }
        if whole:
            found[ego] = whole
    return found


def _done(work: Work, result_of: ResultOf) -> dict[str, Any] | None:
    """What came of a unit, or nothing where it has not been done."""
    try:
        return result_of(work)
    except KeyError:
        return None


def _pools(found: Mapping[str, Results], part: Part) -> dict[str, Pooled]:
    pools = {}
    for ego, of_agents in found.items():
        draws = [
            dict(zip(of_agents, draw, strict=True))
            for draw in zip(*of_agents.values(), strict=True)
        ]
        outcomes = [outcomes_by_agent(draw, part) for draw in draws]
        known = [one for one in outcomes if one is not None]
        if known:
            pools[f"{GRAPHS[ego]} ({ego})"] = pooled(known)
    return pools


def _ratio_table(name: str, caption: str, pools: Mapping[str, Pooled], words: str) -> Table:
    def cell(pool: Pooled, label: str) -> str:
        if label not in pool.labels:
            return "–"
        estimate = pool.estimate("ratio", label)
        interval = f"{estimate.low:.3f} – {estimate.high:.3f}"
        return f"{estimate.mean:.3f} ({pool.worst('ratio', label):.3f}), {interval}"

    labels = list(dict.fromkeys(label for pool in pools.values() for label in pool.labels))
    rows: list[Row] = [(label, *(cell(pool, label) for pool in pools.values())) for label in labels]
    return Table(name, caption, ("agent", *pools), tuple(rows), f"{footing_of(pools)} {words}")


def _memory_table(found: Mapping[str, Results]) -> Table:
    """Which memory validation newcomers chose, draw by draw."""
    rows = [
        (
            label,
            *(", ".join(chosen_memory(one) for one in of.get(label, ())) for of in found.values()),
        )
        for label in AGENTS
        if any(label in of for of in found.values())
    ]
    columns = ("agent", *(f"{GRAPHS[ego]} ({ego})" for ego in found))
    caption = "The memory that the validation newcomers of each draw chose"
    return Table("newcomers-memories", caption, columns, tuple(rows))


def _detached_table(found: Mapping[str, Results]) -> Table:
    """Newcomers all of whose neighbours are strangers to training."""
    pools = _pools(found, "detached")
    if not pools:
        return Table("newcomers-detached", _DETACHED, ("agent",), ())
    return _ratio_table("newcomers-detached", _DETACHED, pools, "Draws without any are left out.")


_DETACHED = "Newcomers whose neighbours were all unknown to training, a tenth of all nodes at once"


def _world_words(found: Mapping[str, Results]) -> str:
    sizes = {
        GRAPHS[ego]: [one["num_nodes"] for one in next(iter(of.values()))]
        for ego, of in found.items()
    }
    told = ", ".join(
        f"{name} {min(one['training'] for one in of)} – {max(one['training'] for one in of)}"
        for name, of in sizes.items()
    )
    return (
        "Newcomers with a neighbour in the training graph, from all sources; a twentieth of all "
        f"nodes is kept for validation and stays out. Nodes trained on: {told}."
    )


def _claims(pools: Mapping[str, Pooled]) -> tuple[Claim, ...]:
    """Newcomers are found sooner than by trellis as it is, and within the bars."""
    pairs = [
        pair
        for label in (FOR_NEWCOMERS, BY_OLD)
        for pair in ((label, TRELLIS), (with_memory(label), with_memory(TRELLIS)))
    ]
    bars = [
        bar
        for label in (FOR_NEWCOMERS, BY_OLD)
        for bar in ((label, MEMORYLESS_BAR), (with_memory(label), MEMORY_BAR))
    ]
    return (
        *(
            claim_of_comparison(
                {name: pool for name, pool in pools.items() if set(pair) <= set(pool.labels)}, *pair
            )
            for pair in pairs
        ),
        *(
            claim_by_case(
                f"{label}: a mean ratio of at most {bar:g}",
                {
                    name: pool.estimate("ratio", label).mean <= bar
                    for name, pool in pools.items()
                    if label in pool.labels
                },
            )
            for label, bar in bars
        ),
    )


EXPERIMENT = Experiment("newcomers", "Targets that were not there in training", works, report)
