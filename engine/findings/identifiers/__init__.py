"""Columns and sets of columns that single records out."""
