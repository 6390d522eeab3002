"""Both tables of a claim, counted in place: in the database of the verification, or on a cluster."""
