"""Analyze utility: information of the input that remains in the release."""
