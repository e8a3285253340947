import logging

import numpy as np
import pytest

from garden.graphs.attribute_encoding import encode_columns
from garden.graphs.parsed_graph import ParsedGraph, edge_notes

LOOPS = "2 self-loops are dropped"
MERGED = "1 of 4 edges repeat others: they are merged"
ONE_WAY = "1 of 2 links stand in one direction only: they are taken in both directions"


@pytest.mark.parametrize(
    ("edges", "directed", "notes"),
    [
        ([(0, 1), (1, 2)], None, []),  # an undirected list, each edge once
        ([(0, 1), (1, 0), (1, 2), (2, 1)], None, []),  # each edge in both directions
        ([(0, 1), (1, 0), (1, 2)], None, [ONE_WAY]),
        ([(0, 1), (1, 0), (1, 2)], True, [ONE_WAY]),
        ([(0, 1), (1, 0)], True, []),
        ([(0, 1), (1, 2)], True, ["2 of 2 links" + ONE_WAY[8 + 4 :]]),
        ([(0, 1), (1, 0), (1, 2), (2, 3)], False, [MERGED]),
        ([(0, 1), (0, 1), (1, 2), (2, 3)], None, [MERGED]),
        ([(0, 0), (0, 1), (1, 1)], None, [LOOPS]),
        ([(0, 0), (1, 1)], True, [LOOPS]),
        ([], None, []),
        ([(0, 0), (1, 1), (0, 1), (1, 0), (1, 2), (1, 2)], None, [LOOPS, MERGED, ONE_WAY]),
    ],
)
def test_parsed_graph__what_is_forgotten_of_edges_is_counted(edges, directed, notes):
    assert list(edge_notes(np.array(edges).reshape(-1, 2), directed)) == notes


def test_parsed_graph__every_loss_is_logged_once(caplog):
    caplog.set_level(logging.INFO, "garden")
    columns = encode_columns({"age": [3, None], "kind": [None, None]}, 3, str, "g")
    parsed = ParsedGraph(
        "g", np.array([(0, 1), (1, 1)]), list("abc"), columns, True, num_without_row=1
    )
    graph = parsed.graph()
    assert (graph.num_nodes, graph.num_edges) == (3, 1)
    assert [(record.levelno, record.getMessage()) for record in caplog.records] == [
        (logging.WARNING, "g: 1 of 3 nodes have no row: zeros instead"),
        (logging.WARNING, "g: 3 missing cells in 2 of 3 nodes count as zeros"),
        (logging.WARNING, "g: 1 self-loops are dropped"),
        (
            logging.WARNING,
            "g: 1 of 1 links stand in one direction only: they are taken in both directions",
        ),
    ]
