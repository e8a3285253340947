"""A recurrent state in the message: what a GRU makes of the holders that it has passed.

The paper suggests it for future work. The state travels with the message; each holder updates it
with its own row and how sure it is of its candidates, then corrects their scores by it. Before it
has learned anything the correction is nought, and the search is the memoryless one.
"""

from __future__ import annotations

from typing import Any, final

import numpy as np
import torch
from torch import Tensor, nn

from garden.errors import StrategyError
from garden.strategies.base import Representations
from garden.strategies.memory import RECURRENT, BatchMemory

STATE = 32
HIDDEN = 64
_LOG_FLOOR = -20.0  # a candidate less likely than this is hopeless in any case


class MessageNetwork(nn.Module):
    """The GRU that writes the state, and a small network that reads it beside a candidate."""

    def __init__(self, row_width: int) -> None:
        super().__init__()
        self.row_width = row_width
        self.write = nn.GRUCell(row_width + 2, STATE)
        self.of_candidate = nn.Linear(row_width + 1, HIDDEN)
        self.of_state = nn.Linear(STATE, HIDDEN, bias=False)
        self.last = nn.Linear(HIDDEN, 1, bias=False)
        self.value = nn.Linear(STATE, 1)  # what a message in this state can expect; for training
        nn.init.zeros_(self.last.weight)

    def forward(
        self, states: Tensor, holders: Tensor, candidates: Tensor, scores: Tensor, owner: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Corrected log probabilities of all candidates, and the states that travel on.

        ``holders`` are the rows of the messages' holders, (num_messages, width); ``candidates``,
        ``scores`` and ``owner`` say of each candidate its row, its score and whose it is.
        """
        count = len(states)
        chances = segment_log_softmax(scores, owner, count)
        empty = scores.new_zeros(count)
        entropy = empty.index_add(0, owner, -chances.exp() * chances)
        surest = empty.scatter_reduce(0, owner, chances, "amax", include_self=False)
        read = torch.cat([holders, surest.unsqueeze(1), entropy.unsqueeze(1)], dim=1)
        states = self.write(read, states)
        seen = torch.cat([candidates, chances.clamp(min=_LOG_FLOOR).unsqueeze(1)], dim=1)
        hidden = self.of_candidate(seen) + self.of_state(states).index_select(0, owner)
        correction = self.last(torch.relu(hidden)).squeeze(1)
        return segment_log_softmax(chances + correction, owner, count), states


def segment_log_softmax(scores: Tensor, owner: Tensor, count: int) -> Tensor:
    """Scores as log probabilities among those of one owner."""
    empty = scores.new_zeros(count)
    highest = empty.scatter_reduce(0, owner, scores.detach(), "amax", include_self=False)
    shifted = scores - highest.index_select(0, owner)
    totals = empty.index_add(0, owner, shifted.exp())
    return shifted - totals.log().index_select(0, owner)


@final
class RecurrentMemory(BatchMemory):
    """The network as a memory; its state is a row of float32 numbers."""

    name = RECURRENT

    def __init__(self, network: MessageNetwork, rows: np.ndarray | None = None) -> None:
        self.network = network.eval().requires_grad_(False)
        self.rows = rows

    def among(self, representations: Representations) -> RecurrentMemory:
        """The memory where nodes have announced these representations."""
        return RecurrentMemory(self.network, np.asarray(representations.arrays["row"]))

    def start_many(self, count: int) -> np.ndarray:
        """Nothing is remembered yet."""
        return np.zeros((count, STATE), dtype=np.float32)

    def recall_many(
        self,
        states: Any,
        holders: np.ndarray,
        candidates: np.ndarray,
        scores: np.ndarray,
        owner: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Corrected log probabilities, and the states that travel on."""
        if self.rows is None:
            raise StrategyError("a recurrent memory reads what nodes announce: call among first")
        device = self.network.last.weight.device

        def tensor(array: np.ndarray) -> Tensor:
            return torch.as_tensor(array, dtype=torch.float32, device=device)

        with torch.no_grad():
            chances, onward = self.network(
                tensor(states),
                tensor(self.rows[holders]),
                tensor(self.rows[candidates]),
                tensor(scores),
                torch.as_tensor(owner, device=device),
            )
        return chances.cpu().numpy().astype(np.float64), onward.cpu().numpy()
