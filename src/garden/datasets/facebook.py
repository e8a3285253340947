"""The ego networks of SNAP's *ego-Facebook* (McAuley & Leskovec 2012).

| ego  | nodes | edges | mean distance | density | attributes |
|------|-------|-------|---------------|---------|------------|
| 414  | 148   | 1692  | 2.69          | 0.16    | 105        |
| 686  | 168   | 1656  | 2.43          | 0.12    | 63         |
| 348  | 224   | 3192  | 2.52          | 0.13    | 161        |
| 0    | 324   | 2514  | 3.75          | 0.05    | 224        |
| 3437 | 532   | 4812  | 3.45          | 0.03    | 262        |

The numbers are those of the largest connected component.
"""

from __future__ import annotations

from pathlib import Path

from garden.datasets.catalogue import dataset_named, read_member
from garden.datasets.fetch import find_dataset
from garden.graphs.graph import Graph


def load_facebook(
    ego_id: str | int, attributes: str = "by-id", folder: str | Path | None = None
) -> Graph:
    """The whole graph of one ego's friends; the ego is not a node of it.

    ``attributes="as-published"`` attaches attribute rows in the order of the paper's released
    code, not by id, so that its numbers can be compared like for like.
    """
    place = find_dataset("facebook", str(ego_id)) if folder is None else Path(folder)
    return read_member(dataset_named("facebook"), place, str(ego_id), attributes)
