"""Graphs, the ego graphs that agents see, and shortest-path distances."""
