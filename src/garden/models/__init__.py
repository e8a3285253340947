"""Learned strategies: torch modules that represent ego graphs and score candidates."""
