"""One policy for every graph: a small network over the likeness of two ego graphs.

Its inputs do not depend on which attribute is which, so that it routes on graphs that it was never
trained on. Where nobody recognises anybody and no attribute is real, similarity alone speaks, and
what it may say is bounded: resembling the target's kind is no sign of a way to it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, final

import numpy as np

from garden.atomic import free_folder, write_file, write_text
from garden.errors import DataError, StrategyError, name_sample
from garden.graphs.ego import EgoGraphs
from garden.graphs.link_sketches import GraphSketch
from garden.graphs.sketch_file import read_sketches, write_sketches
from garden.notebook import properties_as_html
from garden.strategies.base import (
    Representations,
    Selection,
    Strategy,
    require_attributes,
    target_blocks,
)
from garden.strategies.repeats import runs_of_equal_rows
from garden.strategies.universal.features import LIKENESS, NUM_LIKENESS, likeness_of
from garden.strategies.universal.rows import likeness_representations

FORMAT = "garden-universal-1"
CONFIG_FILE = "config.json"
WEIGHTS_FILE = "model.safetensors"
MET_FILE = "met.npz"
WIDEST = 6.0  # standard deviations beyond which an input counts no more
RECOGNISED = tuple(LIKENESS.index(name) for name in ("own", "seen", "beside", "common_log", "real"))
_WIDEST = np.float32(WIDEST)
_PAIRS_PER_BLOCK = 1 << 16
_FEW_PAIRS = 64


@dataclass(frozen=True, eq=False)
class UniversalWeights:
    """The numbers of the network: standardisation, and three layers."""

    mean: np.ndarray  # (NUM_LIKENESS,)
    scale: np.ndarray  # (NUM_LIKENESS,)
    first: np.ndarray  # (NUM_LIKENESS, hidden)
    first_bias: np.ndarray
    second: np.ndarray  # (hidden, hidden)
    second_bias: np.ndarray
    last: np.ndarray  # (hidden, 2): what recognition says, and what similarity says
    last_bias: np.ndarray


@final
@dataclass(frozen=True)
class Universal(Strategy):
    """A trained network as a strategy, without torch: what peers run."""

    weights: UniversalWeights
    bound: float
    """The most that similarity alone may add to a score or take from it."""

    temperature: float | None = 1.0
    """By which scores are divided; chosen on validation graphs."""

    training: Mapping[str, Any] = field(default_factory=dict)
    """How it came about."""

    met: tuple[GraphSketch, ...] = field(default=(), repr=False)
    """The graphs that it was trained or validated on, as far as they are known again."""

    name: ClassVar[str] = "universal"
    selection: ClassVar[Selection] = "softmax"
    scores_compare: ClassVar[bool] = True

    @property
    def parameters(self) -> dict[str, Any]:
        """The temperature."""
        return {"temperature": self.temperature}

    def with_temperature(self, temperature: float) -> Universal:
        """The same policy at this temperature."""
        return replace(self, temperature=temperature)

    def names(self, graph_name: str) -> bool:
        """Whether this spec is among the kinds that it was trained on, as its facts name them."""
        spec = graph_name.partition(",")[0]
        return bool({spec, spec.partition(":")[0]} & set(self.training.get("kinds", ())))

    def represent(self, egos: EgoGraphs) -> Representations:
        """Profiles and keys of the members, and the shape of the ego graph."""
        require_attributes(egos, self.name)
        return likeness_representations(egos)

    def score_pairs(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """What the network says of each pair."""
        pairs = np.empty((len(candidates), 2), dtype=np.int64)
        pairs[:, 0] = np.arange(len(candidates))
        for run in runs_of_equal_rows(targets):  # the neighbours of one holder share a target
            pairs[run, 1] = run.start
        return self._scores(likeness_of(candidates, targets, pairs))

    def score(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """What the network says of all pairs, in blocks."""
        table = np.empty((len(targets), len(candidates)))
        rows = np.arange(len(candidates))
        for block in target_blocks(len(targets), len(candidates), _PAIRS_PER_BLOCK):
            goals = np.arange(block.start, block.stop)
            pairs = np.stack([np.tile(rows, len(goals)), np.repeat(goals, len(rows))], axis=1)
            scores = self._scores(likeness_of(candidates, targets, pairs))
            table[block] = scores.reshape(len(goals), len(rows))
        return table

    def _scores(self, likeness: np.ndarray) -> np.ndarray:
        if self.temperature is None:
            raise StrategyError(f"the temperature of {self.name} is open: give one")
        judge = network_scores if len(likeness) > _FEW_PAIRS else scores_of_few
        return judge(likeness, self.weights, self.bound) / self.temperature

    def save(self, folder: str | Path, force: bool = False) -> None:
        """Store the policy in a folder of its own; another policy's only with ``force``."""
        save_universal(self, free_folder(folder, CONFIG_FILE, force))

    def __repr__(self) -> str:
        return f"Universal(temperature {self.temperature}, trained on {self._taught()})"

    def _repr_html_(self) -> str:
        facts = {
            "temperature": str(self.temperature),
            "bound": str(self.bound),
            "trained on": self._taught(),
        }
        return properties_as_html("Universal", facts)

    def _taught(self) -> str:
        """The kinds of graphs that it was trained on, in a few words."""
        kinds = [str(kind) for kind in self.training.get("kinds", ())]
        return name_sample(kinds, "graphs unknown")


def network_scores(likeness: np.ndarray, weights: UniversalWeights, bound: float) -> np.ndarray:
    """The network over likeness rows, (num_pairs, NUM_LIKENESS) → (num_pairs,) float64."""
    inputs = np.clip((likeness - weights.mean) * weights.scale, -WIDEST, WIDEST)
    hidden = _silu(inputs @ weights.first + weights.first_bias)
    hidden = _silu(hidden @ weights.second + weights.second_bias)
    told = (hidden @ weights.last + weights.last_bias).astype(np.float64)
    recognised = likeness[:, RECOGNISED].any(axis=1)
    return recognised * told[:, 0] + bound * np.tanh(told[:, 1] / bound)


def scores_of_few(likeness: np.ndarray, weights: UniversalWeights, bound: float) -> np.ndarray:
    """The same for a few rows, compiled where numba is at hand; other roundings, no more."""
    try:
        from garden.strategies.universal.network import fill_scores
    except ImportError:  # no numba on this machine
        return network_scores(likeness, weights, bound)
    scores = np.empty(len(likeness))
    fill_scores(
        likeness, weights.mean, weights.scale, weights.first, weights.first_bias, weights.second,
        weights.second_bias, weights.last, weights.last_bias, _WIDEST, RECOGNISED, bound, scores,
    )  # fmt: skip
    return scores


def _silu(rows: np.ndarray) -> np.ndarray:
    return rows * (0.5 * (1.0 + np.tanh(0.5 * rows)))


def save_universal(
    policy: Universal, folder: Path, adapted: Mapping[str, Any] | None = None
) -> None:
    """Write a policy into a folder: weights, and facts with a digest of them.

    ``adapted`` says which graph it was fine-tuned on, where there is one.
    """
    from safetensors.numpy import save

    tensors = {
        part.name: np.ascontiguousarray(getattr(policy.weights, part.name), dtype=np.float32)
        for part in fields(UniversalWeights)
    }
    content = save(tensors)
    facts = {
        "format": FORMAT,
        "likeness": LIKENESS,
        "bound": policy.bound,
        "temperature": policy.temperature,
        "weights_hash": hashlib.sha256(content).hexdigest(),
        "training": dict(policy.training),
        **({} if adapted is None else {"adapted": dict(adapted)}),
    }
    write_file(folder / WEIGHTS_FILE, lambda temporary: temporary.write_bytes(content))
    if policy.met:
        write_sketches(policy.met, folder / MET_FILE)
    else:
        (folder / MET_FILE).unlink(missing_ok=True)
    write_text(folder / CONFIG_FILE, json.dumps(facts, indent=2, ensure_ascii=False) + "\n")


def holds_universal(folder: Path) -> bool:
    """Whether a folder says that it holds such a policy."""
    try:
        facts = json.loads((folder / CONFIG_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(facts, dict) and facts.get("format") == FORMAT


def load_universal(folder: Path) -> Universal:
    """Read a policy back, or an error where anything is amiss."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    path = folder / WEIGHTS_FILE
    try:
        facts = json.loads((folder / CONFIG_FILE).read_text(encoding="utf-8"))
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != facts["weights_hash"]:
            raise DataError(f"{path}: not the weights that {CONFIG_FILE} describes")
        if tuple(facts["likeness"]) != LIKENESS:
            raise DataError(f"{folder}: made for other inputs than this version's")
        weights = UniversalWeights(**load(content))
        policy = Universal(
            weights,
            float(facts["bound"]),
            float(facts["temperature"]),
            facts["training"],
            read_sketches(folder / MET_FILE) if (folder / MET_FILE).exists() else (),
        )
    except (OSError, ValueError, KeyError, TypeError, SafetensorError) as error:
        raise DataError(f"{folder}: not readable as a universal policy ({error})") from None
    if weights.first.shape[:1] != (NUM_LIKENESS,):
        raise DataError(f"{path}: the first layer has another number of inputs")
    return policy
