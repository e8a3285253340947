"""The paper's figure of learned values beside true distances."""
