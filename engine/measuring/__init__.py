"""What can be said of a table as it is, without hierarchies or a lattice."""
