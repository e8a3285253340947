"""Ego graphs as tensors: what a model computes on, made once per graph and device."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from garden.graphs.ego import EgoGraphs, ProfileTable


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

    @property
    def num_egos(self) -> int:
        """How many ego graphs there are."""
        return len(self.centres)


def ego_tensors(egos: EgoGraphs, device: torch.device | str = "cpu") -> EgoTensors:
    """The batch as tensors. Only profiles that a member points at are taken along."""
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
