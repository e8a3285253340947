"""The compiled walk of `a2c`; its plain twin is
:func:`garden.training.methods.a2c.walk_by_tensors`. Importing this module needs numba.
"""

from __future__ import annotations

from garden.compiled import compiled


@compiled()
def walk(  # type: ignore[no-untyped-def]
    running, first_hop, neighbours, targets, draws, holder, walking, hops, masks
):
    """Take some hops of every episode, a step for each of the first axis of ``draws``.

    Args:
        running: running sums of the probabilities of all hops, (batch, num_hops).
        first_hop: where a holder's hops start, (num_nodes + 1,).
        neighbours: where each hop leads, (num_hops,).
        targets: node numbers, (batch,).
        draws: uniform in 0 … 1, (num_steps, batch, num_walks).
        holder: who holds each message, (batch, num_walks); moved on.
        walking: which messages are under way, (batch, num_walks) bool; moved on.
        hops: filled with the hop taken, of the shape of ``draws``.
        masks: filled with whether it counts, of the shape of ``draws``.
    """
    num_steps, batch, num_walks = draws.shape
    for row in range(batch):
        sums = running[row]
        for number in range(num_walks):
            for step in range(num_steps):
                at = holder[row, number]
                first, last = first_hop[at], first_hop[at + 1]
                low = sums[first - 1] if first > 0 else 0.0
                sought = low + draws[step, row, number] * (sums[last - 1] - low)
                high = last - 1
                while first < high:  # the first hop whose running sum lies above
                    middle = (first + high) // 2
                    if sums[middle] > sought:
                        high = middle
                    else:
                        first = middle + 1
                hops[step, row, number] = first
                masks[step, row, number] = walking[row, number]
                if walking[row, number]:
                    holder[row, number] = neighbours[first]
                    walking[row, number] = neighbours[first] != targets[row]
