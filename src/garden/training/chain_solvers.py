"""The exact return of a policy and its gradient, by solving the chain of each target.

For one target the policy is an absorbing chain. With V its values, w the weights of sources and
J = Σ w(u) V(u), the policy-gradient theorem gives

    ∇J = Σ_u μ(u) Σ_v π(v|u) A(u, v) ∇ log π(v|u),

where μ is the discounted occupancy and A(u, v) = [v = t] + γ V(v) − V(u). Both V and μ come from
one linear system, so there is no sampling and no variance. Truncation plays no part.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from garden.training.training_graph import Links

DENSE_NODES = 1200  # up to here a chain is solved as a dense system
FEW_SYSTEMS = 128  # up to here a GPU is quicker by squares, beyond by factors


def return_surrogate(
    log_probabilities: Tensor,
    targets: Tensor,
    weights: Tensor,
    gamma: float,
    links: Links,
    dense: bool | None = None,
) -> tuple[Tensor, Tensor]:
    """A quantity per target whose gradient is that of the return, and the return itself.

    Args:
        log_probabilities: log π of every hop, (batch, num_hops).
        targets: node numbers, (batch,).
        weights: how much each source counts, (batch, num_nodes).
        gamma: the discount factor, γ.
        links: the graph as tensors.
        dense: whether to solve by dense matrices; by the size of the graph by default.
    """
    probabilities = log_probabilities.detach().exp()
    if dense is None:
        dense = links.num_nodes <= DENSE_NODES
    solve = solve_dense if dense else solve_sparse
    values, occupancy = solve(probabilities, targets, weights, gamma, links)
    onward = values.index_select(1, links.neighbours).masked_fill(
        links.neighbours == targets[:, None], 0.0
    )
    delivered = (links.neighbours == targets[:, None]).to(probabilities.dtype)
    advantages = delivered + gamma * onward - values.index_select(1, links.holders)
    coefficients = occupancy.index_select(1, links.holders) * probabilities * advantages
    coefficients = coefficients * (links.holders != targets[:, None])
    return (coefficients * log_probabilities).sum(dim=1), (weights * values).sum(dim=1)


def source_weights(distances: Tensor, kind: str) -> Tensor:
    """How much each source counts.

    Args:
        distances: hops to the target, (batch, num_nodes); infinite out of reach.
        kind: ``inverse-distance``, as in the oracle ratio, or ``uniform``.

    Returns:
        (batch, num_nodes): zero at the target and out of reach, summing to one.
    """
    others = (distances > 0) & distances.isfinite()
    weights = others / distances.clamp(min=1) if kind == "inverse-distance" else others.float()
    return weights / weights.sum(dim=1, keepdim=True)


def solve_dense(
    probabilities: Tensor, targets: Tensor, weights: Tensor, gamma: float, links: Links
) -> tuple[Tensor, Tensor]:
    """Values and discounted occupancy of every target, by dense matrices.

    With P the hops that do not deliver and r those that do, values solve (I − γP) V = r, and the
    occupancy of sources weighted by ``weights`` solves (I − γP)ᵀ μ = w. Both are
    (batch, num_nodes), zero at the target.

    Args:
        probabilities: π of every hop, (batch, num_hops).
        targets: node numbers, (batch,).
        weights: how much each source counts, (batch, num_nodes).
        gamma: the discount factor, γ.
        links: the graph as tensors.
    """
    batch, n = len(targets), links.num_nodes
    moves = torch.zeros(batch, n * n, dtype=probabilities.dtype, device=probabilities.device)
    onward = _onward(probabilities, targets, links)
    moves.index_copy_(1, links.holders * n + links.neighbours, gamma * onward)
    arrivals = _arrivals(probabilities, targets, links)
    moves = moves.reshape(batch, n, n)
    if probabilities.device.type == "cpu" or batch > FEW_SYSTEMS:
        return solve_by_factors(moves, arrivals, weights)
    return solve_by_squares(moves, arrivals, weights, gamma)


def solve_by_factors(moves: Tensor, arrivals: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
    """By one factorisation of I − γP, the fewest operations; ``moves`` is γP.

    Args:
        moves: γP, (batch, num_nodes, num_nodes).
        arrivals: the chance to deliver with the next hop, (batch, num_nodes).
        weights: how much each source counts, (batch, num_nodes).
    """
    systems = torch.eye(moves.shape[-1], dtype=moves.dtype, device=moves.device) - moves
    if moves.device.type != "cpu":
        return _solve_both(systems, arrivals, weights)
    # One by one: batches of factorisations on a CPU come out wrong after torch.set_num_threads.
    parts = [_solve_both(*one) for one in zip(systems, arrivals, weights, strict=True)]
    return torch.stack([part[0] for part in parts]), torch.stack([part[1] for part in parts])


def _solve_both(systems: Tensor, arrivals: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
    factors, pivots = torch.linalg.lu_factor(systems)
    values = torch.linalg.lu_solve(factors, pivots, arrivals.unsqueeze(-1))
    occupancy = torch.linalg.lu_solve(factors, pivots, weights.unsqueeze(-1), adjoint=True)
    return values.squeeze(-1), occupancy.squeeze(-1)


def solve_by_squares(
    moves: Tensor, arrivals: Tensor, weights: Tensor, gamma: float, tolerance: float = 1e-8
) -> tuple[Tensor, Tensor]:
    """By (I − γP)⁻¹ = (I + γP)(I + (γP)²)(I + (γP)⁴)…, few and large operations, as GPUs like them.

    After k factors what is left is below γ to the power of 2ᵏ, whatever P.

    Args:
        moves: γP, (batch, num_nodes, num_nodes).
        arrivals: the chance to deliver with the next hop, (batch, num_nodes).
        weights: how much each source counts, (batch, num_nodes).
        gamma: the discount factor, γ.
        tolerance: the error that is left at most.
    """
    values, occupancy = arrivals.unsqueeze(-1), weights.unsqueeze(-1)
    factors = math.ceil(math.log2(math.log(tolerance * (1 - gamma)) / math.log(gamma)))
    for k in range(factors):
        values = values + moves @ values
        occupancy = occupancy + moves.transpose(1, 2) @ occupancy
        if k + 1 < factors:
            moves = moves @ moves
    return values.squeeze(-1), occupancy.squeeze(-1)


def solve_sparse(
    probabilities: Tensor,
    targets: Tensor,
    weights: Tensor,
    gamma: float,
    links: Links,
    tolerance: float = 1e-7,
) -> tuple[Tensor, Tensor]:
    """The same by iteration over the edges, for graphs too large to factorise.

    Each sweep shrinks the error by γ, so their number follows from the tolerance.

    Args:
        probabilities: π of every hop, (batch, num_hops).
        targets: node numbers, (batch,).
        weights: how much each source counts, (batch, num_nodes).
        gamma: the discount factor, γ.
        links: the graph as tensors.
        tolerance: the error that is left at most.
    """
    onward = gamma * _onward(probabilities, targets, links)
    arrivals = _arrivals(probabilities, targets, links)
    values, occupancy = arrivals, weights
    sweeps = math.ceil(math.log(tolerance * (1 - gamma)) / math.log(gamma))
    for _ in range(sweeps):
        moved = onward * values.index_select(1, links.neighbours)
        values = arrivals.index_add(1, links.holders, moved)
        moved = onward * occupancy.index_select(1, links.holders)
        occupancy = weights.index_add(1, links.neighbours, moved)
    return values, occupancy


def _onward(probabilities: Tensor, targets: Tensor, links: Links) -> Tensor:
    """Chances of hops that neither leave nor reach the target."""
    target = targets[:, None]
    return probabilities * (links.holders != target) * (links.neighbours != target)


def _arrivals(probabilities: Tensor, targets: Tensor, links: Links) -> Tensor:
    """The chance that a holder delivers with its next hop, (batch, num_nodes)."""
    delivering = probabilities * (links.neighbours == targets[:, None])
    empty = torch.zeros(
        (len(targets), links.num_nodes), dtype=probabilities.dtype, device=probabilities.device
    )
    return empty.index_add(1, links.holders, delivering)
