"""Agents that run for real: the core of a peer, what travels between peers, what drives them."""

from importlib.util import find_spec

from garden.errors import MissingExtraError

for _package in ("msgspec", "cryptography"):
    if find_spec(_package) is None:
        raise MissingExtraError(f"peers need {_package}: pip install 'garden-search[peers]'")
