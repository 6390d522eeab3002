"""Hierarchies made by a builder: its form, examples and notes."""
