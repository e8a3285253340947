"""Search itself: exact chains, sampled walks, metrics and comparisons."""
