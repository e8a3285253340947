"""One policy for every graph: a small network over the pairwise features of two ego graphs.

Its inputs do not depend on which attribute is which, so that it routes on graphs that it was never
trained on. This is the strategy, in NumPy: what peers run. The same network in torch, for training,
is :class:`garden.models.universal_network.UniversalNetwork`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, final

import numpy as np

from garden.errors import StrategyError, name_sample
from garden.graphs.ego import EgoGraphs
from garden.graphs.link_sketches import GraphSketch
from garden.notebook import properties_as_html
from garden.process_settings import map_in_threads
from garden.storage import free_folder
from garden.strategies.base import Selection, Strategy, require_attributes, target_blocks
from garden.strategies.representations import Representations
from garden.strategies.universal.features import AT
from garden.strategies.universal.pair_features import PairFeatures, pair_features
from garden.strategies.universal.representation import ego_representations, is_sound

MAX_DEVIATIONS = 6.0  # standardised inputs are clipped to ± this
RECOGNITION = (AT.own, AT.seen, AT.beside, AT.common_log, AT.real)
"""Features of which one must be non-zero for the first output to count."""
NEVER = -60.0
"""The bias b with which the last term of the score counts nothing."""
OF_TARGET = (
    AT.copies, AT.blank_target, AT.t_u_mean, AT.t_u_max, AT.degree_t, AT.clustering_t,
    AT.components_t, AT.concentration_t, AT.distinct_t, AT.alike_t, AT.blank_t, AT.real,
)  # fmt: skip
"""Features of the target alone: the weight of :attr:`AT.direct` follows from them, so that it is
the same for all candidates of a holder."""
_MAX_DEVIATIONS = np.float32(MAX_DEVIATIONS)
_PAIRS_PER_BLOCK = 1 << 16
_FEW_PAIRS = 64  # up to as many, compiled loops are quicker than BLAS


@dataclass(frozen=True, eq=False)
class UniversalWeights:
    """The parameters of the network, float32: standardisation of the inputs, and three layers."""

    mean: np.ndarray  # (NUM_FEATURES,)
    scale: np.ndarray  # (NUM_FEATURES,): one over the standard deviation
    first: np.ndarray  # (NUM_FEATURES, hidden)
    first_bias: np.ndarray  # (hidden,)
    second: np.ndarray  # (hidden, hidden)
    second_bias: np.ndarray  # (hidden,)
    last: np.ndarray  # (hidden, 2)
    last_bias: np.ndarray  # (2,)
    direct: np.ndarray  # (len(OF_TARGET),)
    direct_bias: np.ndarray  # (1,)


@final
@dataclass(frozen=True)
class Universal(Strategy):
    """A trained network as a strategy, without torch.

    With x the pairwise features of a candidate and a target, standardised and clipped to ± 6::

        h = silu(W₂ silu(W₁ x + b₁) + b₂)
        (r, s) = W₃ h + b₃
        g = softplus(w · x[OF_TARGET] + b)
        score = (1[recognised] · r + B · tanh(s / B) − g · direct) / τ

    A pair is *recognised* where a profile key of one ego graph equals one of the other in a way
    that :data:`RECOGNITION` lists, or an attribute is real. Elsewhere only similarity is left, and
    its part is bounded by B: that a node resembles the target is weak evidence of a path to it.
    """

    weights: UniversalWeights
    bound: float
    """B."""

    temperature: float | None = 1.0
    """τ, chosen on validation graphs."""

    training: Mapping[str, Any] = field(default_factory=dict)
    """The kinds of graphs, the options and the date of its training."""

    met: tuple[GraphSketch, ...] = field(default=(), repr=False)
    """Sketches of the graphs that it was trained or validated on, by which they are recognised."""

    name: ClassVar[str] = "universal"
    selection: ClassVar[Selection] = "softmax"
    scores_compare: ClassVar[bool] = True
    shows_links: ClassVar[bool] = True

    @property
    def parameters(self) -> dict[str, Any]:
        """The temperature that scores are divided by."""
        return {"temperature": self.temperature}

    def with_temperature(self, temperature: float) -> Universal:
        """The same policy at this temperature."""
        return replace(self, temperature=temperature)

    def names(self, graph_name: str) -> bool:
        """Whether this spec is among the kinds of graphs that ``training`` lists."""
        spec = graph_name.partition(",")[0]
        return bool({spec, spec.partition(":")[0]} & set(self.training.get("kinds", ())))

    def represent(self, egos: EgoGraphs) -> Representations:
        """Each ego graph by its members' attributes and links, of ragged rows:
        :func:`garden.strategies.universal.representation.ego_representations`.
        """
        require_attributes(egos, self.name)
        return ego_representations(egos)

    @staticmethod
    def rows_are_sound(rows: Representations, num_attributes: int) -> bool:
        """Whether the members of each row have the columns and values that it says.

        Args:
            rows: Of the names, types and shapes of :meth:`represent`.
            num_attributes: How many attributes profiles have: no column may lie beyond.
        """
        return all(is_sound(rows.take(np.array([row])), num_attributes) for row in range(len(rows)))

    def score_pairs(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """The network on aligned rows, (num_pairs,) float64.

        Args:
            candidates: num_pairs rows.
            targets: As many: target i goes with candidate i.
        """
        pairs = np.empty((len(candidates), 2), dtype=np.int64)
        pairs[:, 0] = np.arange(len(candidates))
        for run in targets.runs_of_equal_rows():  # the neighbours of one holder share a target
            pairs[run, 1] = run.start
        return self.scores_of_features(pair_features(candidates, targets, pairs))

    def score(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """The network on all pairs, in blocks, (num_targets, num_candidates) float64.

        Args:
            candidates: num_candidates rows.
            targets: num_targets rows.
        """
        table = np.empty((len(targets), len(candidates)))
        rows = np.arange(len(candidates))
        features = PairFeatures(candidates, targets)
        features.prepare()

        def fill(block: slice) -> None:
            few = np.arange(block.start, block.stop)
            pairs = np.stack([np.tile(rows, len(few)), np.repeat(few, len(rows))], axis=1)
            table[block] = self.scores_of_features(features(pairs)).reshape(len(few), len(rows))

        blocks = target_blocks(len(targets), len(candidates), _PAIRS_PER_BLOCK)
        map_in_threads(fill, list(blocks))
        return table

    def scores_of_features(self, features: np.ndarray) -> np.ndarray:
        """The network on features that are at hand, (num_pairs,) float64."""
        if self.temperature is None:
            raise StrategyError(f"the temperature of {self.name} is open: give one")
        network = network_scores if len(features) > _FEW_PAIRS else scores_of_few
        return network(features, self.weights, self.bound) / self.temperature

    def save(self, folder: str | Path, force: bool = False) -> None:
        """Store the policy in a folder of its own.

        Args:
            folder: The folder.
            force: Whether to replace another policy that it holds.
        """
        from garden.strategies.universal.storage import save_universal

        save_universal(self, free_folder(folder, force))

    def __repr__(self) -> str:
        return f"Universal(temperature {self.temperature}, trained on {self._training_kinds()})"

    def _repr_html_(self) -> str:
        entries = {
            "temperature": str(self.temperature),
            "bound": str(self.bound),
            "trained on": self._training_kinds(),
        }
        return properties_as_html("Universal", entries)

    def _training_kinds(self) -> str:
        """The kinds of graphs that it was trained on, in a line."""
        kinds = [str(kind) for kind in self.training.get("kinds", ())]
        return name_sample(kinds, "graphs unknown")


def network_scores(features: np.ndarray, weights: UniversalWeights, bound: float) -> np.ndarray:
    """The network of :class:`Universal` at τ = 1.

    Args:
        features: (num_pairs, NUM_FEATURES) float32.
        weights: Its parameters.
        bound: B.

    Returns:
        (num_pairs,) float64.

    """
    inputs = (features - weights.mean) * weights.scale
    inputs = np.clip(inputs, -MAX_DEVIATIONS, MAX_DEVIATIONS)
    hidden = _silu(inputs @ weights.first + weights.first_bias)
    hidden = _silu(hidden @ weights.second + weights.second_bias)
    outputs = (hidden @ weights.last + weights.last_bias).astype(np.float64)
    recognised = features[:, RECOGNITION].any(axis=1)
    slope = inputs[:, OF_TARGET] @ weights.direct + weights.direct_bias
    scores = recognised * outputs[:, 0] + bound * np.tanh(outputs[:, 1] / bound)
    return np.asarray(scores - np.logaddexp(0.0, slope) * features[:, AT.direct])


def scores_of_few(features: np.ndarray, weights: UniversalWeights, bound: float) -> np.ndarray:
    """The same for a few rows, compiled where numba is installed; equal up to rounding.

    Args:
        features: (num_pairs, NUM_FEATURES) float32.
        weights: The network's parameters.
        bound: B.
    """
    try:
        from garden.strategies.universal.network import fill_scores
    except ImportError:  # no numba on this machine
        return network_scores(features, weights, bound)
    scores = np.empty(len(features))
    fill_scores(
        features, *vars(weights).values(),
        _MAX_DEVIATIONS, RECOGNITION, OF_TARGET, AT.direct, bound, scores,
    )  # fmt: skip
    return scores


def _silu(rows: np.ndarray) -> np.ndarray:
    return rows * (0.5 * (1.0 + np.tanh(0.5 * rows)))
