"""Training `universal`: guided by the oracle over many graphs at once.

The likeness of ego graphs needs no gradient, so that it is computed once for each graph and target;
what is left to train is a small network, minutes of one core. The loss imitates the oracle and
adds the exact discounted return, which alone knows that a way into a trap costs more than a detour.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass

import numpy as np
import torch
from torch import Tensor

from garden.errors import TaskError
from garden.graphs.distances import distances
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.models.layers import Dropout
from garden.models.universal_network import UniversalNetwork
from garden.random_streams import BATCH_ORDER, TRAINING_GRAPH_TARGETS
from garden.search.chain import chain_of_scores
from garden.search.limits import limit_of
from garden.strategies.universal.features import NUM_LIKENESS, likeness_of
from garden.strategies.universal.policy import Universal
from garden.strategies.universal.rows import likeness_representations
from garden.training.chain_solvers import log_policy
from garden.training.methods.guided import imitation_losses
from garden.training.objectives import return_surrogate, source_weights
from garden.training.training_graph import Links, make_links
from garden.training.universal.config import UniversalConfig
from garden.training.universal.curriculum import Schoolbook, shares_of

UNIVERSAL_TEMPERATURES = (0.25, 0.35, 0.5, 0.7, 1.0)
LEAST_DEVIATION = 1e-2  # of an input: below it, it hardly ever differs
MAX_RETURN_NODES = 700  # beyond, a lesson is imitation alone


@dataclass(frozen=True, eq=False)
class Lesson:
    """A graph with some of its nodes as targets, and all that an update reads of them."""

    kind: str
    links: Links
    targets: Tensor  # (num_targets,)
    likeness: Tensor  # (num_targets, num_nodes, NUM_LIKENESS) float16
    distances: Tensor  # (num_targets, num_nodes) float32
    validates: bool

    @property
    def max_hops(self) -> int:
        """The limit of hops that the distances to its targets ask for."""
        return limit_of("auto", int(self.distances.max()))


def lesson_of(book: Schoolbook, seed: int = 0, device: str = "cpu") -> Lesson:
    """The lesson that a graph gives, its targets drawn by a seed."""
    count = min(book.num_targets, book.graph.num_nodes)
    draws = np.random.default_rng([seed, TRAINING_GRAPH_TARGETS])
    targets = np.sort(draws.choice(book.graph.num_nodes, count, replace=False))
    return lesson_on(book.graph, targets, book.kind, book.validates, device)


def lesson_on(
    graph: Graph, targets: np.ndarray, kind: str, validates: bool, device: str = "cpu"
) -> Lesson:
    """The lesson that a graph gives with these targets."""
    return Lesson(
        kind,
        make_links(graph, device),
        torch.as_tensor(targets, device=device),
        torch.as_tensor(likeness_table(graph, targets).astype(np.float16), device=device),
        torch.as_tensor(distances(graph, targets), device=device).float(),
        validates,
    )


def likeness_table(graph: Graph, targets: np.ndarray) -> np.ndarray:
    """The likeness of every node and each target, (num_targets, num_nodes, NUM_LIKENESS)."""
    rows = likeness_representations(ego_graphs(graph))
    nodes = np.arange(graph.num_nodes)
    pairs = np.stack([np.tile(nodes, len(targets)), np.repeat(targets, len(nodes))], axis=1)
    return likeness_of(rows, rows, pairs).reshape(len(targets), len(nodes), NUM_LIKENESS)


def train_universal(
    lessons: Sequence[Lesson],
    config: UniversalConfig,
    progress: Callable[[int, dict[str, float]], None] = lambda _number, _stats: None,
    network: UniversalNetwork | None = None,
) -> UniversalNetwork:
    """The network after training on those lessons that do not validate."""
    taught = [lesson for lesson in lessons if not lesson.validates]
    if not taught:
        raise TaskError("there is no graph to train on")
    device = taught[0].links.device
    torch.manual_seed(config.seed)
    if network is None:
        network = UniversalNetwork(config.hidden, config.bound)
        network.standardise_by(*_moments(taught))
    network.to(device)
    optimiser = torch.optim.AdamW(
        network.parameters(), config.learning_rate, weight_decay=config.weight_decay
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, config.learning_rate, total_steps=config.updates, pct_start=0.1
    )
    draws = np.random.default_rng([config.seed, BATCH_ORDER])
    dropout = Dropout(config.dropout, torch.Generator(device).manual_seed(config.seed))
    shares = shares_of([lesson.kind for lesson in taught])
    for number in range(config.updates):
        lesson = taught[int(draws.choice(len(taught), p=shares))]
        loss, stats = universal_loss(network, lesson, config, dropout, draws)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        progress(number + 1, stats)
    return network


def universal_loss(
    network: UniversalNetwork,
    lesson: Lesson,
    config: UniversalConfig,
    dropout: Dropout,
    draws: np.random.Generator,
) -> tuple[Tensor, dict[str, float]]:
    """One update's loss over some targets of a lesson, and what is worth knowing about it."""
    links = lesson.links
    fit = max(3, min(config.targets_per_update, config.nodes_per_update // links.num_nodes))
    count = min(len(lesson.targets), fit)
    chosen = torch.as_tensor(
        draws.choice(len(lesson.targets), count, replace=False), device=links.device
    )
    scores = network(lesson.likeness[chosen].float(), dropout)
    targets, reach = lesson.targets[chosen], lesson.distances[chosen]
    imitation = imitation_losses(scores, reach, targets, links)[0].mean()
    stats = {"imitation": imitation.item()}
    if links.num_nodes > MAX_RETURN_NODES:
        return imitation, stats
    few = slice(0, config.return_targets)
    log_chances = log_policy(scores[few], links)
    weights = source_weights(reach[few], "inverse-distance")
    surrogate, returns = return_surrogate(log_chances, targets[few], weights, config.gamma, links)
    stats["return"] = returns.mean().item()
    return imitation - config.return_coef * surrogate.mean(), stats


def tempered(network: UniversalNetwork, lessons: Iterable[Lesson]) -> Universal:
    """The policy at the temperature that serves the validating graphs best, each counting alike."""
    logs: list[np.ndarray] = []
    for lesson in lessons:
        if lesson.validates:
            ratios = [
                memoryless_ratio(network, lesson, chosen) for chosen in UNIVERSAL_TEMPERATURES
            ]
            logs.append(np.log(ratios))
    if not logs:
        raise TaskError("there is no graph to choose a temperature on")
    best = UNIVERSAL_TEMPERATURES[int(np.mean(logs, axis=0).argmin())]
    return Universal(network.weights(), network.bound, best)


def memoryless_ratio(network: UniversalNetwork, lesson: Lesson, temperature: float = 1.0) -> float:
    """The exact oracle ratio over all sources and the lesson's targets.

    Pairs further apart than the lesson's limit of hops are left out.
    """
    with torch.no_grad():
        scores = network(lesson.likeness.float()).cpu().double().numpy() / temperature
    expected, _ = chain_of_scores(
        lesson.links.graph, scores, "softmax", lesson.targets.cpu().numpy(), lesson.max_hops
    )
    reach = lesson.distances.cpu().numpy()
    away = (reach > 0) & (reach <= lesson.max_hops)
    return max(1.0, float((expected[away] / reach[away]).mean()))  # rounding takes it below


def facts_of_training(config: UniversalConfig, lessons: Sequence[Lesson]) -> dict[str, object]:
    """What a saved policy tells of how it was trained."""
    kinds = sorted({lesson.kind for lesson in lessons})
    return {
        "kinds": kinds,
        "options": asdict(config),
        "time": time.strftime("%Y-%m-%d", time.gmtime()),
    }


def _moments(lessons: Sequence[Lesson]) -> tuple[Tensor, Tensor]:
    """Mean and deviation of each input, every lesson counting alike."""
    first = torch.stack([lesson.likeness.float().mean(dim=(0, 1)) for lesson in lessons]).mean(0)
    second = torch.stack(
        [(lesson.likeness.float() ** 2).mean(dim=(0, 1)) for lesson in lessons]
    ).mean(0)
    return first, (second - first**2).clamp(min=LEAST_DEVIATION**2).sqrt()
