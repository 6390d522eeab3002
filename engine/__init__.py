"""Numbers and data of Anonymizer: no Qt, usable from a script."""
