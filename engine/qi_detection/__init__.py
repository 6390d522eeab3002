"""Detection of columns that could identify the person of a record."""
