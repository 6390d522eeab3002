"""Writes the document that goes with a release, or with a file that somebody else made."""
