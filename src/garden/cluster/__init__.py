"""Graphs that no single machine holds: shards of nodes, each held by an actor of a Ray cluster."""
