"""The first page, and opening files."""
