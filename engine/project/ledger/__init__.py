"""Release ledger: the releases of a source, and what they reveal about people together."""
