"""Both tables of a claim, counted where they are: in the database of the verification, or on a cluster."""
