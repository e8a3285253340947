"""Exact chains or sampled walks: what `auto` stands for, by an estimate of what chains cost. ::

    steps = link ends × targets × T,      seconds ≈ steps · 10⁻⁹

A step is one term of s_k(u) = Σ_v P_t(u → v) s_{k−1}(v) (:mod:`garden.search.chain`), one link end
in one hop towards one target; one core makes about 10⁹ of them a second. T is the limit of hops.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from garden.errors import SpecError
from garden.graphs.graph import Graph
from garden.search.config import PAPERS_LIMIT, Evaluation
from garden.search.lazy_rollout import MIN_NODES
from garden.search.play import Contender

STEPS_PER_SECOND = 1e9
MAX_EXACT_SECONDS = 200.0  # beyond it walks are sampled
MAX_LONG_SECONDS = 20.0  # the same where the limit of hops is longer than the paper's

_LOG = logging.getLogger("garden")


@dataclass(frozen=True)
class EvaluationChoice:
    """How a contender is evaluated, and why."""

    evaluation: str  # "exact" or "sampled"
    reason: str


def evaluation_of(
    label: str, memory: str, asked: Evaluation, graph: Graph, pairs: np.ndarray, max_hops: int
) -> EvaluationChoice:
    """What was asked for; under `auto`, exact chains where they are possible and affordable.

    Args:
        label: The contender's name.
        memory: The name of its memory: with one, a walk is no chain over nodes.
        asked: `exact`, `sampled` or `auto`.
        graph: The graph that messages travel on.
        pairs: Positions of source and target, (num_pairs, 2).
        max_hops: The hop at which an episode is truncated, T.
    """
    memoryless = memory == "none"
    if asked == "exact" and not memoryless:
        raise SpecError(
            f"{label} with memory {memory} has no exact evaluation: "
            "use `evaluation='sampled'` or `evaluation='auto'`"
        )
    if asked != "auto":
        return EvaluationChoice(asked, "asked for")
    if not memoryless:
        return EvaluationChoice("sampled", f"memory {memory} has no exact chain")
    num_targets = len(np.unique(pairs[:, 1]))
    seconds = len(graph.indices) * num_targets * max_hops / STEPS_PER_SECOND
    most = MAX_EXACT_SECONDS if max_hops <= PAPERS_LIMIT else MAX_LONG_SECONDS
    about = f"chains towards {num_targets:,} targets take about {_duration(seconds)} of one core"
    if seconds <= most:
        return EvaluationChoice("exact", f"{about}, at most {_duration(most)} are spent")
    return EvaluationChoice("sampled", f"{about}, more than the {_duration(most)} that are spent")


def say_choices(
    contenders: Sequence[Contender], choices: Sequence[EvaluationChoice], graph: Graph
) -> None:
    """Log how each contender is evaluated and why, on graphs where the choice costs time.

    Args:
        contenders: Who plays.
        choices: What was chosen for each of them.
        graph: The graph, whose size says whether it costs time.
    """
    if graph.num_nodes < MIN_NODES:
        return
    for contender, choice in zip(contenders, choices, strict=True):
        name = f"{contender.label}+{contender.memory.name}".removesuffix("+none")
        _LOG.info("%s: %s evaluation: %s", name, choice.evaluation, choice.reason)


def _duration(seconds: float) -> str:
    if seconds < 1:
        return "a second"
    return f"{seconds:.0f} s" if seconds < 600 else f"{seconds / 60:,.0f} min"
