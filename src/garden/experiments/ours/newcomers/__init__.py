"""Newcomers: nodes that were not in the graph when a policy was trained, as targets."""
