"""Search tasks: a graph, a split of its nodes as targets, and the pairs that all strategies play.

A task is made once from a seed, stored, and recognised by its hash, so that two results are
comparable exactly when their task hashes are equal.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from garden.errors import GardenError, TaskError, expect, short_repr
from garden.graphs.graph import Graph
from garden.notebook import properties_as_html
from garden.random_streams import (
    ALL_PAIRS,
    FURTHER_PAIRS,
    TEST_PAIRS,
    TRAIN_PAIRS,
    VALIDATION_PAIRS,
)
from garden.storage import refuse_other, write_text

Split = Literal["train", "validation", "test", "all"]
SPLITS: tuple[Split, ...] = get_args(Split)

MIN_NODES = 10
NUM_PAIRS = 1000
FORMAT = "garden-task-1"


@dataclass(frozen=True, eq=False)
class SearchTask:
    """A graph whose nodes are split, as targets, into parts for training, validation and test.

    Sources are not split: any node may send, to targets that no policy was trained on. Make one
    with :meth:`split`, which draws everything from a seed.

    Raises:
        TaskError: If the graph is not connected, parts overlap, or a pair is not of its part.

    """

    graph: Graph
    seed: int
    train_targets: np.ndarray  # (num_train,) positions, ascending
    validation_targets: np.ndarray
    test_targets: np.ndarray
    validation_pairs: np.ndarray  # (num_pairs, 2): source, target
    test_pairs: np.ndarray

    def __post_init__(self) -> None:
        _check_seed(self.seed)
        _check_targets(self)
        _check_pairs(self.validation_pairs, self.validation_targets, "validation", self.graph)
        _check_pairs(self.test_pairs, self.test_targets, "test", self.graph)
        if self.graph.components().max(initial=0) > 0:
            raise TaskError(
                f"{self.graph.name} is not connected: take graph.largest_component() first"
            )

    @classmethod
    def split(cls, graph: Graph, seed: int = 0, num_pairs: int = NUM_PAIRS) -> SearchTask:
        """Draw an 80/10/10 split of the targets, and pairs with replacement, from a seed.

        Args:
            graph: A connected graph of at least 10 nodes.
            seed: Determines the split and the pairs.
            num_pairs: How many pairs of validation, and how many of test.

        """
        expect("graph", graph, Graph, otherwise="a Graph, as garden.load does")
        if graph.num_nodes < MIN_NODES:
            raise TaskError(
                f"{graph.name} has {graph.num_nodes} nodes: a split needs at least {MIN_NODES}"
            )
        seed = _check_seed(seed)
        order = np.random.default_rng(seed).permutation(graph.num_nodes)
        cuts = [8 * graph.num_nodes // 10, 9 * graph.num_nodes // 10]
        train, validation, test = (np.sort(part) for part in np.split(order, cuts))

        def drawn(targets: np.ndarray, tag: int) -> np.ndarray:
            return draw_pairs(targets, graph.num_nodes, num_pairs, [seed, tag])

        pairs = drawn(validation, VALIDATION_PAIRS), drawn(test, TEST_PAIRS)
        return cls(graph, seed, train, validation, test, *pairs)

    def targets(self, split: Split) -> np.ndarray:
        """The nodes that may be targets in this part of the split."""
        if split not in SPLITS:
            raise TaskError(f"no part of a split is called {split!r}: use {', '.join(SPLITS)}")
        if split == "all":
            return np.arange(self.graph.num_nodes)
        chosen: np.ndarray = getattr(self, f"{split}_targets")
        return chosen

    def pairs(self, split: Split) -> np.ndarray:
        """The pairs of this part, (num_pairs, 2): source, target.

        Those of ``validation`` and ``test`` are stored with the task; those of ``train`` and
        ``all`` are drawn from its seed.
        """
        if split == "validation":
            return self.validation_pairs
        if split == "test":
            return self.test_pairs
        tag = TRAIN_PAIRS if split == "train" else ALL_PAIRS
        num_pairs = len(self.test_pairs)
        return draw_pairs(self.targets(split), self.graph.num_nodes, num_pairs, [self.seed, tag])

    def first_pairs(self, split: Split, count: int) -> np.ndarray:
        """The first pairs of this part, (count, 2).

        Those of :meth:`pairs` come first; they are independent draws, so that any first few of them
        are a uniform sample. Further pairs are drawn in the same way from the task's seed: a longer
        list begins with every shorter one.

        Args:
            split: The part whose targets they have.
            count: How many pairs.
        """
        pairs = self.pairs(split)
        missing = count - len(pairs)
        if missing <= 0:
            return pairs[:count]
        targets, stream = self.targets(split), [self.seed, FURTHER_PAIRS, SPLITS.index(split)]
        further = [
            draw_pairs(targets, self.graph.num_nodes, NUM_PAIRS, [*stream, number])
            for number in range(-(-missing // NUM_PAIRS))
        ]
        return np.concatenate([pairs, *further])[:count]

    def all_pairs(self, split: Split) -> np.ndarray:
        """Every source with every target of this part, (num_pairs, 2), grouped by target."""
        return every_source(self.targets(split), self.graph.num_nodes)

    @cached_property
    def content_hash(self) -> str:
        """A digest of the graph, the split and the pairs."""
        digest = hashlib.sha256(f"{FORMAT} {self.graph.content_hash} {self.seed}".encode())
        targets, pairs = map(self.targets, SPLITS[:3]), map(self.pairs, SPLITS[1:3])
        for array in (*targets, *pairs):
            digest.update(np.int64(array.size).tobytes())
            digest.update(np.ascontiguousarray(array, dtype="<i8").tobytes())
        return digest.hexdigest()

    def save(self, path: str | Path, force: bool = False) -> None:
        """Write the task as JSON; the graph itself is not in it, only its name and hash.

        Args:
            path: The file.
            force: Whether to overwrite a file that holds anything else than this task.

        """
        expect("path", path, str, os.PathLike, otherwise="a path")
        names = self.graph.node_names

        def named(positions: np.ndarray) -> list[Any]:
            if positions.ndim == 2:
                return [[names[source], names[target]] for source, target in positions]
            return [names[node] for node in positions]

        content = {
            "format": FORMAT,
            "graph": self.graph.name,
            "graph_hash": self.graph.content_hash,
            "task_hash": self.content_hash,
            "seed": self.seed,
            "targets": {split: named(self.targets(split)) for split in SPLITS[:3]},
            "pairs": {split: named(self.pairs(split)) for split in SPLITS[1:3]},
        }
        text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        if not force:
            refuse_other(Path(path), text)
        write_text(Path(path), text)

    @classmethod
    def load(cls, path: str | Path, graph: Graph) -> SearchTask:
        """Read a task back for its own graph.

        Args:
            path: A file that :meth:`save` wrote.
            graph: The graph that the task was made for; only its content has to be the same.

        Raises:
            TaskError: If the file is missing or altered, or belongs to another graph.

        """
        path = Path(path)
        content = _read_task_file(path)
        if content.get("graph_hash") != graph.content_hash:
            raise TaskError(
                f"{path}: this task is for {content.get('graph')!r}, whose content differs from "
                f"{graph.name!r}: load it with its own graph"
            )
        try:
            task = _task_of_content(content, graph)
        except (GardenError, KeyError, TypeError, ValueError) as error:
            raise TaskError(f"{path}: the task is damaged ({error})") from None
        if task.content_hash != content.get("task_hash"):
            raise TaskError(f"{path}: the task was altered: its hash does not match its content")
        return task

    def __repr__(self) -> str:
        sizes = "/".join(str(len(self.targets(split))) for split in SPLITS[:3])
        return (
            f"SearchTask({self.graph.name!r}, seed {self.seed}, {sizes} targets, "
            f"{len(self.test_pairs)} test pairs)"
        )

    def _repr_html_(self) -> str:
        properties = {
            "seed": str(self.seed),
            **{f"{split} targets": f"{len(self.targets(split)):,}" for split in SPLITS[:3]},
            "validation pairs": f"{len(self.validation_pairs):,}",
            "test pairs": f"{len(self.test_pairs):,}",
        }
        return properties_as_html(f"SearchTask on {self.graph.name}", properties)


def draw_pairs(targets: np.ndarray, num_nodes: int, num_pairs: int, seed: list[int]) -> np.ndarray:
    """Uniform targets and, for each, a uniform source that is another node.

    Args:
        targets: The nodes to draw targets from, (num_targets,).
        num_nodes: How many nodes the graph has.
        num_pairs: How many pairs to draw, with replacement.
        seed: A seed and the tag of a stream (:mod:`garden.random_streams`).

    Returns:
        Source and target of each pair, (num_pairs, 2).

    """
    rng = np.random.default_rng(seed)
    chosen = rng.choice(targets, num_pairs)
    sources = rng.integers(0, num_nodes - 1, num_pairs)
    sources += sources >= chosen  # skip over the target
    return np.stack([sources, chosen], axis=1)


def every_source(targets: np.ndarray, num_nodes: int) -> np.ndarray:
    """Every other node with each of some targets, (num_pairs, 2), grouped by target.

    Args:
        targets: Positions of nodes, (num_targets,).
        num_nodes: How many nodes the graph has.
    """
    pairs = np.stack(
        [np.tile(np.arange(num_nodes), len(targets)), np.repeat(targets, num_nodes)], axis=1
    )
    return pairs[pairs[:, 0] != pairs[:, 1]]


def pairs_by_target(pairs: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """The targets of some pairs, and which pairs each has.

    Args:
        pairs: Positions of source and target, (num_pairs, 2).

    Returns:
        The distinct targets in ascending order, (num_targets,), and for each of them the rows of
        its pairs in their order.
    """
    targets, target_of = np.unique(pairs[:, 1], return_inverse=True)
    order = np.argsort(target_of, kind="stable")
    ends = np.cumsum(np.bincount(target_of, minlength=len(targets)))
    return targets, np.split(order, ends[:-1])


def _read_task_file(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise TaskError(f"{path}: no such task file: make one with 'garden task'") from None
    except (OSError, ValueError, RecursionError) as error:
        raise TaskError(f"{path}: not a readable task file ({error})") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise TaskError(f"{path}: not a task file of this version ({FORMAT})")
    return content


def _task_of_content(content: dict[str, Any], graph: Graph) -> SearchTask:
    def targets(split: str) -> np.ndarray:
        return np.array([graph.position(name) for name in content["targets"][split]], dtype=int)

    def pairs(split: str) -> np.ndarray:
        listed = [[graph.position(s), graph.position(t)] for s, t in content["pairs"][split]]
        return np.array(listed, dtype=int).reshape(-1, 2)

    return SearchTask(graph, content["seed"], *map(targets, SPLITS[:3]), *map(pairs, SPLITS[1:3]))


def _check_seed(seed: object) -> int:
    if isinstance(seed, bool) or not isinstance(seed, Integral):
        raise TaskError(f"seed {short_repr(seed)} is not a whole number")
    if seed < 0:
        raise TaskError(f"seed {seed} is negative: use 0 or more")
    return int(seed)


def _check_targets(task: SearchTask) -> None:
    parts = [task.train_targets, task.validation_targets, task.test_targets]
    if any(len(part) == 0 for part in parts):
        raise TaskError("every part of a split needs at least one target")
    together = np.concatenate(parts)
    if len(np.unique(together)) != len(together):
        raise TaskError("a target stands in more than one part of the split")
    _check_positions(together, task.graph, "target")


def _check_positions(positions: np.ndarray, graph: Graph, what: str) -> None:
    if not np.issubdtype(positions.dtype, np.integer):
        raise TaskError(f"a {what} must be an integer position, not {positions.dtype}")
    if positions.min() < 0 or positions.max() >= graph.num_nodes:
        raise TaskError(f"a {what} is not a node of {graph.name}")


def _check_pairs(pairs: np.ndarray, targets: np.ndarray, split: str, graph: Graph) -> None:
    if len(pairs) == 0:
        raise TaskError(f"the {split} part has no pairs")
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise TaskError(f"the {split} pairs have shape {pairs.shape}: expected (num_pairs, 2)")
    _check_positions(pairs[:, 0], graph, f"{split} source")
    _check_positions(pairs[:, 1], graph, f"{split} target")
    if (pairs[:, 0] == pairs[:, 1]).any():
        raise TaskError(f"a {split} pair has the same node as source and target")
    if not np.isin(pairs[:, 1], targets).all():
        raise TaskError(f"a {split} pair has a target that is not in the {split} part")
