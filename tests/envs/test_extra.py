"""Without the extra everything else works, and what needs it says what to install."""

from __future__ import annotations

import subprocess
import sys

import pytest

BLOCK = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name.partition(".")[0])
sys.meta_path.insert(0, Missing())
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name in {blocked!r} else find(name, *more)
"""


def run(blocked: list[str], code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", BLOCK.format(blocked=blocked) + code],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", ["SearchEnv", "SearchVectorEnv", "SearchAECEnv"])
def test_missing_gymnasium__one_line_says_what_to_install(name: str) -> None:
    code = f"""
import garden, garden.envs, garden.envs.core
try:
    garden.envs.{name}
except (garden.GardenError) as error:
    assert isinstance(error, ImportError)
    print(error)
"""
    expected = f"{name} needs gymnasium: pip install 'garden-search[envs]'\n"
    assert run(["gymnasium", "pettingzoo"], code) == expected


def test_missing_pettingzoo__gymnasiums_environments_work_without() -> None:
    code = """
import garden, garden.envs
task = garden.SearchTask.split(garden.load("kaiser-hilgetag:n=20,beta=1"))
garden.envs.SearchEnv(task).reset(seed=0)
try:
    garden.envs.SearchAECEnv
except garden.GardenError as error:
    print(error)
"""
    expected = "SearchAECEnv needs pettingzoo: pip install 'garden-search[envs]'\n"
    assert run(["pettingzoo"], code) == expected


def test_import_garden__loads_neither_gymnasium_nor_pettingzoo() -> None:
    code = """
import garden, garden.api, garden.cli.main
print([name for name in ("gymnasium", "pettingzoo") if name in sys.modules])
"""
    assert run([], code) == "[]\n"


def test_unknown_name__is_an_attribute_error() -> None:
    import garden.envs

    assert "SearchEnv" in dir(garden.envs)
    with pytest.raises(AttributeError, match="SearchParallelEnv"):
        _ = garden.envs.SearchParallelEnv
