"""What every model is, a stack of torch networks, one per seed, and the ego graphs that it reads.

A model embeds ego graphs as rows, scores pairs of rows and values them. Ego graphs become tensors
once per graph and device.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor, nn

from garden.graphs.ego import EgoGraphs, ProfileTable
from garden.models.heads import PairNetwork
from garden.models.layers import KEEP_ALL, Dropout


@dataclass(frozen=True, eq=False)
class EgoTensors:
    """A batch of ego graphs on a device; profiles stand once, members point at them."""

    profiles: Tensor  # (num_profiles, num_attributes), dense or sparse COO
    members: Tensor  # (num_members,) rows of `profiles`
    is_centre: Tensor  # (num_members, 1) float
    owner: Tensor  # (num_members,) ego graph of each member
    heads: Tensor  # (num_listening,) member that listens: ego edges and a loop for each member
    tails: Tensor  # (num_listening,) member that speaks
    sizes: Tensor  # (num_egos, 1) float: members of each ego graph
    log_degrees: Tensor  # (num_egos, 1): log(1 + degree)
    centres: Tensor  # (num_egos,) rows of `profiles`
    hidden: Tensor | None = None  # (num_profiles,) bool: which pass for unknown in training

    @property
    def num_egos(self) -> int:
        """How many ego graphs there are."""
        return len(self.centres)


def ego_tensors(egos: EgoGraphs, device: torch.device | str = "cpu") -> EgoTensors:
    """The batch as tensors. Only profiles that a member points at are taken along.

    Args:
        egos: ego graphs, as they are cut out of a graph.
        device: where the tensors are to lie.

    Returns:
        The tensors; edges are sorted by head and hold a loop at each member.
    """
    used, members = np.unique(egos.members, return_inverse=True)
    loops = np.arange(len(members))
    heads = np.concatenate([egos.edges[0], loops])
    tails = np.concatenate([egos.edges[1], loops])
    order = np.argsort(heads, kind="stable")

    def tensor(array: np.ndarray, dtype: torch.dtype = torch.int64) -> Tensor:
        return torch.as_tensor(np.ascontiguousarray(array), dtype=dtype, device=device)

    return EgoTensors(
        profiles=profile_tensor(egos.profiles[used]).to(device),
        members=tensor(members),
        is_centre=tensor(egos.is_centre[:, None], torch.float32),
        owner=tensor(egos.owner),
        heads=tensor(heads[order]),
        tails=tensor(tails[order]),
        sizes=tensor(egos.sizes[:, None], torch.float32),
        log_degrees=tensor(np.log1p(egos.degrees)[:, None], torch.float32),
        centres=tensor(members[egos.offsets[:-1]]),
    )


def profile_tensor(profiles: ProfileTable) -> Tensor:
    """A table of profiles as a tensor, sparse where the table is."""
    if isinstance(profiles, np.ndarray):
        return torch.tensor(profiles, dtype=torch.float32)
    table = profiles.tocoo()
    places = torch.as_tensor(np.stack(table.coords).astype(np.int64))
    values = torch.tensor(table.data, dtype=torch.float32)
    return torch.sparse_coo_tensor(
        places, values, tuple(table.shape), is_coalesced=True, check_invariants=False
    )


@dataclass(frozen=True, eq=False)
class TargetContext:
    """What the targets' ego graphs show beside their rows, for models that read it.

    ``visible`` says which target shows which neighbour. Over a table of targets it is
    (S, T, M): 1 where target t shows neighbour m. Over aligned rows it is (M,): the row whose
    target shows neighbour m.
    """

    neighbours: Tensor  # (S, M, width) what the model keeps of each visible neighbour
    visible: Tensor  # (S, T, M) or (M,)
    indicators: Tensor  # (…, T, n, 4) or (…, P, 4) match indicators of candidate and target


class Model(nn.Module):
    """A learned strategy in training: tensors in, tensors out, with a leading seed axis.

    A subclass embeds ego graphs as rows; by default an actor scores pairs of rows and a critic
    values them, as in the paper. A model that reads more of its targets than their rows declares
    ``reads_neighbours``; one that learns something beside its policy gives an
    :meth:`auxiliary_loss`.
    """

    name: str
    reads_neighbours: ClassVar[bool] = False
    """Whether scores also read a :class:`TargetContext`: the target's neighbours, one by one."""
    actor: PairNetwork  # what scores, unless a model has a way of its own
    critic: PairNetwork  # what values
    shift: Tensor  # (num_attributes,) subtracted from profiles
    scale: Tensor  # (num_attributes,) multiplied onto profiles

    def __init__(self, num_seeds: int, num_attributes: int) -> None:
        super().__init__()
        self.num_seeds = num_seeds
        self.num_attributes = num_attributes
        self.register_buffer("shift", torch.zeros(num_attributes))
        self.register_buffer("scale", torch.ones(num_attributes))

    @property
    @abstractmethod
    def row_width(self) -> int:
        """How many numbers the row of one node has."""

    @abstractmethod
    def embed(self, egos: EgoTensors, dropout: Dropout = KEEP_ALL) -> Tensor:
        """A row per ego graph, (num_seeds, num_egos, row_width), each from its ego graph alone.

        Args:
            egos: the ego graphs as tensors.
            dropout: applied to profiles or hidden units, as the model has it.
        """

    @abstractmethod
    def embed_one(self, profiles: Tensor, linked: Tensor) -> Tensor:
        """The row of one ego graph, (num_seeds, 1, row_width), without any scatter.

        Args:
            profiles: of the members, (num_members, num_attributes), the centre first.
            linked: which members are joined, (num_members, num_members) bool, the diagonal
                included.
        """

    def neighbour_values(self, rows: Tensor) -> Tensor:
        """What the model keeps of neighbours, (S, M, width), from their rows, (S, M, row_width)."""
        raise NotImplementedError(f"{self.name} does not read neighbours")

    def profile_values(self, egos: EgoTensors) -> Tensor:
        """The same from profiles alone, (S, num_profiles, width), as an ego graph shows them."""
        raise NotImplementedError(f"{self.name} does not read neighbours")

    def member_values(self, profiles: Tensor) -> Tensor:
        """The same for the members of one ego graph, (S, num_members, width), without scatter."""
        raise NotImplementedError(f"{self.name} does not read neighbours")

    def auxiliary_loss(
        self,
        rows: Tensor,
        targets: Tensor,
        distances: Tensor,
        unmasked: Tensor | None = None,
        sources: Tensor | None = None,
    ) -> tuple[str, Tensor] | None:
        """A loss of the model's own beside that of its policy: its name, and (S,) per seed.

        Args:
            rows: the rows of all nodes, (S, num_nodes, row_width).
            targets: the targets of an update, (S, T).
            distances: hops from every node to each target, (S · T, num_nodes).
            unmasked: which targets show all of their links, (S, T) bool; all by default.
            sources: the nodes to measure from; all by default.

        """
        return None

    def target_rows(
        self,
        rows: Tensor,
        targets: Tensor,
        dropout: Dropout = KEEP_ALL,
        embedding_dropout: float = 0.0,
    ) -> Tensor:
        """The targets' rows of each seed, (S, T, width), from targets (S, T).

        A share ``embedding_dropout`` of the targets loses its own embedding, for models that have
        one, by random numbers of ``dropout``'s generator.

        Args:
            rows: of all nodes, (S, n, width).
            targets: node numbers, (S, T).
            dropout: whose generator draws.
            embedding_dropout: the share of targets that lose their own embedding.
        """
        return rows.gather(1, targets.unsqueeze(-1).expand(-1, -1, rows.shape[-1]))

    def score_table(
        self,
        rows: Tensor,
        targets: Tensor,
        dropout: Dropout = KEEP_ALL,
        context: TargetContext | None = None,
    ) -> Tensor:
        """f_π: (S, n, width) and (S, T, width) → scores (S, T, n).

        Args:
            rows: of the candidates, (S, n, width).
            targets: rows of the targets, (S, T, width).
            dropout: applied to hidden units.
            context: what the targets' ego graphs show, for models that read it.
        """
        return self.actor.table(rows, targets, dropout)

    def score_aligned(
        self, candidates: Tensor, targets: Tensor, context: TargetContext | None = None
    ) -> Tensor:
        """f_π: aligned rows (S, P, width) → scores (S, P).

        Args:
            candidates: rows, (S, P, width).
            targets: rows, (S, P, width).
            context: as in :meth:`score_table`, over aligned rows.
        """
        return self.actor.aligned(candidates, targets)

    def value_table(
        self, rows: Tensor, targets: Tensor, context: TargetContext | None = None
    ) -> Tensor:
        """f_v: (S, n, width) and (S, T, width) → values in (0, 1), (S, T, n).

        Args:
            rows: of the holders, (S, n, width).
            targets: rows of the targets, (S, T, width).
            context: as in :meth:`score_table`.
        """
        return torch.sigmoid(self.critic.table(rows, targets))

    def standardise_by(self, profiles: ProfileTable) -> None:
        """Learn shift and scale from a table: real-valued columns get mean 0 and deviation 1.

        Columns that hold 0 and 1 alone stay as they are; sparse tables are scaled, never shifted.
        """
        shift, scale = standardisation(profiles)
        self.shift.copy_(torch.as_tensor(shift))
        self.scale.copy_(torch.as_tensor(scale))

    def know(self, profiles: ProfileTable) -> None:
        """Note which profiles the training graph has, where the model tells them from others."""

    def standardised(self, profiles: Tensor) -> Tensor:
        """Profiles as the network reads them."""
        if profiles.is_sparse:
            return profiles * self.scale
        return (profiles - self.shift) * self.scale


def standardisation(profiles: ProfileTable) -> tuple[Tensor, Tensor]:
    """Shift and scale of each attribute."""
    if not isinstance(profiles, np.ndarray):
        squares = sp.csr_array(profiles, dtype=np.float64)
        binary = np.ones(squares.shape[1], dtype=bool)
        binary[np.unique(squares.indices[squares.data != 1])] = False
        power = np.asarray(squares.multiply(squares).mean(axis=0)).ravel()
        scale = np.where(binary, 1.0, 1 / np.sqrt(np.maximum(power, 1e-12)))
        return torch.zeros(len(scale)), torch.tensor(scale, dtype=torch.float32)
    table = profiles.astype(np.float64)
    binary = np.asarray(np.isin(table, (0.0, 1.0)).all(axis=0))
    deviation = table.std(axis=0)
    scale = np.where(binary | (deviation < 1e-12), 1.0, 1 / np.maximum(deviation, 1e-12))
    shift = np.where(binary, 0.0, table.mean(axis=0))
    return torch.tensor(shift, dtype=torch.float32), torch.tensor(scale, dtype=torch.float32)
