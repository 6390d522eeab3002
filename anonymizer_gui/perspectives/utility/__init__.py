"""Analyze utility: what the release keeps of its input."""
