"""Every table and figure of the paper, and of our own claims, from nothing but the data."""
