"""The hierarchy as lists: values with their labels per level, and the groups of a level."""
