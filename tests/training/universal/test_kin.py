"""Graphs that are left out together."""

import numpy as np

from garden.datasets.random_attributed import attributed, with_attributes
from garden.training.universal.kin import folds_of, kin_groups, kin_pairs


def test_kin__a_piece_of_a_graph_is_its_kin_and_another_graph_is_not():
    graph, other = attributed(1), attributed(2)
    piece = graph.subgraph(np.arange(graph.num_nodes * 3 // 4)).largest_component()
    piece = with_attributes(piece, np.asarray(piece.attributes), "piece")
    graphs = {"whole": graph, "other": other, "renamed": with_attributes(
        graph, np.asarray(graph.attributes), "renamed"), "piece": piece}  # fmt: skip
    assert ("renamed", "whole") in kin_pairs(graphs)
    groups = kin_groups(graphs)
    assert next(group for group in groups if "whole" in group)[:2] == ("whole", "renamed")
    assert ("other",) in groups


def test_kin__those_named_as_kin_are_left_out_together():
    graphs = {"collection:citation/cora": attributed(1), "a": attributed(3),
              "collection:citation/cora_ml": attributed(2)}  # fmt: skip
    assert kin_groups(graphs)[0] == ("collection:citation/cora", "collection:citation/cora_ml")


def test_folds__hold_every_group_once_and_whole():
    groups = [("a", "b"), ("c",), ("d",), ("e", "f"), ("g",)]
    folds = folds_of(groups, 2)
    assert folds == [("a", "b", "d", "g"), ("c", "e", "f")]
