"""Agents that run for real: the core of a peer, what travels between peers, what drives them."""

from importlib.util import find_spec

from garden.errors import MissingExtraError

if find_spec("msgspec") is None:
    raise MissingExtraError("peers need msgspec: pip install 'garden-search[peers]'")
