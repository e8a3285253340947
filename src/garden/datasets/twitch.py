"""The MUSAE graphs (Rozemberczki et al. 2019): Twitch streamers by country, and Facebook pages.

| graph          | nodes  | edges   | attributes |
|----------------|--------|---------|------------|
| twitch:PTBR    | 1,912  | 31,299  | 3,170      |
| twitch:RU      | 4,385  | 37,304  | 3,170      |
| twitch:ES      | 4,648  | 59,382  | 3,170      |
| musae-facebook | 22,470 | 170,823 | 4,714      |
"""

from __future__ import annotations

from pathlib import Path

from garden.datasets.catalogue import dataset_named, read_member
from garden.datasets.fetch import find_dataset
from garden.graphs.graph import Graph


def load_twitch(country: str, folder: str | Path | None = None) -> Graph:
    """The whole graph of one country, such as ``PTBR``."""
    place = find_dataset("twitch", country) if folder is None else Path(folder)
    return read_member(dataset_named("twitch"), place, country)


def load_musae_facebook(folder: str | Path | None = None) -> Graph:
    """The whole graph of verified Facebook pages."""
    place = find_dataset("musae-facebook") if folder is None else Path(folder)
    return read_member(dataset_named("musae-facebook"), place, "facebook")
