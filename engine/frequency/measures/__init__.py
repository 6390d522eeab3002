"""Measures of the sensitive values of classes, one file each, found by name."""
