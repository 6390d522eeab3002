"""Reports of a release, or of a file anonymized elsewhere."""
