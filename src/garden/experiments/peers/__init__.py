"""Peers: cutting a graph into them."""
