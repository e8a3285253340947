"""What neighbours that talk gain: sketches against their size, bars, cards, traffic."""
