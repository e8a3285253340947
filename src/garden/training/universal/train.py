"""Training `universal`: guided by the oracle over many graphs at once.

The features of pairs of ego graphs need no gradient, so that they are computed once for each graph
and target; what is left to train is a small network, minutes of one core. The loss of an update is

    L = imitation − c · J,

with the cross-entropy to the oracle's choices (:func:`.methods.guided.imitation_losses`) and the
exact discounted return J (:func:`.chain_solvers.return_surrogate`), which unlike imitation counts a
hop into a trap as worse than a detour.
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
from garden.search.config import limit_of
from garden.strategies.universal.features import NUM_FEATURES
from garden.strategies.universal.pair_features import pair_features
from garden.strategies.universal.policy import Universal
from garden.strategies.universal.representation import ego_representations
from garden.training.chain_solvers import return_surrogate, source_weights
from garden.training.methods.guided import imitation_losses
from garden.training.methods.hop_policy import log_policy
from garden.training.training_graph import Links, make_links
from garden.training.universal.config import UniversalConfig
from garden.training.universal.curriculum import CurriculumGraph, shares_of

UNIVERSAL_TEMPERATURES = (0.25, 0.35, 0.5, 0.7, 1.0)
LEAST_DEVIATION = 1e-2  # of an input that hardly ever differs
MAX_RETURN_NODES = 700  # of larger graphs, the loss is imitation alone


@dataclass(frozen=True, eq=False)
class GraphBatch:
    """A graph with some of its nodes as targets, and the tensors that updates read of them."""

    kind: str
    links: Links
    targets: Tensor  # (num_targets,)
    features: Tensor  # (num_targets, num_nodes, NUM_FEATURES) float16
    distances: Tensor  # (num_targets, num_nodes) float32
    validates: bool  # kept out of training: it chooses the temperature

    @property
    def max_hops(self) -> int:
        """The limit of hops for its targets, as ``auto`` sets it."""
        return limit_of("auto", int(self.distances.max()))


def batch_of(entry: CurriculumGraph, seed: int = 0, device: str = "cpu") -> GraphBatch:
    """A graph of the curriculum as a batch.

    Args:
        entry: The graph, and how many of its nodes are targets.
        seed: By which the targets are drawn.
        device: Where the tensors lie.

    """
    count = min(entry.num_targets, entry.graph.num_nodes)
    draws = np.random.default_rng([seed, TRAINING_GRAPH_TARGETS])
    targets = np.sort(draws.choice(entry.graph.num_nodes, count, replace=False))
    return graph_batch(entry.graph, targets, entry.kind, entry.validates, device)


def graph_batch(
    graph: Graph, targets: np.ndarray, kind: str, validates: bool, device: str = "cpu"
) -> GraphBatch:
    """A graph with these targets as a batch.

    Args:
        graph: The graph.
        targets: (num_targets,) nodes.
        kind: By which its share of the updates is set.
        validates: Whether it is kept out of training.
        device: Where the tensors lie.

    """
    return GraphBatch(
        kind,
        make_links(graph, device),
        torch.as_tensor(targets, device=device),
        torch.as_tensor(feature_table(graph, targets).astype(np.float16), device=device),
        torch.as_tensor(distances(graph, targets), device=device).float(),
        validates,
    )


def feature_table(graph: Graph, targets: np.ndarray) -> np.ndarray:
    """Features of every node for each target, (num_targets, num_nodes, NUM_FEATURES) float32.

    Args:
        graph: the graph; all of its nodes are candidates.
        targets: (num_targets,) nodes.
    """
    rows = ego_representations(ego_graphs(graph))
    nodes = np.arange(graph.num_nodes)
    pairs = np.stack([np.tile(nodes, len(targets)), np.repeat(targets, len(nodes))], axis=1)
    return pair_features(rows, rows, pairs).reshape(len(targets), len(nodes), NUM_FEATURES)


def train_universal(
    batches: Sequence[GraphBatch],
    config: UniversalConfig,
    progress: Callable[[int, dict[str, float]], None] = lambda _number, _stats: None,
    network: UniversalNetwork | None = None,
    probabilities: Sequence[float] | None = None,
) -> UniversalNetwork:
    """The network after training on those batches that do not validate.

    Args:
        batches: Graphs with their targets; an update draws one by the shares of their kinds.
        config: Updates, step size, loss coefficients and seed.
        progress: Called after each update with its number and statistics.
        network: The network to start from, which is changed; a fresh one without it.
        probabilities: With which updates draw each of the batches, those that validate included;
            by the shares of their kinds where it is missing.

    """
    training = [batch for batch in batches if not batch.validates]
    if not training:
        raise TaskError("there is no graph to train on")
    device = training[0].links.device
    torch.manual_seed(config.seed)
    if network is None:
        network = UniversalNetwork(config.hidden, config.bound, config.ignored)
        network.standardise_by(*_moments(training))
    network.to(device)
    optimiser = torch.optim.AdamW(
        network.parameters(), config.learning_rate, weight_decay=config.weight_decay
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, config.learning_rate, total_steps=config.updates, pct_start=0.1
    )
    draws = np.random.default_rng([config.seed, BATCH_ORDER])
    dropout = Dropout(config.dropout, torch.Generator(device).manual_seed(config.seed))
    shares = np.asarray(_shares_of_training(batches, probabilities))
    for number in range(config.updates):
        batch = training[int(draws.choice(len(training), p=shares))]
        loss, stats = universal_loss(network, batch, config, dropout, draws)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        progress(number + 1, stats)
    return network


def _shares_of_training(
    batches: Sequence[GraphBatch], probabilities: Sequence[float] | None
) -> Sequence[float]:
    """How often updates draw each batch that does not validate; sum 1."""
    if probabilities is None:
        return shares_of([batch.kind for batch in batches if not batch.validates])
    pairs = zip(batches, probabilities, strict=True)
    kept = [probability for batch, probability in pairs if not batch.validates]
    return [probability / sum(kept) for probability in kept]


def universal_loss(
    network: UniversalNetwork,
    batch: GraphBatch,
    config: UniversalConfig,
    dropout: Dropout,
    draws: np.random.Generator,
) -> tuple[Tensor, dict[str, float]]:
    """The loss of one update, and its parts as statistics.

    Args:
        network: The network.
        batch: The graph; targets are drawn from its own.
        config: How many targets, and the loss coefficients.
        dropout: Applied to both hidden layers.
        draws: By which the targets are drawn.

    """
    links = batch.links
    fit = max(3, min(config.targets_per_update, config.nodes_per_update // links.num_nodes))
    count = min(len(batch.targets), fit)
    chosen = torch.as_tensor(
        draws.choice(len(batch.targets), count, replace=False), device=links.device
    )
    scores = network(batch.features[chosen].float(), dropout)
    targets, reach = batch.targets[chosen], batch.distances[chosen]
    imitation = imitation_losses(scores, reach, targets, links)[0].mean()
    stats = {"imitation": imitation.item()}
    if links.num_nodes > MAX_RETURN_NODES:
        return imitation, stats
    few = slice(0, config.return_targets)
    log_probabilities = log_policy(scores[few], links)
    weights = source_weights(reach[few], "inverse-distance")
    surrogate, returns = return_surrogate(
        log_probabilities, targets[few], weights, config.gamma, links
    )
    stats["return"] = returns.mean().item()
    return imitation - config.return_coef * surrogate.mean(), stats


def with_best_temperature(network: UniversalNetwork, batches: Iterable[GraphBatch]) -> Universal:
    """The policy at the best of :data:`UNIVERSAL_TEMPERATURES`.

    The best has the least mean log ratio on validating graphs.

    Args:
        network: The network, whose weights the policy gets.
        batches: All graphs; those that validate choose.
    """
    logs: list[np.ndarray] = []
    for batch in batches:
        if batch.validates:
            ratios = [memoryless_ratio(network, batch, chosen) for chosen in UNIVERSAL_TEMPERATURES]
            logs.append(np.log(ratios))
    if not logs:
        raise TaskError("there is no graph to choose a temperature on")
    best = UNIVERSAL_TEMPERATURES[int(np.mean(logs, axis=0).argmin())]
    return Universal(network.weights(), network.bound, best)


def memoryless_ratio(
    network: UniversalNetwork, batch: GraphBatch, temperature: float = 1.0
) -> float:
    """The exact oracle ratio without memory, over all sources and the batch's targets.

    Pairs further apart than the batch's limit of hops are left out.

    Args:
        network: The network.
        batch: The graph and its targets.
        temperature: By which scores are divided.

    """
    with torch.no_grad():
        scores = network(batch.features.float()).cpu().double().numpy() / temperature
    expected, _ = chain_of_scores(
        batch.links.graph, scores, "softmax", batch.targets.cpu().numpy(), batch.max_hops
    )
    reach = batch.distances.cpu().numpy()
    away = (reach > 0) & (reach <= batch.max_hops)
    return max(1.0, float((expected[away] / reach[away]).mean()))  # rounding takes it below


def training_record(config: UniversalConfig, batches: Sequence[GraphBatch]) -> dict[str, object]:
    """How a policy was trained, as it is stored with it: kinds of graphs, options, date.

    Args:
        config: The options that it was trained with.
        batches: The graphs that it was trained or validated on.
    """
    kinds = sorted({batch.kind for batch in batches})
    return {
        "kinds": kinds,
        "options": asdict(config),
        "time": time.strftime("%Y-%m-%d", time.gmtime()),
    }


def _moments(batches: Sequence[GraphBatch]) -> tuple[Tensor, Tensor]:
    """Mean and standard deviation of each input, (NUM_FEATURES,); every batch counts alike."""
    first = torch.stack([batch.features.float().mean(dim=(0, 1)) for batch in batches]).mean(0)
    second = torch.stack(
        [(batch.features.float() ** 2).mean(dim=(0, 1)) for batch in batches]
    ).mean(0)
    return first, (second - first**2).clamp(min=LEAST_DEVIATION**2).sqrt()
