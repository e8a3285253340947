"""`trellis`: embeddings, distance codes and match indicators, scored by a small network."""
