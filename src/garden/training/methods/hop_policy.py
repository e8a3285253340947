"""The policy of all holders at once, from scores of all nodes.

A batch row is one target (of one seed). Hops are the directed edges of the graph in CSR order, so
that a policy is a table (batch, num_hops): the softmax of scores over each holder's neighbours.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from garden.training.methods.base import energies_of, is_wide
from garden.training.training_graph import Links


def log_policy(scores: Tensor, links: Links) -> Tensor:
    """The logarithm of π of every hop.

    A softmax over each holder's own neighbours, for any finite scores: the probabilities of a
    holder's hops sum to one however far apart the scores of two holders' neighbours lie.

    Args:
        scores: any finite numbers, (batch, num_nodes).
        links: says who the neighbours of each holder are.

    Returns:
        (batch, num_hops).
    """
    if is_wide(scores):
        hop_scores = scores.index_select(1, links.neighbours)
        return log_softmax_of_holders(hop_scores, links.holders, links.num_nodes)
    totals = log_totals(scores, links).index_select(1, links.holders)
    return scores.index_select(1, links.neighbours) - totals


def log_totals(scores: Tensor, links: Links) -> Tensor:
    """The logarithm of each holder's sum of exp(score) over its neighbours, (batch, num_nodes).

    Args:
        scores: such that :func:`.base.is_wide` is false, (batch, num_nodes).
        links: says who the neighbours of each holder are.
    """
    highest = scores.detach().amax(dim=1, keepdim=True)
    totals = links.sum_neighbours(energies_of(scores, highest))
    return (totals.log() + highest).to(scores.dtype)


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


def entropies(log_probabilities: Tensor, links: Links) -> Tensor:
    """The entropy of each holder's choice, (batch, num_nodes).

    Args:
        log_probabilities: log π of every hop, (batch, num_hops).
        links: says which hops are whose.
    """
    empty = torch.zeros(
        (len(log_probabilities), links.num_nodes),
        dtype=log_probabilities.dtype,
        device=log_probabilities.device,
    )
    return empty.index_add(1, links.holders, -log_probabilities.exp() * log_probabilities)
