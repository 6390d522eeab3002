"""Exporting the applied release."""
