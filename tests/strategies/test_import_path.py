"""Strategies by dotted name, and everything that can be wrong with one."""

import sys

import pytest

from garden.errors import GardenError
from garden.resolve import strategy_named
from garden.strategies.import_path import strategy_of_dotted_name
from garden.strategies.walkers import GreedyWalker

GOOD = """
class Good:
    def __init__(self, temperature=2.0):
        self.temperature = temperature
    def represent(self, egos):
        return None
    def score(self, candidates, targets):
        return None
class Group:
    Inner = Good
class Needy(Good):
    def __init__(self, weight, *, depth):
        self.weight = weight
class Failing(Good):
    def __init__(self):
        self.weight = 1 / 0
class Mute:
    def represent(self, egos):
        return None
class Talking:
    key_seed = 3
    def begin(self, egos, keys):
        return None
    hear = score = begin
class Deaf:
    pass
ready = Good(temperature=5.0)
answer = 42
def make():
    return Good(temperature=3.0)
def forget():
    return Good
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty working folder; what is imported from it is forgotten again."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path])
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]


def message_of(name):
    with pytest.raises(GardenError) as raised:
        strategy_of_dotted_name(name)
    message = str(raised.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    ("attribute", "temperature"), [("Good", 2), ("Group.Inner", 2), ("ready", 5), ("make", 3)]
)
def test_dotted__a_class_a_function_or_an_object(folder, attribute, temperature):
    (folder / "mine.py").write_text(GOOD)
    strategy = strategy_of_dotted_name(f"mine:{attribute}")
    assert (strategy.name, strategy.temperature) == ("Good", temperature)


def test_dotted__a_class_with_rounds(folder):
    (folder / "mine.py").write_text(GOOD)
    strategy = strategy_named("mine:Talking")
    assert (strategy.name, strategy.knows, strategy.key_seed) == ("Talking", "gossip", 3)


def test_dotted__a_module_may_be_called_like_a_walker(folder):
    (folder / "greedy.py").write_text(GOOD)
    assert strategy_named("greedy:Good").temperature == 2


def test_dotted__a_module_inside_a_package_of_the_working_folder(folder):
    (folder / "mypackage").mkdir()
    (folder / "mypackage" / "mine.py").write_text(
        "from garden.strategies.walkers import GreedyWalker as Strategy\n"
    )
    assert isinstance(strategy_of_dotted_name("mypackage.mine:Strategy"), GreedyWalker)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("elsewhere:Good", "elsewhere:Good: cannot import elsewhere: no module named 'elsewhere'"),
        ("mine.deeper:Good", "no module named 'mine.deeper'"),
        ("mine.py:Good", "it wants a module, not a file: mine:Good"),
        ("./mine.py:Good", "it wants a module, not a file: mine:Good"),
        ("walkers/mine.py:Good", "it wants a module, not a file: walkers.mine:Good"),
        ("mine:", "write package.module:Class"),
        (":Good", "write package.module:Class"),
        ("mine:Godo", "mine:Godo: mine has no 'Godo': did you mean 'Good'?"),
        ("mine:Group.Nothing", "mine has no 'Nothing'"),
        ("mine:answer", "mine:answer is not a strategy: it has no represent and no score ("),
        ("mine:Deaf", "mine:Deaf is not a strategy: it has no represent and no score ("),
        ("mine:Mute", "mine:Mute is not a strategy: it has no score ("),
        ("mine:forget", "mine:forget gave <class 'mine.Good'>, which is not a strategy"),
        ("mine:Needy", "mine:Needy needs arguments (weight, depth): give them defaults"),
        ("mine:Failing", "making it failed (mine.py, line 16: ZeroDivisionError: division by zero"),
    ],
)
def test_dotted__what_is_wrong_is_said_in_one_line(folder, name, message):
    (folder / "mine.py").write_text(GOOD)
    assert message in message_of(name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\nx = 1 / 0\n", "(mine.py, line 2: ZeroDivisionError: division by zero)"),
        ("x = 1\n\nx = = 2\n", "(mine.py, line 3: SyntaxError: invalid syntax)"),
        ("import json\njson.loads('{')\n", "(mine.py, line 2: JSONDecodeError: "),
        ("import helper\n", "(helper.py, line 1: ModuleNotFoundError: No module named 'nowhere')"),
        ("import sys\nsys.exit('stop')\n", "(mine.py, line 2: SystemExit: stop)"),
        ("raise ValueError('two\\nlines')\n", "(mine.py, line 1: ValueError: two lines)"),
        ("raise ValueError\n", "(mine.py, line 1: ValueError)"),
    ],
)
def test_dotted__an_import_that_raises_is_named_with_file_and_line(folder, text, message):
    (folder / "mine.py").write_text(text)
    (folder / "helper.py").write_text("import nowhere\n")
    said = message_of("mine:Good")
    assert said.startswith("mine:Good: cannot import mine (")
    assert message in said
