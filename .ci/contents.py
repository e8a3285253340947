"""Check what a wheel and an sdist hold: the package, its weights and page, the licence, no more.

python .ci/contents.py DIST      # a folder with one wheel and one sdist
"""

import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"
PACKAGE = {
    str(path.relative_to(SOURCE))
    for path in (SOURCE / "garden").rglob("*")
    if path.is_file() and "__pycache__" not in path.parts
}
STATIC = ("index.html", "page.js", "page.css", "walk.js", "favicon.svg", "LICENCES.txt")
NEEDED = {
    "garden/py.typed",
    "garden/weights/universal/config.json",
    "garden/__init__.py",
    *(f"garden/web/static/{name}" for name in STATIC),
}
METADATA = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"}
BESIDE = {  # the package in an sdist; .gitignore goes with every one that hatch makes
    ".gitignore",
    "CHANGELOG.md",
    "CITATION.cff",
    "LICENSE",
    "PKG-INFO",
    "README.md",
    "pyproject.toml",
}


def in_wheel(path: Path) -> set[str]:
    """The files of a wheel."""
    with zipfile.ZipFile(path) as archive:
        return {name for name in archive.namelist() if not name.endswith("/")}


def in_sdist(path: Path) -> set[str]:
    """The files of an sdist, without the folder that all of them are in."""
    with tarfile.open(path) as archive:
        files = [member.name for member in archive.getmembers() if member.isfile()]
    return {name.partition("/")[2] for name in files}


def differences(held: set[str], expected: set[str], what: str) -> list[str]:
    """A line for each file that is missing or should not be there."""
    missing = [f"{what}: {name} is missing" for name in sorted(expected - held)]
    return missing + [f"{what}: {name} does not belong there" for name in sorted(held - expected)]


def main(dist: Path) -> None:
    """Fail with a line for each file that is missing or too many."""
    (wheel,), (sdist,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    info = "-".join(wheel.name.split("-")[:2]) + ".dist-info"
    problems = differences(in_wheel(wheel), PACKAGE | {f"{info}/{n}" for n in METADATA}, wheel.name)
    source = {f"src/{name}" for name in PACKAGE} | BESIDE
    problems += differences(in_sdist(sdist), source, sdist.name)
    problems += [f"{name} is not in the tree" for name in sorted(NEEDED - PACKAGE)]
    if problems:
        sys.exit("\n".join(problems))
    print(f"{wheel.name} and {sdist.name} hold {len(PACKAGE)} files of the package, and no others")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
