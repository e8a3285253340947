from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import garden
from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.task import every_source
from garden.errors import GardenError, SpecError
from garden.graphs.distances import pair_distances
from garden.graphs.graph import Graph
from garden.resolve import contender_named, contender_of, default_strategies
from garden.search.episode_rng import episode_streams
from garden.search.rollout import rollout
from garden.search.rounds import node_keys, settle, settle_by_rounds
from garden.search.walk import walk
from garden.strategies.gossip.archive import Archive, Quest
from garden.strategies.gossip.cards import (
    card_bytes,
    cards_of,
    directories_of,
    left_cards,
    own_keys,
)
from garden.strategies.gossip.directory import Directory
from garden.strategies.gossip.paths import steps_of
from garden.strategies.registry import MEMORIES, RULES
from garden.strategies.representations import differing_rows

LIMIT = 1000


def graph_with_twins(seed, n=40, kinds=None):
    """A connected graph; with ``kinds``, nodes have one of so many profiles."""
    graph = kaiser_hilgetag(n=n, beta=0.3, seed=seed)
    if kinds is None:
        return graph
    profile = np.random.default_rng(seed).integers(0, kinds, n)
    return Graph.from_edges(graph.edges(), n, np.eye(kinds, dtype=np.float32)[profile])


def ready(graph, strategy=None):
    """A strategy, its rows, and what its messages remember on this graph."""
    strategy = strategy or Directory(k=4)
    rows = settle(graph, strategy).rows
    return strategy, rows, contender_of("directory", strategy).memory


@settings(max_examples=20, deadline=None)
@given(
    st.integers(0, 2**31),
    st.sampled_from([None, 3, 12]),
    st.sampled_from(["profile", "ego"]),
    st.integers(0, 2),
)
def test_directory__delivers_every_message_of_a_connected_graph(seed, kinds, target, paths):
    graph = graph_with_twins(seed, kinds=kinds)
    strategy, rows, memory = ready(graph, Directory(k=3, target=target, paths=paths))
    pairs = every_source(np.arange(0, 40, 5), 40)
    walks = rollout(graph, strategy, rows, pairs, memory, LIMIT, 1, seed=seed, keep_paths=True)
    assert walks.hops.max() <= LIMIT
    linked = graph.adjacency().toarray() > 0
    for path in walks.paths[:, 0]:
        path = path[path >= 0]
        assert linked[path[:-1], path[1:]].all()


@pytest.mark.parametrize("memory", ["none", "visited", "backtrack", "frontier"])
def test_directory__batches_of_walks_equal_the_plain_walk_hop_for_hop(memory):
    graph = graph_with_twins(3, kinds=12)
    strategy = Directory(k=4)
    rule = contender_of("directory", strategy, memory).memory
    rows = settle(graph, strategy).rows
    pairs = every_source(np.array([3, 17]), 40)
    walks = rollout(graph, strategy, rows, pairs, rule, 300, 2, seed=5, keep_paths=True)
    streams = episode_streams(5, 0, 2 * len(pairs)).reshape(-1, 2)
    for row, (source, target) in enumerate(pairs.tolist()):
        trip = walk(graph, strategy, rows, source, target, rule, 300, int(streams[row, 1]))
        path = walks.paths[row, 1]
        assert path[path >= 0].tolist() == list(trip.nodes)


@pytest.mark.parametrize(("target", "paths"), [("profile", 0), ("profile", 2), ("ego", 0)])
def test_directory__a_holder_reads_its_own_row_its_neighbours_and_the_message_alone(target, paths):
    graph = graph_with_twins(7, n=60, kinds=20)
    strategy, rows, memory = ready(graph, Directory(k=4, target=target, paths=paths))
    memory = memory.among(rows)
    rng = np.random.default_rng(0)
    for goal in range(0, 60, 7):
        whole = memory.towards(goal)
        state, holder = whole.start(), (goal + 11) % 60
        for _ in range(12):
            if holder == goal:
                break
            candidates = graph.neighbours(holder)
            scores = strategy.score_pairs(
                rows.take(candidates), rows.take(np.full(len(candidates), goal))
            )
            expected, after = whole.recall(state, holder, candidates, scores)
            blind = elsewhere_scrambled(whole, holder, candidates, after.cards)
            found, same = blind.recall(state, holder, candidates, scores)
            assert np.array_equal(found, expected)
            assert same == after
            state, holder = after, int(rng.choice(candidates[expected == expected.max()]))


def elsewhere_scrambled(memory, holder, candidates, cards):
    """The memory where all else than a holder sees, keeps or was told is that of other nodes."""
    archive, quest = memory.archive, memory.quest
    order = np.arange(len(archive.rows))
    hidden = np.setdiff1d(order, [holder, *candidates])
    order[hidden] = np.roll(hidden, 1)
    key, profile = int(archive.keys[holder]), int(quest.profile)
    kept = {name: left for name, left in archive.kept.items() if name == (key, profile)}
    table = np.arange(len(archive.cards))
    table[np.setdiff1d(table, cards)] = 0
    other = Archive(archive.rows.take(order), archive.cards.take(table), kept, archive.routes)
    near = other.with_profile_near(quest.profile)
    return replace(memory.with_archive(other), quest=Quest(quest.profile, quest.ego, near))


@pytest.mark.parametrize("paths", [0, 1, 3])
def test_directory__rounds_among_agents_end_in_the_rows_that_are_built(paths):
    graph, strategy = graph_with_twins(1), Directory(k=3, paths=paths)
    built = settle(graph, strategy)
    told = settle_by_rounds(graph, strategy, node_keys(graph, 0))
    assert not differing_rows(built.rows, told.rows).any()
    assert built.cost == replace(told.cost, cards=built.cost.cards)


def test_directory__cards_name_who_stands_on_the_paths_to_their_owners():
    graph = graph_with_twins(4)
    strategy, rows, _ = ready(graph, Directory(k=4, paths=2))
    cards = cards_of(rows, strategy.beacons)
    steps = steps_of(rows)
    assert len(steps.keys) > 0
    named = list(zip(cards.ragged["keys"].owner, cards.ragged["keys"].values, strict=True))
    far = steps.take(steps.distances > 1)
    assert set(zip(far.owner, far.keys, strict=True)) <= set(named)
    bare = cards_of(settle(graph, Directory(k=4)).rows, Directory(k=4).beacons)
    assert (card_bytes(cards) >= card_bytes(bare)).all()
    assert card_bytes(cards).sum() > card_bytes(bare).sum()
    assert np.array_equal(own_keys(cards), own_keys(rows))


def test_directory__with_small_sketches_paths_on_cards_make_ways_shorter():
    graph = graph_with_twins(6, n=150)
    pairs = every_source(np.arange(0, 150, 5), 150)
    hops = {}
    for paths in (0, 1):
        strategy, rows, memory = ready(graph, Directory(k=1, paths=paths))
        hops[paths] = rollout(graph, strategy, rows, pairs, memory, LIMIT, 1, seed=0).hops
    assert hops[1].max() <= LIMIT
    assert hops[1].mean() < 0.97 * hops[0].mean()


def test_cards__all_agents_of_a_component_find_the_same_two_of_its_best_ranked_nodes():
    first, second = graph_with_twins(2, n=30), graph_with_twins(3, n=25)
    graph = beside(first, second)
    rows = settle(graph, Directory(k=4)).rows
    component = np.repeat([0, 1], [30, 25])
    for profile in rows.arrays["profile"][[0, 8, 40]]:
        found = directories_of(rows, np.full(55, profile), 4)
        keys = found.keys.reshape(55, 2)
        assert len(np.unique(keys[:30], axis=0)) == len(np.unique(keys[30:], axis=0)) == 1
        places = np.flatnonzero(np.isin(own_keys(rows), keys))
        assert component[places].tolist() == [0, 0, 1, 1]
        degrees = graph.degrees
        assert all((degrees[component == component[at]] > degrees[at]).sum() < 4 for at in places)


def beside(first, second):
    """Two graphs as the components of one."""
    n = first.num_nodes
    return Graph.from_edges(
        np.concatenate([first.edges(), second.edges() + n]),
        n + second.num_nodes,
        np.concatenate([first.dense_attributes(), second.dense_attributes()]),
    )


def test_directory__works_in_each_of_several_components():
    graph = beside(graph_with_twins(2, n=30), graph_with_twins(2, n=30))  # the same profiles twice
    strategy, rows, memory = ready(graph)
    for pairs in (every_source(np.array([4]), 30), every_source(np.array([4]), 30) + 30):
        walks = rollout(graph, strategy, rows, pairs, memory, LIMIT, 1, seed=0)
        assert walks.hops.max() <= LIMIT


def test_cards__each_is_left_with_two_directories_at_its_owners_distance():
    graph = graph_with_twins(4)
    strategy, rows, _ = ready(graph)
    left = left_cards(rows, strategy.k)
    assert np.bincount(left.owner).tolist() == [2] * 40
    cost = settle(graph, strategy).cost.cards
    size = card_bytes(cards_of(rows, strategy.beacons))
    assert cost.directories == 4
    assert cost.cards_per_directory == 2 * 40 / 4
    hops = left.distance
    assert cost.bytes_per_directory == pytest.approx((2 * size.sum() + 8 * hops.sum()) / 4)
    assert cost.hops_per_node == pytest.approx(left.distance.sum() / 40)
    on_the_way = [
        sum(size[owner] + 8 * passed for passed in range(1, far + 1))
        for owner, far in zip(left.owner, hops, strict=True)
    ]
    assert cost.bytes_per_node == pytest.approx(sum(on_the_way) / 40)


def test_cards__stay_where_they_are_when_another_directory_goes():
    graph = kaiser_hilgetag(n=80, alpha=10, beta=1, seed=4)
    strategy = Directory(k=8, rank="hash")  # ranks do not change with links
    before = by_owner(graph, strategy)
    gone = min(key for pair in before.values() for key in pair)  # the best-ranked
    names = node_keys(graph, 0)
    rest = graph.subgraph(np.flatnonzero(names != np.uint64(gone)))
    assert len(np.unique(rest.components())) == 1
    after = by_owner(rest, strategy)
    newcomer = max(key for pair in after.values() for key in pair)
    assert newcomer not in {key for pair in before.values() for key in pair}
    settled = [key for key in after if gone not in before[key] and newcomer not in after[key]]
    assert len(settled) > 30
    assert all(before[key] == after[key] for key in settled)


def by_owner(graph, strategy):
    """The keys of each agent's two directories, by its own key."""
    rows = settle(graph, strategy).rows
    left, keys = left_cards(rows, strategy.k), own_keys(rows)
    pairs = left.directory.reshape(-1, 2).tolist()
    return dict(zip(keys[left.owner[::2]].tolist(), map(set, pairs), strict=True))


def test_directory__one_that_lost_its_cards_is_made_up_for_by_the_other():
    graph = graph_with_twins(9)
    strategy, rows, memory = ready(graph)
    left = left_cards(rows, strategy.k)
    for target in range(0, 40, 6):
        first, second = left.directory[left.owner == target]
        for lost in ([first], [second], [first, second]):
            few = left
            for directory in lost:
                few = few.without(int(directory))
            blank = memory.with_cards(rows, few)
            walks = [
                hops_with(graph, strategy, rows, blank, source, target) for source in range(40)
            ]
            assert max(walks) <= LIMIT


def hops_with(graph, strategy, rows, memory, source, target):
    """Hops of one message under a memory whose cards were left already."""
    memory, state = memory.towards(target), memory.start()
    rng, holder, hops = np.random.default_rng(source), source, 0
    goal = rows.take(np.array([target]))
    while holder != target and hops <= LIMIT:
        near = graph.neighbours(holder)
        scores = strategy.score(rows.take(near), goal)[0]
        scores, state = memory.recall(state, holder, near, scores)
        holder, hops = int(rng.choice(near[scores == scores.max()])), hops + 1
    return hops


def test_directory__messages_arrive_when_a_directory_is_gone_and_nobody_knows_yet():
    graph = graph_with_twins(12, n=60)
    strategy, rows, memory = ready(graph)
    directories = np.flatnonzero(np.isin(own_keys(rows), left_cards(rows, 4).directory))
    played = 0
    for gone in directories.tolist():
        edges = graph.edges()
        cut = Graph.from_edges(edges[(edges != gone).all(axis=1)], 60, graph.attributes)
        inside = cut.largest_component_nodes()
        targets = np.setdiff1d(inside, [gone])[::9]
        pairs = every_source(targets, 60)
        pairs = pairs[np.isin(pairs[:, 0], inside)]
        walks = rollout(cut, strategy, rows, pairs, memory, LIMIT, 1, seed=0)
        assert walks.hops.max() <= LIMIT
        played += len(pairs)
    assert played > 200


def test_directory__where_sketches_mislead_a_message_goes_as_the_card_came():
    graph = graph_with_twins(6, n=150)
    strategy, rows, memory = ready(graph, Directory(k=1, paths=0))
    pairs = every_source(np.arange(0, 150, 10), 150)
    led = rollout(graph, strategy, rows, pairs, memory, LIMIT, 1, seed=0).hops
    distances = pair_distances(graph, pairs)
    left = left_cards(rows, 1)
    to_directory = np.zeros(150, dtype=int)
    to_directory[left.owner] = left.distance
    # To the directory, a way of what is promised and one hop, as many back, and the card's route.
    promised = to_directory[pairs[:, 1]]
    most = to_directory[pairs[:, 0]] + 2 * (promised + 1) + promised
    assert (led[:, 0] <= most).all()
    strayed = contender_of("directory", strategy).memory
    strayed = replace(strayed, patience=10**6)
    alone = rollout(graph, strategy, rows, pairs, strayed, LIMIT, 1, seed=0).hops
    assert led.mean() < alone.mean()
    assert (led[:, 0] >= distances).all()


def star_of_twins():
    """Node 0 in the middle; 1 a sender, 2 and 3 with equal profiles; 3 has a neighbour more."""
    attributes = np.array([[1, 0], [0, 1], [1, 1], [1, 1], [0, 0]], dtype=np.float32)
    return Graph.from_edges(np.array([[0, 1], [0, 2], [0, 3], [3, 4]]), 5, attributes)


def test_directory__of_two_nodes_with_equal_profiles_both_are_tried():
    graph = star_of_twins()
    strategy, rows, memory = ready(graph)
    streams = episode_streams(0, 0, 40)
    for target, other in ((2, 3), (3, 2)):
        paths = {
            walk(graph, strategy, rows, 1, target, memory, LIMIT, int(stream)).nodes
            for stream in streams
        }
        assert paths <= {(1, 0, target), (1, 0, other, 0, target)}
    # Either may be the target: one of the two walks is the longer one.
    lengths = [
        walk(graph, strategy, rows, 1, target, memory, LIMIT, int(streams[0])).hops
        for target in (2, 3)
    ]
    assert sorted(lengths) == [2, 4]


def test_directory__an_ego_graph_tells_nodes_of_equal_profiles_apart():
    graph = star_of_twins()
    strategy, rows, memory = ready(graph, Directory(k=4, target="ego"))
    for target in (2, 3):
        for stream in episode_streams(0, 0, 20):
            trip = walk(graph, strategy, rows, 1, target, memory, LIMIT, int(stream))
            assert trip.nodes == (1, 0, target)


def test_directory__the_way_to_it_falls_by_one_with_every_hop():
    n = 30
    ring = np.stack([np.arange(n), (np.arange(n) + 1) % n], axis=1)
    graph = Graph.from_edges(ring, n, np.eye(n, dtype=np.float32))
    strategy, rows, memory = ready(graph, Directory(k=2))
    left = left_cards(rows, 2)
    places = {int(key): place for place, key in enumerate(own_keys(rows))}
    for source, target in ((0, 9), (4, 21), (13, 2)):
        directories = [places[int(key)] for key in left.directory[left.owner == target]]
        path = walk(graph, strategy, rows, source, target, memory, LIMIT, 1).nodes

        def apart(one, two):
            return min((one - two) % n, (two - one) % n)

        nearer = min(directories, key=lambda one, start=source: apart(start, one))
        before = path[: path.index(nearer) + 1] if nearer in path else path
        steps = [apart(node, nearer) for node in before]
        sighted = [apart(node, target) <= 2 for node in before]
        falling = [
            a - b for (a, b), seen in zip(pairwise(steps), sighted, strict=False) if not seen
        ]
        assert falling
        assert set(falling) == {1}


def test_directory__renumbering_nodes_changes_no_score():
    graph = graph_with_twins(21, kinds=15)
    order = np.random.default_rng(1).permutation(40)
    place = np.argsort(order)  # the node that was v is now place[v]
    other = Graph.from_edges(
        place[graph.edges()],
        40,
        graph.dense_attributes()[order],
        [graph.node_names[node] for node in order],
    )
    (strategy, rows, memory), (_, other_rows, other_memory) = ready(graph), ready(other)
    for source, target in ((0, 20), (5, 33), (11, 2)):
        mine = memory.among(rows).towards(target)
        theirs = other_memory.among(other_rows).towards(int(place[target]))
        state, same, holder = mine.start(), theirs.start(), source
        for _ in range(10):
            near = graph.neighbours(holder)
            goal = rows.take(np.array([target]))
            scores = strategy.score(rows.take(near), goal)[0]
            found, state = mine.recall(state, holder, near, scores)
            again, same = theirs.recall(same, int(place[holder]), place[near], scores)
            assert np.array_equal(found, again)
            holder = int(near[np.argmax(found)])
            if holder == target:
                break


def test_directory__a_route_arrives_and_names_what_it_remembers():
    message = garden.route(graph_with_twins(5), "directory:k=4", source=0, target=30)
    assert message.delivered
    assert message.memory == "cards"
    assert message.path[-1] == "30"


def test_directory__a_report_says_what_its_agents_know_and_what_cards_cost():
    graph = graph_with_twins(5, n=60)
    report = garden.evaluate(graph, ["directory:k=4", "directory:k=4+backtrack"])
    first, second = report.to_json()["strategies"]
    assert first["knows"] == second["knows"] == "gossip"
    assert first["evaluation"] == "sampled"
    assert first["truncation_rate"] == 0
    assert first["gossip"]["cards"]["directories"] == 4
    assert (first["memory"], second["memory"]) == ("cards", "cards, backtrack")


def test_directory__refuses_graphs_without_attributes_in_one_line():
    graph = Graph.from_edges(np.array([[0, 1], [1, 2]]), 3)
    with pytest.raises(GardenError, match="directory compares attributes") as refused:
        garden.route(graph, "directory", source=0, target=2)
    assert "\n" not in str(refused.value)
    assert "directory" not in default_strategies(graph)


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("directory:k=0", "k=0"),
        ("directory:rank=age", "rank=age: choose degree or hash"),
        ("directory:target=name", "target=name: choose profile or ego"),
        ("directory:cards=3", "unknown parameter 'cards': use k, rank, seed, target, paths"),
        ("directory:k=2,paths=3", "paths=3: it must be at most k=2"),
    ],
)
def test_directory__refuses_parameters_that_make_no_sense(name, complaint):
    with pytest.raises(SpecError, match=complaint):
        contender_named(name)


def test_memory__others_do_not_look_at_the_target():
    assert all(memory.towards(3) is memory for memory in map(MEMORIES.get, RULES))
