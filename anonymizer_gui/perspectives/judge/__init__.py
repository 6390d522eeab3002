"""A table somebody else anonymized, judged as it is."""
