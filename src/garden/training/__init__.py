"""Training: the methods by which models become policies."""
