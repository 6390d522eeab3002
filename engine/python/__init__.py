"""Releases from DataFrames: what the public names of `engine` do that no other package does."""
