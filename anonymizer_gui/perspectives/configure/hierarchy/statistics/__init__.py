"""Statistics of the levels of a hierarchy: group sizes, and effects on the classes."""
