"""The places of the window a person works in; they never import one another."""
