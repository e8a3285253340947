"""Peers over a network: hosts, their sockets (ZeroMQ with CURVE), and who may speak to them."""

from importlib.util import find_spec

from garden.errors import MissingExtraError

if find_spec("zmq") is None:
    raise MissingExtraError("a network of peers needs pyzmq: pip install 'garden-search[peers]'")
