"""How objects show themselves: one line each, and a table in notebooks."""

from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

import garden
from garden.models.policy import Policy, PolicyInfo
from garden.models.registry import ModelConfig, build_model
from garden.notebook import properties_as_html, table_as_html
from garden.resolve import strategy_named
from garden.strategies.universal.adapted import Adapted

SPEC = "kaiser-hilgetag:n=40,beta=1,seed=1"
HOSTILE = "<script>alert('&\"')</script>\nsecond line \ud800"
FACTS = {"graph": HOSTILE, "validation_ratio": 1.5, "kept": "weights as they were"}


def hostile_graph():
    graph = garden.load(SPEC)
    names = tuple(f"{HOSTILE}{number}" for number in range(len(graph)))
    return replace(graph, name=HOSTILE, node_names=names, attribute_names=(HOSTILE, "<b>"))


def policy_of(graph):
    info = PolicyInfo("garden", {}, "exact", False, graph, "g", "t", 3, ("a",))
    return Policy(build_model("garden", 1, ModelConfig(hidden=5, embedding=4)), info)


KINDS = ("Graph", "SearchTask", "Report", "RoutedMessage", "Policy", "Universal", "Adapted")


@pytest.fixture(scope="module")
def objects():
    """One of each kind, with names that want to be more than text."""
    graph = hostile_graph()
    task = garden.SearchTask.split(graph, seed=0)
    report = garden.evaluate(task, ["random", "greedy+visited"])
    message = garden.route(graph, source=graph.node_names[3], target=graph.node_names[17])
    universal = strategy_named("universal")
    adapted = Adapted(universal, graph.content_hash, "t", 0, FACTS)
    some = [graph, task, report, message, policy_of(HOSTILE), universal, adapted]
    return {type(one).__name__: one for one in some}


class Tags(HTMLParser):
    """Which tags a page has, and whether each is closed."""

    def __init__(self):
        super().__init__()
        self.seen, self.open = set(), []

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("kind", KINDS)
def test_repr__is_one_line_that_begins_with_the_kind(objects, kind):
    thing = objects[kind]
    assert len(repr(thing).splitlines()) == 1
    assert repr(thing).startswith(f"{type(thing).__name__}(")
    assert len(repr(thing)) < 400


@pytest.mark.parametrize("kind", KINDS)
def test_html__is_a_table_and_hostile_names_are_text_in_it(objects, kind):
    page = objects[kind]._repr_html_()
    page.encode("utf-8")
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert tags.seen <= {"table", "caption", "thead", "tbody", "tr", "th", "td"}


def test_repr__says_what_there_is():
    graph = garden.load(SPEC)
    assert repr(graph) == f"Graph('{SPEC}', 40 nodes, {graph.num_edges} edges, 2 attributes)"
    task = garden.SearchTask.split(graph, seed=2)
    assert repr(task) == f"SearchTask('{SPEC}', seed 2, 32/4/4 targets, 1000 test pairs)"
    report = garden.evaluate(task, ["random", "greedy+visited"])
    ratios = [f"{result.oracle_ratio:.2f}" for result in report.results]
    assert repr(report).endswith(f"oracle ratios: random {ratios[0]}, greedy+visited {ratios[1]})")
    message = garden.route(graph, "greedy", source=3, target=17, memory="backtrack")
    assert repr(message).startswith(f"RoutedMessage('3' → '17', delivered in {message.hops} hops")


def test_html__shows_the_cells_of_a_report_and_the_hops_of_a_message(objects):
    report, message = objects["Report"], objects["RoutedMessage"]
    for row in report.rows():
        assert f"<td>{row[2]}</td>" in report._repr_html_()
    assert message._repr_html_().count("<tr>") == message.hops + 2
    assert "<th>seed</th><td>3</td>" in objects["Policy"]._repr_html_()


def test_notebook__cells_are_escaped():
    assert table_as_html("a<b", ("x&",), [("1", "<i>")]) == (
        "<table><caption>a&lt;b</caption><thead><tr><th>x&amp;</th></tr></thead>"
        "<tbody><tr><th>1</th><td>&lt;i&gt;</td></tr></tbody></table>"
    )
    assert properties_as_html("t", {"k": "\ud800"}).endswith(
        "<tr><th>k</th><td>?</td></tr></tbody></table>"
    )


@pytest.fixture(params=["Policy", "Universal", "Adapted"])
def policy(request):
    universal = strategy_named("universal")
    return {
        "Policy": policy_of(SPEC),
        "Universal": universal,
        "Adapted": Adapted(universal, "g", "t", 0, {"graph": SPEC}),
    }[request.param]


def test_save__overwrites_no_policy_unless_told_to(policy, tmp_path):
    policy.save(tmp_path / "mine")
    before = {path.name: path.read_bytes() for path in (tmp_path / "mine").iterdir()}
    with pytest.raises(garden.GardenError, match="holds a policy already: give `force=True`"):
        policy.save(tmp_path / "mine")
    assert before == {path.name: path.read_bytes() for path in (tmp_path / "mine").iterdir()}
    policy.save(tmp_path / "mine", force=True)


def test_save__wants_a_folder(policy, tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(garden.GardenError, match="is a file, and a policy needs a folder"):
        policy.save(tmp_path / "file", force=True)
    with pytest.raises(garden.GardenError, match="`folder` is 42, of type int: give a path"):
        policy.save(42)
    assert (tmp_path / "file").read_text() == "mine"


def test_graph__len_keeps_it_true_and_numpy_takes_it_for_one_object():
    graph = garden.load(SPEC)
    assert bool(graph)
    assert np.array([graph, graph], dtype=object).shape == (2,)
