"""The inspector: everything about one node."""
