"""What Table 1 claims, held against our own runs, sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from garden.experiments.columns import Result, circle_rates
from garden.experiments.headline import BEST_RULE
from garden.experiments.published import AGENTS, GRAPHS
from garden.experiments.statistics import Pooled


def claims_held(
    join: str, pools: Mapping[str, Pooled], results: Mapping[str, Sequence[Result]]
) -> list[str]:
    """Which claims hold on which graphs; only what a whole interval says counts as held."""

    def lower(mine: str, other: str, metric: str = "ratio") -> str:
        return _listed(
            ego for ego, pool in pools.items() if pool.difference(metric, mine, other).sign < 0
        )

    winners = {ego: _winner(of) for ego, of in results.items()}
    best = {ego: pool.estimate("ratio", "trellis").mean for ego, pool in pools.items()}
    return [
        f"Attributes joined {join}. Homophily: distance, which walks towards like profiles, needs "
        f"fewer hops than random on {lower('distance', 'random')}; connection, which walks towards "
        f"high degrees, on {lower('connection', 'random')}.",
        f"Joined {join}: garden needs fewer hops than distance, the paper's best baseline, with "
        f"the whole interval of the difference on its side, on {lower('garden', 'distance')}; it "
        f"is truncated less often on {lower('garden', 'distance', 'truncated')}.",
        f"Joined {join}: of the paper's five, garden wins most pairs on "
        f"{_listed(ego for ego, winner in winners.items() if winner == 'garden')}.",
        f"Joined {join}: baselines that see what the agents see change the picture. The "
        f"training-free bidirectional rule needs fewer hops than garden on "
        f"{lower('bidirectional', 'garden')}, with a memory of visited nodes on "
        f"{lower(BEST_RULE, 'garden')}.",
        f"Joined {join}: a stochastic policy matters. garden as argmax needs more hops on "
        f"{lower('garden', 'garden, argmax')}, trellis on {lower('trellis', 'trellis, argmax')}.",
        f"Joined {join}: trellis needs "
        + ", ".join(f"{ratio:.2f} ({GRAPHS[ego]})" for ego, ratio in best.items())
        + " times the shortest path, fewer hops than the best rule on "
        + f"{lower('trellis', BEST_RULE)}.",
    ]


def _winner(results: Sequence[Result]) -> str:
    """Who of the paper's five wins most pairs, over all seeds."""
    return max(AGENTS, key=lambda agent: sum(circle_rates(results, "paper", agent)))


def _listed(egos: Iterable[str]) -> str:
    names = [GRAPHS[ego] for ego in egos]
    return ", ".join(names) if names else "no graph"
