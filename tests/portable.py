"""The tests on other machines than this one, as far as this one can play them.

``python tests/portable.py [a] [b] [c] [d] [--tests PATH …]`` runs pytest in these environments, all
four by default, and fails if one of them does:

a. the plainest arithmetic that every library has, 1 thread, another hash seed, locale and time zone
b. AVX2 and 4 threads, yet another hash seed
c. nobody's user, without a home, on a copy of the tree that cannot be written
d. one core
"""

from __future__ import annotations

import argparse
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NOBODY = "nobody"
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
HOMES = ("HOME", "USER", "LOGNAME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
LEFT_OUT = (".git", ".venv", "__pycache__", ".*_cache", ".hypothesis", "*.egg-info", "runs")
# Succeeds where an interpreter is found with its packages, and finds itself again.
REACHED = "import subprocess, sys, pytest; subprocess.run([sys.executable, '-c', ''], check=True)"

# What a processor must be able to do, by /proc/cpuinfo, before a library may be told to do it: some
# libraries take such a variable at its word, and the process dies of an illegal instruction.
NEEDS = {
    ("ATEN_CPU_CAPABILITY", "avx2"): {"avx2", "fma"},
    ("MKL_CBWR", "COMPATIBLE"): {"sse2"},
    ("MKL_CBWR", "AVX2"): {"avx2", "fma"},
    ("OPENBLAS_CORETYPE", "Prescott"): {"pni"},
    ("OPENBLAS_CORETYPE", "Nehalem"): {"sse4_2"},
    ("OPENBLAS_CORETYPE", "Haswell"): {"avx2", "fma"},
}


@dataclass(frozen=True)
class Environment:
    """Where the tests run."""

    variables: dict[str, str] = field(default_factory=dict)
    threads: int | None = None  # None: as many as the process may use
    workers: int = 0  # processes of pytest-xdist; 0: none beside pytest itself
    closed: bool = False  # another user, no home, a tree that cannot be written
    one_core: bool = False


ENVIRONMENTS = {
    "a": Environment(
        {
            "ATEN_CPU_CAPABILITY": "default",
            "MKL_CBWR": "COMPATIBLE",
            "OPENBLAS_CORETYPE": "Prescott",
            "NUMBA_CPU_NAME": "generic",
            "PYTHONHASHSEED": "1",
            "LC_ALL": "C",
            "TZ": "CHAST-12:45",  # spelled out: zones by name need files that may be missing
        },
        threads=1,
        workers=2,
    ),
    "b": Environment(
        {
            "ATEN_CPU_CAPABILITY": "avx2",
            "MKL_CBWR": "AVX2",
            "OPENBLAS_CORETYPE": "Haswell",
            "PYTHONHASHSEED": "2",
        },
        threads=4,
    ),
    "c": Environment(
        {"MKL_CBWR": "COMPATIBLE", "OPENBLAS_CORETYPE": "Nehalem"},
        threads=1,
        workers=2,
        closed=True,
    ),
    "d": Environment(one_core=True),
}


class CannotRunError(Exception):
    """This machine cannot play that environment; the text says why."""


def cpu_flags() -> set[str]:
    """What the processor can do; nothing where the system does not say."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return set()
    return {flag for line in lines if line.startswith("flags") for flag in line.split()[2:]}


def honoured(variables: dict[str, str], flags: set[str]) -> dict[str, str]:
    """The variables that a processor of these flags can honour; a line for each other."""
    kept = {}
    for name, value in variables.items():
        missing = NEEDS.get((name, value), set()) - flags
        if missing:
            say(f"skipped {name}={value}: this processor has no {', '.join(sorted(missing))}")
        else:
            kept[name] = value
    return kept


def variables_of(environment: Environment, flags: set[str]) -> dict[str, str]:
    """All variables of the process, those of this one that would lean on it taken out."""
    gone = {*THREADS, *(HOMES if environment.closed else ())}
    kept = {name: value for name, value in os.environ.items() if name not in gone}
    if environment.threads is not None:
        kept |= dict.fromkeys(THREADS, str(environment.threads))
    return kept | honoured(environment.variables, flags)


def run(environment: Environment, tests: list[str]) -> int:
    """Run these tests there: pytest's exit status."""
    variables = variables_of(environment, cpu_flags())
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    pytest += ["-n", str(environment.workers), *tests]
    if environment.closed:
        with closed_copy() as (tree, temporary):
            variables |= {"PYTHONPATH": str(tree / "src"), "TMPDIR": str(temporary)}
            command = [*nobodys_prefix(variables), *pytest]
            return subprocess.run(command, env=variables, cwd=tree).returncode
    if environment.one_core:
        pytest = [*one_core_prefix(), *pytest]
    return subprocess.run(pytest, env=variables, cwd=ROOT).returncode


def one_core_prefix() -> list[str]:
    """What binds a command to one core."""
    if shutil.which("taskset") is None:
        raise CannotRunError("there is no taskset here")
    return ["taskset", "--cpu-list", str(min(os.sched_getaffinity(0)))]


def nobodys_prefix(variables: dict[str, str]) -> list[str]:
    """What gives a command to a user without rights; nothing where this one has none.

    Where the interpreter lies in a folder that is closed to others, such as root's home, that user
    may read everything, and still write nothing.
    """
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        raise CannotRunError("there is no setpriv here to drop the rights of root with")
    plain = ["setpriv", f"--reuid={NOBODY}", f"--regid={nobodys_group()}", "--clear-groups"]
    reading = ["--inh-caps=-all,+dac_read_search", "--ambient-caps=-all,+dac_read_search"]
    for prefix in ([*plain, "--inh-caps=-all"], [*plain, *reading]):
        asked = [*prefix, sys.executable, "-c", REACHED]
        if subprocess.run(asked, env=variables, cwd="/", capture_output=True).returncode == 0:
            return prefix
    raise CannotRunError(f"{NOBODY} cannot reach the interpreter {sys.executable}")


def nobodys_group() -> int:
    """The group that this user is in."""
    import pwd  # not everywhere, and where it is not, nobody is root

    try:
        return pwd.getpwnam(NOBODY).pw_gid
    except KeyError:
        raise CannotRunError(f"there is no user {NOBODY} here") from None


@contextmanager
def closed_copy() -> Iterator[tuple[Path, Path]]:
    """A copy of the tree that everybody may read and nobody write, and a temporary folder."""
    folder = Path(tempfile.mkdtemp(prefix="garden-portable-"))
    try:
        tree, temporary = folder / "tree", folder / "tmp"
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*LEFT_OUT))
        temporary.mkdir()
        temporary.chmod(0o1777)
        folder.chmod(0o755)
        for path in [tree, *tree.rglob("*")]:
            path.chmod(0o555 if path.is_dir() or path.stat().st_mode & stat.S_IXUSR else 0o444)
        yield tree, temporary
    finally:
        for path in [path for path in folder.rglob("*") if path.is_dir()]:
            path.chmod(0o755)
        shutil.rmtree(folder, ignore_errors=True)


def say(line: str) -> None:
    """Print a line at once, before whatever the tests print."""
    print(f"portable: {line}", flush=True)


def main() -> int:
    """Run what was asked for; 1 if any of it fails."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("environments", nargs="*", help="a, b, c or d; all by default")
    parser.add_argument("--tests", nargs="+", default=[], help="paths of tests; all by default")
    options = parser.parse_args()
    unknown = [name for name in options.environments if name not in ENVIRONMENTS]
    if unknown:
        parser.error(f"no environment {unknown[0]!r}: choose from {', '.join(ENVIRONMENTS)}")
    failed = []
    for name in options.environments or ENVIRONMENTS:
        say(f"environment ({name})")
        try:
            status = run(ENVIRONMENTS[name], options.tests)
        except CannotRunError as reason:
            say(f"skipped environment ({name}): {reason}")
            continue
        if status:
            failed.append(name)
    say(f"failed: {', '.join(failed)}" if failed else "all green")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
