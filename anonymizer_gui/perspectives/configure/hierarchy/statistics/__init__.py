"""What the levels of a hierarchy do: sizes of their groups, effects on the classes."""
