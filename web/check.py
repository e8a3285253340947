"""Check that the shipped page is what its sources build.

python web/check.py

Rebuilds it where Node.js 20 is at hand and compares bytes; elsewhere compares the recorded hash of
the sources.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

WEB = Path(__file__).resolve().parent
STATIC = WEB.parent / "src" / "garden" / "web" / "static"
LOOSE = (
    ".npmrc",
    "build.mjs",
    "index.html",
    "package-lock.json",
    "package.json",
    "tsconfig.json",
)
MIN_NODE = 20
REBUILD = "run `npm ci && npm run build` in web/ and commit src/garden/web/static"


def source_files() -> list[str]:
    """Every file that decides what the build holds, sorted: `build.mjs` reads the same ones."""
    inside = [path.relative_to(WEB).as_posix() for path in (WEB / "src").rglob("*")]
    return sorted([*LOOSE, *(name for name in inside if (WEB / name).is_file())])


def sources_hash() -> str:
    """The hash that a build records beside its output."""
    total = hashlib.sha256()
    for name in source_files():
        total.update(name.encode() + b"\0" + (WEB / name).read_bytes() + b"\0")
    return total.hexdigest()


def node_version() -> int:
    """The major version of the Node.js at hand; 0 without one."""
    if not shutil.which("node") or not shutil.which("npm"):
        return 0
    said = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False)
    return int(said.stdout.strip().lstrip("v").partition(".")[0] or 0)


def built(folder: Path) -> Path | None:
    """The page built anew from a copy of the sources; None where packages cannot be had."""
    copy = folder / "web"
    for name in source_files():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(WEB / name, copy / name)
    quiet = {"cwd": copy, "check": False, "capture_output": True, "text": True}
    try:
        installed = subprocess.run(["npm", "ci", "--ignore-scripts"], timeout=300, **quiet)
    except subprocess.TimeoutExpired:
        return None
    if installed.returncode:
        return None
    out = folder / "static"
    command = ["node", "build.mjs", str(out)]
    types = subprocess.run(["npm", "run", "--silent", "types"], **quiet)
    made = subprocess.run(command, env={**os.environ, "NODE_ENV": "production"}, **quiet)
    if types.returncode or made.returncode:
        sys.exit(
            f"the page does not build:\n{types.stdout}{types.stderr}{made.stdout}{made.stderr}"
        )
    return out


def contents(folder: Path) -> dict[str, bytes]:
    """The bytes of every file of a folder, by name."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def main() -> None:
    """Fail with a line where the page and its sources differ."""
    recorded = (STATIC / "sources.sha256").read_text().strip()
    if recorded != sources_hash():
        sys.exit(f"the page was built from other sources: {REBUILD}")
    if node_version() < MIN_NODE:
        print("the page's sources are those it was built from (no Node.js 20: not rebuilt)")
        return
    with tempfile.TemporaryDirectory() as folder:
        out = built(Path(folder))
        if out is None:
            print("the page's sources are those it was built from (packages out of reach)")
            return
        new, shipped = contents(out), contents(STATIC)
    differing = sorted(name for name in new.keys() | shipped if new.get(name) != shipped.get(name))
    if differing:
        sys.exit(f"{', '.join(differing)} differ from what their sources build: {REBUILD}")
    print(f"the page: {len(shipped)} files, byte for byte what their sources build")


if __name__ == "__main__":
    main()
