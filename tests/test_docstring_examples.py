import doctest
import importlib
from pathlib import Path

import pytest

import garden

ROOT = Path(garden.__file__).parent
WITH_EXAMPLES = [path for path in sorted(ROOT.rglob("*.py")) if ">>> " in path.read_text("utf-8")]


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_docstrings__their_examples_give_what_they_say(path):
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    outcome = doctest.testmod(importlib.import_module(".".join(parts)))
    assert outcome.attempted > 0
    assert outcome.failed == 0
