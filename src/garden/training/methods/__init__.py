"""How models are trained: `a2c`, `exact` and `guided`, one loss per module."""
