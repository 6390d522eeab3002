"""Statistics of the levels of a hierarchy: group sizes."""
