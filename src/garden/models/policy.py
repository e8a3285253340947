"""A trained model as a strategy: the two functions of any walker, and a value where learned.

On disk a policy is a folder in the format of :mod:`garden.storage`;
:mod:`garden.models.policy_files` reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, final

import numpy as np
import torch
from torch import Tensor

from garden.errors import StrategyError
from garden.graphs.ego import EgoGraph, EgoGraphs, ProfileTable
from garden.graphs.identity import GraphIdentity
from garden.models.base import EgoTensors, Model, TargetContext, ego_tensors, profile_tensor
from garden.models.registry import ModelConfig, build_model
from garden.notebook import properties_as_html
from garden.storage import WEIGHTS_FILE, free_folder, write_arrays, write_config
from garden.strategies.base import Selection, Strategy, weighted_blocks
from garden.strategies.ego_matching import (
    key_representations,
    match_indicators,
    matched_pairs,
    matched_table,
)
from garden.strategies.representations import Ragged, Representations

FORMAT = "garden-policy-2"  # of a folder
NEIGHBOURS = "neighbour_values"  # what a model that reads neighbours keeps of each
_ENTRIES_PER_BLOCK = 1 << 23


@dataclass(frozen=True)
class PolicyInfo:
    """Where a policy comes from and what it may be used on."""

    model: str
    model_options: Mapping[str, Any]
    method: str
    trains_value: bool
    graph: str
    graph_hash: str
    task_hash: str
    seed: int
    attribute_names: tuple[str, ...]
    training: Mapping[str, Any] = field(default_factory=dict)
    """The options of training, the versions, the command, the device and the batch layout."""

    graph_marks: Mapping[str, str] = field(default_factory=dict)
    """By what the graph is known again in another form; none in folders of earlier versions."""


@final
class Policy(Strategy):
    """A model of one seed, ready to route. Representations are float32 rows."""

    def __init__(self, model: Model, info: PolicyInfo, selection: Selection = "softmax") -> None:
        if model.num_seeds != 1:
            raise StrategyError(f"a policy is one model, not a stack of {model.num_seeds}")
        self.model = model.eval().requires_grad_(False)
        self.info = info
        self.selection = selection  # type: ignore[misc]
        self.trained_graph, self.trained_task = info.graph_hash, info.task_hash
        self.trained_seed = info.seed

    @classmethod
    def untrained(
        cls,
        attribute_names: tuple[str, ...],
        model: str = "garden",
        seed: int = 0,
        size: ModelConfig | None = None,
        profiles: ProfileTable | None = None,
    ) -> Policy:
        """A policy with the weights that training starts from.

        Args:
            attribute_names: The attributes of the ego graphs that it will be given.
            model: The name of the model.
            seed: Of the initial weights.
            size: The model's size; the default one if left out.
            profiles: Attributes of nodes, (num_nodes, num_attributes), by whose means and
                deviations real-valued attributes are standardised, as training does.

        Returns:
            The policy; its value is not trained.
        """
        size = size or ModelConfig()
        built = build_model(model, len(attribute_names), size, (seed,))
        if profiles is not None:
            built.standardise_by(profiles)
        info = PolicyInfo(model, size.to_json(), "none", False, "", "", "", seed, attribute_names)
        return cls(built, info)

    def save(self, folder: str | Path, force: bool = False) -> None:
        """Store the policy in a folder of its own.

        Args:
            folder: Made where it is missing.
            force: Overwrite another policy that the folder holds.
        """
        folder = free_folder(folder, force)
        write_info(folder, self.info)
        write_tensors(folder / WEIGHTS_FILE, self.model.state_dict(), {})

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name of the model that was trained, which reports call the policy by."""
        return self.info.model

    @property
    def trained_on(self) -> GraphIdentity:
        """By what the graph that it was trained on is known again."""
        info = self.info
        return GraphIdentity.stored(info.graph, info.graph_hash, info.graph_marks)

    @property
    def parameters(self) -> dict[str, Any]:
        """The method and the seed that made it."""
        return {"method": self.info.method, "seed": self.info.seed}

    def as_argmax(self) -> Policy:
        """The same policy that always takes the best candidate."""
        return Policy(self.model, self.info, "argmax")

    def check_attributes(self, names: tuple[str, ...]) -> None:
        """Refuse a graph whose attributes are not those that were trained on, saying which."""
        ours = self.info.attribute_names
        if names == ours:
            return
        missing = [name for name in ours if name not in set(names)]
        unknown = [name for name in names if name not in set(ours)]
        if missing or unknown:
            raise StrategyError(
                f"{self.name} was trained on other attributes: "
                f"missing here: {_sample(missing)}; unknown to it: {_sample(unknown)}"
            )
        raise StrategyError(f"{self.name} was trained on the same attributes in another order")

    def represent(self, egos: EgoGraphs) -> Representations:
        """A row per ego graph."""
        self._check_width(egos.num_attributes)
        tensors = self._tensors(egos)
        with torch.no_grad():
            rows = self.model.embed(tensors)
        return self._representations(rows, tensors, egos)

    def represent_one(self, ego: EgoGraph) -> Representations:
        """The row of one ego graph, computed densely, as a peer does."""
        self._check_width(int(ego.profiles.shape[1]))
        profiles = profile_tensor(ego.profiles).to(self._device)
        linked = torch.eye(len(profiles), dtype=torch.bool, device=self._device)
        linked[tuple(torch.as_tensor(ego.edges.astype(np.int64)))] = True
        with torch.no_grad():
            dense = profiles.to_dense() if profiles.is_sparse else profiles
            rows = self.model.embed_one(dense, linked)
        batch = ego.as_batch()
        return self._representations(rows, self._tensors(batch), batch)

    def score_pairs(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """Scores of aligned candidates and targets, (num_pairs,) float64: the actor's output.

        Args:
            candidates: Rows of the candidates.
            targets: Row i is of the target of candidate i.
        """
        context = None
        if self.model.reads_neighbours:
            members = targets.ragged[NEIGHBOURS]
            context = TargetContext(
                self._tensor(members.values),
                torch.as_tensor(members.owner, device=self._device),
                self._tensor(match_indicators(matched_pairs(candidates, targets))),
            )
        with torch.no_grad():
            scores = self.model.score_aligned(self._rows(candidates), self._rows(targets), context)
        return scores[0].cpu().numpy().astype(np.float64)

    def score(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """The actor's output for all pairs.

        Args:
            candidates: rows of the candidates.
            targets: rows of the targets.

        Returns:
            (num_targets, num_candidates) float64.
        """
        return self._table(
            lambda rows, few, context: self.model.score_table(rows, few, context=context),
            candidates,
            targets,
        )

    def value(self, holders: Representations, targets: Representations) -> np.ndarray:
        """The learned value of each holder towards each target, (num_targets, num_holders).

        Args:
            holders: rows of the holders.
            targets: rows of the targets.

        Returns:
            Values in (0, 1), (num_targets, num_holders).
        """
        if not self.info.trains_value:
            raise StrategyError(
                f"{self.name} was trained by {self.info.method}, which trains no critic: "
                "train with a method that does (a2c) to ask for values"
            )
        return self._table(self.model.value_table, holders, targets)

    def _table(
        self,
        judge: Callable[[Tensor, Tensor, TargetContext | None], Tensor],
        candidates: Representations,
        targets: Representations,
    ) -> np.ndarray:
        """What an actor or a critic says of all pairs, in blocks of targets."""
        rows = self._rows(candidates)
        table = np.empty((len(targets), len(candidates)))
        with torch.no_grad():
            for block in self._blocks(candidates, targets):
                few = targets.take(np.arange(block.start, block.stop))
                judged = judge(rows, self._rows(few), self._target_context(candidates, few))
                table[block] = judged[0].cpu().numpy()
        return table

    def _target_context(
        self, candidates: Representations, targets: Representations
    ) -> TargetContext | None:
        """What a table of these targets shows, for models that read it."""
        if not self.model.reads_neighbours:
            return None
        members = targets.ragged[NEIGHBOURS]
        visible = np.zeros((len(targets), len(members.values)), dtype=np.float32)
        visible[members.owner, np.arange(len(members.values))] = 1
        return TargetContext(
            self._tensor(members.values),
            self._tensor(visible),
            self._tensor(match_indicators(matched_table(candidates, targets))),
        )

    @property
    def _device(self) -> torch.device:
        return self.model.shift.device

    def _tensors(self, egos: EgoGraphs) -> EgoTensors:
        tensors = ego_tensors(egos, self._device)
        if tensors.profiles.is_sparse and self.model.shift.any():
            # Trained on a dense table: what is shifted has no zeros left to save.
            return replace(tensors, profiles=tensors.profiles.to_dense())
        return tensors

    def _representations(
        self, rows: Tensor, tensors: EgoTensors, egos: EgoGraphs
    ) -> Representations:
        """The rows, and for models that read neighbours, the neighbours' keys and values."""
        arrays: dict[str, np.ndarray] = {"row": rows[0].cpu().numpy()}
        if not self.model.reads_neighbours:
            return Representations(arrays)
        keys = key_representations(egos)
        with torch.no_grad():
            values = self.model.profile_values(tensors)[0]
        members = tensors.members[tensors.is_centre[:, 0] == 0]
        ragged = Ragged(values[members].cpu().numpy(), keys.ragged["neighbours"].offsets)
        return Representations({**arrays, **keys.arrays}, {**keys.ragged, NEIGHBOURS: ragged})

    def _blocks(self, candidates: Representations, targets: Representations) -> Iterator[slice]:
        """Slices of the targets whose score tables stay small, neighbours counted."""
        weights = np.ones(len(targets), dtype=np.int64)
        if self.model.reads_neighbours:
            weights += np.diff(targets.ragged[NEIGHBOURS].offsets)
        return weighted_blocks(weights * max(1, len(candidates)), _ENTRIES_PER_BLOCK)

    def _tensor(self, array: np.ndarray) -> Tensor:
        return torch.as_tensor(array, dtype=torch.float32, device=self._device).unsqueeze(0)

    def _rows(self, representations: Representations) -> Tensor:
        return self._tensor(np.asarray(representations.arrays["row"]))

    def _check_width(self, width: int) -> None:
        if width != self.model.num_attributes:
            raise StrategyError(
                f"{self.name} was trained on {self.model.num_attributes} attributes, "
                f"and these ego graphs show {width}"
            )

    def __repr__(self) -> str:
        info = self.info
        return f"Policy({info.model!r} by {info.method}, {info.graph!r}, seed {info.seed})"

    def _repr_html_(self) -> str:
        info, width = self.info, f"{len(self.info.attribute_names):,}"
        properties = {"method": info.method, "trained on": info.graph, "seed": str(info.seed)}
        return properties_as_html(f"Policy {info.model}", {**properties, "attributes": width})


def _sample(names: list[str], count: int = 3) -> str:
    if not names:
        return "none"
    more = f" and {len(names) - count} more" if len(names) > count else ""
    return ", ".join(repr(name) for name in names[:count]) + more


def write_info(folder: Path, info: PolicyInfo) -> None:
    """Write the description of a policy into its folder.

    Args:
        folder: the policy's folder.
        info: where it comes from and what it may be used on.
    """
    write_config(folder, FORMAT, asdict(info))


def write_tensors(path: Path, tensors: Mapping[str, Tensor], record: Mapping[str, Any]) -> None:
    """Write tensors by name with a digest of their content, and a record of plain values.

    Args:
        path: the file.
        tensors: by name, on any device.
        record: plain values, stored beside them as JSON.
    """
    arrays = {name: tensor.detach().cpu().numpy() for name, tensor in tensors.items()}
    write_arrays(path, arrays, record)
