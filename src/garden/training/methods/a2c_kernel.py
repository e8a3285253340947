"""The compiled walk of `a2c`; its plain twin is
:func:`garden.training.methods.a2c.walk_by_tensors`. Importing this module needs numba.
"""

from __future__ import annotations

from garden.compiled import compiled


@compiled()
def walk(  # type: ignore[no-untyped-def]
    running, first_hop, neighbours, targets, draws, holder, walking, hops, masks
):
    """Take some hops of every episode, (num_steps, batch, num_walks) ``draws`` of them.

    ``running`` (batch, num_hops) holds running sums of probabilities; ``holder`` and ``walking``
    (batch, num_walks) are moved on; ``hops`` and ``masks``, of the shape of ``draws``, are filled.
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
