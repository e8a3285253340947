"""The paper's runtime table: milliseconds per action."""
