"""From scores to the chain of a policy, in torch: hop probabilities, values and occupancy.

A batch row is one target (of one seed). Hops are the directed edges of the graph in CSR order, so
that a policy is a table (batch, num_hops).
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from garden.search.chain import chain_of_scores
from garden.training.training_graph import Links

DENSE_NODES = 1200  # up to here a chain is solved as a dense system
DENSE_ENTRIES = 1 << 28  # of one batch of dense systems
FEW_SYSTEMS = 128  # up to here a GPU is quicker by squares, beyond by factors
_WIDEST_SPREAD = 600.0  # float64 still tells exp(−600), and a sum of such, from zero


def log_policy(scores: Tensor, problem: Links) -> Tensor:
    """The logarithm of π of every hop, (batch, num_hops), from scores (batch, num_nodes).

    A softmax over each holder's own neighbours, for any finite scores: the chances of a holder's
    hops sum to one however far apart the scores of two holders' neighbours lie.
    """
    if is_wide(scores):
        hop_scores = scores.index_select(1, problem.neighbours)
        return log_softmax_of_holders(hop_scores, problem.holders, problem.num_nodes)
    totals = log_totals(scores, problem).index_select(1, problem.holders)
    return scores.index_select(1, problem.neighbours) - totals


def is_wide(scores: Tensor) -> bool:
    """Whether some row's scores lie too far apart to be exponentiated around its highest.

    They are then shifted holder by holder, which costs a gather per hop.
    """
    detached = scores.detach()
    return bool((detached.amax(dim=1) - detached.amin(dim=1) > _WIDEST_SPREAD).any())


def log_totals(scores: Tensor, problem: Links) -> Tensor:
    """The logarithm of each holder's sum of exp(score) over its neighbours, (batch, num_nodes).

    For scores that are not wide.
    """
    highest = scores.detach().amax(dim=1, keepdim=True)
    totals = problem.sum_neighbours(energies_of(scores, highest))
    return (totals.log() + highest).to(scores.dtype)


def energies_of(scores: Tensor, highest: Tensor) -> Tensor:
    """exp(score − highest) in float64, above zero for scores that are not wide."""
    return (scores.double() - highest).exp()


def log_softmax_of_holders(hop_scores: Tensor, holders: Tensor, num_holders: int) -> Tensor:
    """The logarithm of a softmax over each holder's hops, like ``hop_scores``, (batch, num_hops).

    Hop i belongs to holder ``holders[i]``, a number below ``num_holders``.

    Args:
        hop_scores: a score per hop, (batch, num_hops).
        holders: the holder that each hop leaves, (num_hops,).
        num_holders: how many holders there are.
    """
    scores = hop_scores.double()
    highest = highest_of_holders(scores, holders, num_holders)
    shifted = scores - highest.index_select(1, holders)
    totals = torch.zeros_like(highest).index_add(1, holders, shifted.exp())
    return (shifted - totals.log().index_select(1, holders)).to(hop_scores.dtype)


def highest_of_holders(hop_scores: Tensor, holders: Tensor, num_holders: int) -> Tensor:
    """The highest score among each holder's hops, (batch, num_holders), without a gradient.

    Args:
        hop_scores: a score per hop, (batch, num_hops).
        holders: the holder that each hop leaves, (num_hops,).
        num_holders: how many holders there are.
    """
    highest = hop_scores.new_full((len(hop_scores), num_holders), -math.inf)
    places = holders.expand(len(hop_scores), -1)
    return highest.scatter_reduce(1, places, hop_scores.detach(), "amax")


def entropies(log_chances: Tensor, problem: Links) -> Tensor:
    """The entropy of each holder's choice, (batch, num_nodes)."""
    empty = torch.zeros(
        (len(log_chances), problem.num_nodes), dtype=log_chances.dtype, device=log_chances.device
    )
    return empty.index_add(1, problem.holders, -log_chances.exp() * log_chances)


def solve_dense(
    chances: Tensor, targets: Tensor, weights: Tensor, gamma: float, problem: Links
) -> tuple[Tensor, Tensor]:
    """Values and discounted occupancy of every target, by dense matrices.

    With P the hops that do not deliver and r those that do, values solve (I − γP) V = r, and the
    occupancy of sources weighted by ``weights`` solves (I − γP)ᵀ μ = w. Both are
    (batch, num_nodes), zero at the target.

    Args:
        chances: π of every hop, (batch, num_hops).
        targets: node numbers, (batch,).
        weights: how much each source counts, (batch, num_nodes).
        gamma: the discount factor, γ.
        problem: the graph as tensors.
    """
    batch, n = len(targets), problem.num_nodes
    moves = torch.zeros(batch, n * n, dtype=chances.dtype, device=chances.device)
    onward = _onward(chances, targets, problem)
    moves.index_copy_(1, problem.holders * n + problem.neighbours, gamma * onward)
    arrivals = _arrivals(chances, targets, problem)
    moves = moves.reshape(batch, n, n)
    if chances.device.type == "cpu" or batch > FEW_SYSTEMS:
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
    chances: Tensor,
    targets: Tensor,
    weights: Tensor,
    gamma: float,
    problem: Links,
    tolerance: float = 1e-7,
) -> tuple[Tensor, Tensor]:
    """The same by iteration over the edges, for graphs too large to factorise.

    Each sweep shrinks the error by γ, so their number follows from the tolerance.

    Args:
        chances: π of every hop, (batch, num_hops).
        targets: node numbers, (batch,).
        weights: how much each source counts, (batch, num_nodes).
        gamma: the discount factor, γ.
        problem: the graph as tensors.
        tolerance: the error that is left at most.
    """
    onward = gamma * _onward(chances, targets, problem)
    arrivals = _arrivals(chances, targets, problem)
    values, occupancy = arrivals, weights
    sweeps = math.ceil(math.log(tolerance * (1 - gamma)) / math.log(gamma))
    for _ in range(sweeps):
        moved = onward * values.index_select(1, problem.neighbours)
        values = arrivals.index_add(1, problem.holders, moved)
        moved = onward * occupancy.index_select(1, problem.holders)
        occupancy = weights.index_add(1, problem.neighbours, moved)
    return values, occupancy


def validation_hops(
    scores: Tensor, targets: Tensor, max_hops: int, problem: Links
) -> tuple[Tensor, Tensor]:
    """Expected min(hops, max_hops) and truncation of every source, (batch, num_nodes) each.

    Args:
        scores: (batch, num_nodes).
        targets: node numbers, (batch,).
        max_hops: the hop at which an episode is truncated.
        problem: the graph as tensors.
    """
    if scores.device.type == "cpu":
        expected, truncation = chain_of_scores(
            problem.graph, scores.double().numpy(), "softmax", targets.numpy(), max_hops
        )
        return torch.as_tensor(expected), torch.as_tensor(truncation)
    parts = [
        hops_by_products(scores[block], targets[block], max_hops, problem)
        for block in _blocks(len(targets), problem.num_nodes)
    ]
    return torch.cat([part[0] for part in parts]), torch.cat([part[1] for part in parts])


def hops_by_products(
    scores: Tensor, targets: Tensor, max_hops: int, problem: Links
) -> tuple[Tensor, Tensor]:
    """The same by products of tensors, as a GPU takes it; all targets at once.

    Args:
        scores: (batch, num_nodes).
        targets: node numbers, (batch,).
        max_hops: the hop at which an episode is truncated.
        problem: the graph as tensors.
    """
    chances = log_policy(scores.double(), problem).exp()
    chances = chances * (problem.holders != targets[:, None])
    on_way = torch.ones_like(scores, dtype=torch.float64).scatter(1, targets[:, None], 0.0)
    expected = torch.zeros_like(on_way)
    dense = problem.num_nodes <= DENSE_NODES
    if dense:
        n = problem.num_nodes
        moves = torch.zeros(len(targets), n * n, dtype=torch.float64, device=scores.device)
        moves.index_copy_(1, problem.holders * n + problem.neighbours, chances)
        moves = moves.reshape(-1, n, n)
    for _ in range(max_hops):
        expected += on_way
        if dense:
            on_way = torch.bmm(moves, on_way.unsqueeze(-1)).squeeze(-1)
        else:
            moved = chances * on_way.index_select(1, problem.neighbours)
            on_way = torch.zeros_like(on_way).index_add(1, problem.holders, moved)
    return expected, on_way


def _blocks(count: int, num_nodes: int) -> list[slice]:
    size = max(1, DENSE_ENTRIES // min(num_nodes, DENSE_NODES) ** 2)
    return [slice(start, start + size) for start in range(0, count, size)]


def _onward(chances: Tensor, targets: Tensor, problem: Links) -> Tensor:
    """Chances of hops that neither leave nor reach the target."""
    goal = targets[:, None]
    return chances * (problem.holders != goal) * (problem.neighbours != goal)


def _arrivals(chances: Tensor, targets: Tensor, problem: Links) -> Tensor:
    """The chance that a holder delivers with its next hop, (batch, num_nodes)."""
    delivering = chances * (problem.neighbours == targets[:, None])
    empty = torch.zeros(
        (len(targets), problem.num_nodes), dtype=chances.dtype, device=chances.device
    )
    return empty.index_add(1, problem.holders, delivering)
