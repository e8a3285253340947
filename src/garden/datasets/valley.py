"""The graph that comes with the page, generated: people of a made-up valley, by name.

It is generated, the same each time: people live in villages, have a trade and a pastime, and know
others who share these.
"""

from __future__ import annotations

import numpy as np

from garden.graphs.graph import Graph

VALLEY = "valley (generated)"
_FIRST = "Ada Ben Cleo Dan Eva Finn Gus Hana Ivo Jana Kai Lea Max Nora Otto Pia Rosa Sam Tess Udo"
_LAST = "Ash Birch Cedar Elm Fern Hazel Ivy Juniper Linden Maple Oak Pine Rowan Willow Yew"
_VILLAGES = ("Upfield", "Millbrook", "Stonebridge", "Fairhill", "Lowmoor", "Westlake")
_TRADES = ("baker", "carpenter", "doctor", "farmer", "teacher", "weaver", "smith", "clerk")
_PASTIMES = ("chess", "choir", "climbing", "fishing", "football", "painting")
NUM_PEOPLE, FRIENDS = 240, 4


def valley() -> Graph:
    """The valley: 240 people, each with a village, a trade and a pastime as attributes."""
    rng = np.random.default_rng(7)
    kinds = (_VILLAGES, _TRADES, _PASTIMES)
    choices = np.stack([rng.integers(len(kind), size=NUM_PEOPLE) for kind in kinds], axis=1)
    edges = [(person, (person + 1) % NUM_PEOPLE) for person in range(NUM_PEOPLE)]
    for person in range(NUM_PEOPLE):
        alike = (choices == choices[person]) @ np.array([2.0, 1.4, 1.0])
        chance = np.exp(1.6 * alike)
        chance[person] = 0.0
        friends = rng.choice(NUM_PEOPLE, FRIENDS, replace=False, p=chance / chance.sum())
        edges += [(person, int(friend)) for friend in friends]
    table = np.concatenate(
        [np.eye(len(kind))[choices[:, place]] for place, kind in enumerate(kinds)], axis=1
    )
    first, last = _FIRST.split(), _LAST.split()
    order = rng.permutation(len(first) * len(last))[:NUM_PEOPLE]
    names = [f"{first[at % len(first)]} {last[at // len(first)]}" for at in order.tolist()]
    titles = [*(f"lives in {v}" for v in _VILLAGES), *_TRADES, *(f"likes {p}" for p in _PASTIMES)]
    pairs = np.array(edges)
    return Graph.from_edges(pairs, NUM_PEOPLE, table, names, titles, VALLEY).largest_component()
