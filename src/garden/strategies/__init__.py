"""Strategies: how an agent represents ego graphs and scores its neighbours. NumPy only."""
