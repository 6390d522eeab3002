"""List of nodes with its columns and filters."""
