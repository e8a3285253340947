"""Agents that run for real: the core of a peer, what travels between peers, what drives them."""
