"""Lists of the hierarchy: values with their labels per level, and the groups of a level."""
