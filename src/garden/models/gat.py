r"""Graph attention over ego graphs (GATv2), for all of them at once and for one on its own.

Reference: S. Brody, U. Alon and E. Yahav, "How Attentive are Graph Attention Networks?", ICLR
2022. Member i of an ego graph attends to its neighbours j within it and to itself:

.. math::
    e_{ij} = a^\top \mathrm{LeakyReLU}(W_l x_j + W_r x_i), \qquad
    x'_i = b + \sum_j \mathrm{softmax}_j(e_{ij}) \, W_l x_j
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn.functional import leaky_relu

from garden.models.layers import StackedLinear

SLOPE = 0.2


class GraphAttention(nn.Module):
    """One attention layer with one head, with the parameters of PyG's ``GATv2Conv``."""

    def __init__(self, num_seeds: int, inputs: int, outputs: int) -> None:
        super().__init__()
        self.left = StackedLinear(num_seeds, inputs, outputs)
        self.right = StackedLinear(num_seeds, inputs, outputs)
        self.attention = nn.Parameter(torch.empty(num_seeds, outputs, 1))
        self.bias = nn.Parameter(torch.zeros(num_seeds, 1, outputs))
        for weight in (self.left.weight, self.right.weight, self.attention):
            # One Glorot draw per seed; xavier_uniform_ itself would count seeds as inputs.
            bound = (6 / (weight.shape[1] + weight.shape[2])) ** 0.5
            nn.init.uniform_(weight, -bound, bound)
        for linear in (self.left, self.right):
            assert linear.bias is not None
            nn.init.zeros_(linear.bias)

    def attend(self, left: Tensor, right: Tensor, heads: Tensor, tails: Tensor) -> Tensor:
        """Attention over a list of edges: member ``heads[k]`` attends to ``tails[k]``.

        In training on a CPU it is compiled, equal up to rounding.

        Args:
            left: of every member, what others read of it, (num_seeds, num_members, width).
            right: what it reads others with, of the same shape.
            heads: who attends, (num_edges,), ascending.
            tails: to whom, (num_edges,).

        Returns:
            (num_seeds, num_members, width).
        """
        if _is_compiled(left, heads):
            attended = _CompiledAttention.apply(left, right, self.attention, heads, tails)  # type: ignore[no-untyped-call]
            return attended + self.bias
        values = left.index_select(1, tails)
        energies = leaky_relu(values + right.index_select(1, heads), SLOPE) @ self.attention
        weights = segment_softmax(energies.squeeze(-1), heads, left.shape[1])
        attended = torch.zeros_like(left).index_add(1, heads, weights.unsqueeze(-1) * values)
        return attended + self.bias

    def attend_dense(self, left: Tensor, right: Tensor, linked: Tensor) -> Tensor:
        """The same within one ego graph, by a mask (num_members, num_members) and no scatter.

        Args:
            left: the values, (num_seeds, num_members, width).
            right: the queries, of the same shape.
            linked: which members are joined, (num_members, num_members) bool, the diagonal
                included.
        """
        energies = leaky_relu(left.unsqueeze(1) + right.unsqueeze(2), SLOPE)
        energies = (energies @ self.attention.unsqueeze(1)).squeeze(-1)  # (seeds, heads, tails)
        weights = torch.softmax(energies.masked_fill(~linked, -torch.inf), dim=-1)
        return weights @ left + self.bias


def _is_compiled(left: Tensor, heads: Tensor) -> bool:
    """Whether the kernels serve: gradients are wanted, on a CPU, and edges come head by head."""
    if left.device.type != "cpu" or left.dtype != torch.float32 or not left.requires_grad:
        return False
    try:
        import garden.models.gat_kernels  # noqa: F401
    except ImportError:  # no numba on this machine
        return False
    return bool((heads[1:] >= heads[:-1]).all())


class _CompiledAttention(torch.autograd.Function):
    """Attention over a list of edges, without the bias, by :mod:`garden.models.gat_kernels`."""

    @staticmethod
    def forward(
        ctx: Any, left: Tensor, right: Tensor, attention: Tensor, heads: Tensor, tails: Tensor
    ) -> Tensor:
        from garden.models.gat_kernels import attend_forward

        first = np.zeros(left.shape[1] + 1, np.int64)
        np.cumsum(np.bincount(heads.numpy(), minlength=left.shape[1]), out=first[1:])
        weights = np.empty((len(left), len(heads)), np.float32)
        inputs = (_array(left), _array(right), _array(attention.squeeze(-1)), first, tails.numpy())
        attended = np.empty_like(inputs[0])
        attend_forward(*inputs, np.float32(SLOPE), weights, attended)
        ctx.inputs, ctx.weights = inputs, weights
        return torch.from_numpy(attended)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        from garden.models.gat_kernels import attend_backward

        (gradient,) = gradients
        sums = [np.zeros_like(array) for array in ctx.inputs[:3]]
        attend_backward(*ctx.inputs, np.float32(SLOPE), ctx.weights, _array(gradient), *sums)
        of_left, of_right, of_attention = (torch.from_numpy(array) for array in sums)
        return of_left, of_right, of_attention.unsqueeze(-1), None, None


def _array(tensor: Tensor) -> np.ndarray:
    """The same numbers as a contiguous array."""
    return tensor.detach().contiguous().numpy()


def segment_softmax(values: Tensor, segments: Tensor, num_segments: int) -> Tensor:
    """A softmax within each segment of the last axis, (batch, num_values).

    Args:
        values: (batch, num_values).
        segments: the segment of each value, (num_values,).
        num_segments: how many segments there are.
    """
    index = segments.expand_as(values)
    highest = torch.full(
        (values.shape[0], num_segments), -torch.inf, dtype=values.dtype, device=values.device
    ).scatter_reduce(1, index, values.detach(), "amax")
    powers = torch.exp(values - highest.index_select(1, segments))
    totals = torch.zeros_like(highest).index_add(1, segments, powers)
    return powers / totals.index_select(1, segments)
