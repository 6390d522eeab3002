"""Measures of the sensitive values of classes, found by name."""
