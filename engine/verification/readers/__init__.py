"""Readers of files, independent of those of the engine."""
