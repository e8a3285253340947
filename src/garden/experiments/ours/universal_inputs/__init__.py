"""What each group of `universal`'s inputs is worth."""
