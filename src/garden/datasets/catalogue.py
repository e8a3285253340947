"""The catalogue of public datasets: what they are, who made them, what their graphs must contain.

Data only. :mod:`garden.datasets.snap` finds and loads the graphs, :mod:`garden.datasets.fetch`
downloads their archives. The pinned hashes are of the largest
connected component as parsed here, so that they hold however the files are named and packed.

SNAP's *ego-Facebook*, one graph for each ego (McAuley & Leskovec 2012), largest components:

| ego  | nodes | edges | mean distance | density | attributes |
|------|-------|-------|---------------|---------|------------|
| 414  | 148   | 1692  | 2.69          | 0.16    | 105        |
| 686  | 168   | 1656  | 2.43          | 0.12    | 63         |
| 348  | 224   | 3192  | 2.52          | 0.13    | 161        |
| 0    | 324   | 2514  | 3.75          | 0.05    | 224        |
| 3437 | 532   | 4812  | 3.45          | 0.03    | 262        |

MUSAE, Twitch streamers by country and Facebook pages (Rozemberczki et al. 2019):

| graph          | nodes  | edges   | attributes |
|----------------|--------|---------|------------|
| twitch:PTBR    | 1,912  | 31,299  | 3,170      |
| twitch:RU      | 4,385  | 37,304  | 3,170      |
| twitch:ES      | 4,648  | 59,382  | 3,170      |
| musae-facebook | 22,470 | 170,823 | 4,714      |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Dataset:
    """A family of public graphs from one archive."""

    name: str
    description: str
    specs: tuple[str, ...]
    """Examples of how to name its graphs."""
    url: str
    citation: str
    folder: str
    """Its folder's name under ``$GARDEN_DATA`` and in the cache."""
    members: tuple[str, ...]
    """Its graphs, as their files name them."""
    width: int | None = None
    """How many attributes each of its graphs has, for MUSAE files; None for SNAP ego networks."""
    kind: str = "member"
    """``member``: SNAP or MUSAE files of each member; ``wikispeedia``: tables of their own."""
    hashes: Mapping[str, str] = field(default_factory=dict)
    """The content hash of the largest component of a member, where it is known."""


_MUSAE = (
    "B. Rozemberczki, C. Allen and R. Sarkar. Multi-scale Attributed Node Embedding. "
    "arXiv:1909.13021, 2019."
)

DATASETS: dict[str, Dataset] = {
    dataset.name: dataset
    for dataset in (
        Dataset(
            name="facebook",
            description="Ego networks of Facebook users, with anonymised profiles",
            specs=("facebook:414", "facebook:414,attributes=as-published"),
            url="https://snap.stanford.edu/data/facebook.tar.gz",
            citation=(
                "J. McAuley and J. Leskovec. Learning to Discover Social Circles in Ego "
                "Networks. NIPS 2012."
            ),
            folder="facebook",
            members=("414", "686", "348", "0", "3437", "107", "698", "1684", "1912", "3980"),
            hashes={
                "414": "e35922eab4fc50bd5e84814739b4116a66f11048e0f8e7c8d9582c531f6716a6",
                "686": "7c98abcc19010917050539f64829a9f486f092123d9cb13db9faf228f831fec1",
                "348": "2d4a99b768f4d77757454c1d965332f4c43612d5fe24466d6c642a8236ef2715",
                "0": "18bb4ad13206f3b8a3b758daa88dfcf70caea9b002c7881c63235955f7e4a251",
                "3437": "d22ab21b77c1d34407435db0ced3e2b402e0d1e326c201d414e2e31447e29910",
            },
        ),
        Dataset(
            name="twitch",
            description="Mutual followers among Twitch streamers, by country",
            specs=("twitch:PTBR", "twitch:RU", "twitch:ES"),
            url="https://snap.stanford.edu/data/twitch.zip",
            citation=_MUSAE,
            folder="twitch",
            members=("PTBR", "RU", "ES", "DE", "ENGB", "FR"),
            width=3170,
            hashes={
                "PTBR": "86ea2c7cab95104bc7f79391f788900252979c4a71708b49d44516b93115f89e",
                "RU": "1b5a7ee25f9c4a3a5600a6ffd83c98cfbefb6caee3cbd2e0ac132d42f0621d96",
                "ES": "da6e2ef024baca3674226227602bd7b7d8d07700adb40f87cdb5e8d0051ca2ac",
            },
        ),
        Dataset(
            name="musae-facebook",
            description="Mutual likes among verified Facebook pages",
            specs=("musae-facebook",),
            url="https://snap.stanford.edu/data/facebook_large.zip",
            citation=_MUSAE,
            folder="musae_facebook",
            members=("facebook",),
            width=4714,
            hashes={
                "facebook": "545699f7fa06ba17f3125620c090244907a3b9a33f0328ef2cc1dfac8e653a84",
            },
        ),
        Dataset(
            name="wikispeedia",
            description="Articles of a game that people played on Wikipedia, with categories",
            specs=("wikispeedia",),
            url="https://snap.stanford.edu/data/wikispeedia/wikispeedia_paths-and-graph.tar.gz",
            citation=(
                "R. West, J. Pineau and D. Precup. Wikispeedia: An Online Game for Inferring "
                "Semantic Distances between Concepts. IJCAI 2009."
            ),
            folder="wikispeedia",
            members=("wikispeedia",),
            kind="wikispeedia",
            hashes={
                "wikispeedia": "3fd9343fad48b65c752a7ca6e3f0f39f1be823efdcd308b9cd381c07867dc812",
            },
        ),
    )
}
