"""Table 1 of the paper: agents and baselines on five Facebook graphs."""
