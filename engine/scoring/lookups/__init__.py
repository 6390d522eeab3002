"""The kept records of every node under a requirement, from cells, tables by class size, or tuples."""
