"""The list of nodes, its columns and its filters."""
