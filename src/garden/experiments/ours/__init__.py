"""Experiments of our own: what is claimed beyond the paper."""
