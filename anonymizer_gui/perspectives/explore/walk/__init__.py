"""Walk: replay of one or two search algorithms on the lattice."""
