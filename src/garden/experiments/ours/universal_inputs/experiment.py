"""What each group of `universal`'s inputs is worth: small trainings that lack one of them.

A policy is trained on a few graphs of many families, as `left-out` trains on all of them, and
played on validation graphs of each family, the same ones for all. The whole set of inputs is
trained with several seeds too, whose spread is what a difference must be held against.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from garden.experiments.ours.left_out.holdouts import batches_of
from garden.experiments.ours.universal_inputs.tables import (
    MEMORIES,
    MEMORY,
    WHOLE,
    families_of,
    rises,
    table_of,
)
from garden.experiments.report.claims import MORE_HOPS, claim_of_differences
from garden.experiments.report.sections import Findings
from garden.experiments.run.config import Scope
from garden.experiments.run.experiment import Experiment, ResultOf
from garden.experiments.run.jobs import Work
from garden.experiments.run.policy_cache import PolicyCache
from garden.graphs.ego_extraction import ego_graphs
from garden.resolve import memory_for
from garden.search.chain import chain_of_scores
from garden.search.rollout import rollout
from garden.strategies.universal.features import PAIR_FEATURES
from garden.strategies.universal.policy import Universal
from garden.training.universal.config import UniversalConfig
from garden.training.universal.training_set import (
    GENERATED,
    NUM_GENERATED,
    Source,
    shares,
    sources,
)

if TYPE_CHECKING:
    from garden.training.universal.train import GraphBatch

GROUPS: Mapping[str, tuple[str, str]] = {
    "match indicators": ("own", "blank_candidate"),
    "Jaccard similarities": ("v_t", "u_to_v_4"),
    "distances": ("far_v_t", "far_relative"),
    "shares": ("rare_v_t", "rare_v_n"),
    "nothing to go by": ("distinct", "blank"),
    "raw distance": ("direct", "direct_log"),
    "shapes": ("degree", "concentration"),
    "real-valued": ("real", "real"),
}
"""The first and the last column of each group; of `distinct` and `degree`, the target's too."""
NUM_SEEDS, NUM_WHOLE_SEEDS = 2, 4
CONFIG = UniversalConfig(updates=1000, bound=3.0)
_QUICK_UPDATES = 20
_REAL = (
    "facebook:414",
    "facebook:686",
    "collection:web/texas",
    "collection:citation/cora",
    "collection:wikipedia/chameleon",
    "collection:fb100/Simmons81",
)
CIRCLES_EVERY, GENERATED_EVERY = 6, 5  # one in so many is trained on
_LEAST_VALIDATED = 3  # the last so many of each kind of generated graphs validate


TOGETHER = (
    "shares + nothing to go by + real-valued",
    "distances + shares + nothing to go by + real-valued",
    "Jaccard similarities + distances + shares + nothing to go by + real-valued",
)
"""Groups that are left out together: those that are not missed one at a time."""


def inputs_of(groups: str) -> tuple[str, ...]:
    """The names of the inputs of a group, of several with " + " between them, or of none."""
    found: list[str] = []
    for group in filter(None, groups.split(" + ")):
        first, last = map(PAIR_FEATURES.index, GROUPS[group])
        names = PAIR_FEATURES[first : last + 1]
        found += [*names, *(f"{name}_t" for name in names if f"{name}_t" in PAIR_FEATURES)]
    return tuple(found)


@final
@dataclass(frozen=True)
class InputsTrial(Work):
    """One training without a group of inputs, or with all of them."""

    kind: ClassVar[str] = "universal-inputs"

    without: str
    config: UniversalConfig = field(default_factory=lambda: CONFIG)

    @property
    def title(self) -> str:
        """What is left out, and the seed."""
        return f"{self.without or WHOLE}, seed {self.config.seed}"

    def to_json(self) -> dict[str, Any]:
        """The options, the names of the inputs that are left out, and the graphs."""
        return {
            "without": list(inputs_of(self.without)),
            "graphs": [source.spec for source in few_sources()],
            "config": asdict(self.config),
        }

    def perform(self, cache: PolicyCache) -> dict[str, Any]:
        """Train, choose a temperature on the validation graphs, and play them.

        Args:
            cache: Not needed: these policies are used nowhere else.

        Returns:
            For every validation graph its family, and the ratios without and with a memory.
        """
        from garden.training.universal.train import train_universal, with_best_temperature

        kept = few_batches()
        batches = [batch for _, batch in kept]
        network = train_universal(
            batches,
            replace(self.config, ignored=inputs_of(self.without)),
            probabilities=shares([source for source, _ in kept]).tolist(),
        )
        policy = with_best_temperature(network, batches)
        return {
            "temperature": policy.temperature,
            "graphs": [
                {"family": family_of(source), "source": source.spec, **ratios_on(policy, batch)}
                for source, batch in kept
                if batch.validates
            ],
        }


def few_sources() -> list[Source]:
    """The graphs that are trained on and validated on, some of each family."""
    circles = generated = 0
    chosen = []
    for source in sources():
        if source.family == GENERATED:
            generated += not source.validates
            late = source.validates and _is_among_last(source)
            if late or (not source.validates and generated % GENERATED_EVERY == 0):
                chosen.append(source)
        elif source.spec.startswith("collection:circles/"):
            circles += not source.validates
            if source.validates or circles % CIRCLES_EVERY == 0:
                chosen.append(source)
        elif source.spec in _REAL:
            chosen.append(source)
    return chosen


def _is_among_last(source: Source) -> bool:
    kind, _, seed = source.spec.removeprefix(f"{GENERATED}:").partition(",seed=")
    return int(seed) >= NUM_GENERATED[kind] - _LEAST_VALIDATED


@lru_cache(maxsize=1)
def few_batches() -> tuple[tuple[Source, GraphBatch], ...]:
    """The graphs with the features of their targets, made once per process."""
    return tuple((source, batch) for source in few_sources() for batch in batches_of(source))


def family_of(source: Source) -> str:
    """The column of a validation graph: circles, a real family, or a kind of generated graphs."""
    what, _, rest = source.spec.partition(":")
    return rest.partition(",")[0] if what == GENERATED else rest.partition("/")[0]


def ratios_on(policy: Universal, batch: GraphBatch) -> dict[str, list[float]]:
    """Oracle ratios towards each target of a graph, means over all sources within its limit.

    Args:
        policy: The policy.
        batch: The graph, its targets and their features.

    Returns:
        ``none`` (exact) and the memory (one walk a pair), a number per target.
    """
    graph, limit = batch.links.graph, batch.max_hops
    targets, reach = batch.targets.numpy(), batch.distances.numpy()
    scores = policy.scores_of_features(batch.features.float().flatten(0, 1).numpy())
    table = np.asarray(scores, dtype=float).reshape(len(targets), graph.num_nodes)
    expected, _ = chain_of_scores(graph, table, "softmax", targets, limit)
    away = (reach > 0) & (reach <= limit)
    rows, sources_of = np.nonzero(away)
    pairs = np.stack([sources_of, targets[rows]], axis=1)
    walks = rollout(
        graph,
        policy,
        policy.represent(ego_graphs(graph)),
        pairs,
        memory_for(policy, MEMORY),
        limit,
        1,
        0,
        scored=lambda _policy, _rows, _targets: iter([(slice(0, len(targets)), table)]),
    )
    made = np.minimum(walks.hops[:, 0], limit) / reach[away]
    counts = np.bincount(rows, minlength=len(targets))
    per_hop = np.where(away, expected / np.where(away, reach, 1), 0).sum(axis=1)
    with_memory = np.bincount(rows, weights=made, minlength=len(targets))
    kept = counts > 0
    return {
        "none": [round(float(x), 4) for x in per_hop[kept] / counts[kept]],
        MEMORY: [round(float(x), 4) for x in with_memory[kept] / counts[kept]],
    }


def works(scope: Scope) -> Sequence[Work]:
    """All inputs first, then without each group."""
    return [trial for trials in _trials(scope).values() for trial in trials]


def _trials(scope: Scope) -> dict[str, list[InputsTrial]]:
    config = replace(CONFIG, updates=_QUICK_UPDATES) if scope.quick else CONFIG
    groups = ("raw distance",) if scope.quick else (*GROUPS, *TOGETHER)
    return {
        group: [
            InputsTrial(group, replace(config, seed=seed))
            for seed in scope.seeds_or(NUM_SEEDS if group else NUM_WHOLE_SEEDS)
        ]
        for group in ("", *groups)
    }


def report(scope: Scope, result_of: ResultOf, folder: Path) -> Findings:
    """A table of differences without and with a memory, and the spread of seeds.

    Args:
        scope: How much of the experiment was made.
        result_of: Gives what came of a unit of work.
        folder: Not needed: there is no figure.
    """
    results = {name: [result_of(one) for one in of] for name, of in _trials(scope).items()}
    rise = {
        name: rises(of, results[""], "none", families_of(results))[-1]
        for name, of in results.items()
    }
    claim = claim_of_differences(
        f"without these inputs: more hops than with {WHOLE}, memoryless, all families alike",
        {name: one for name, one in rise.items() if name},
        side=MORE_HOPS,
    )
    return Findings(claims=(claim,), tables=tuple(table_of(results, memory) for memory in MEMORIES))


EXPERIMENT = Experiment(
    "universal-inputs", "What each group of universal's inputs is worth", works, report
)
