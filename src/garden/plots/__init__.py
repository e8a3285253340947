"""Pictures of graphs, walks, curves and tables."""
