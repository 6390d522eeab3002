"""What a requirement leaves of every node, looked up from cells, tables by class size, or tuples."""
