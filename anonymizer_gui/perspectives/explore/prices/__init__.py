"""Prices: what every level of every column costs, in a table that answers to the knobs."""
