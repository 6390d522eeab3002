"""Bars and cards around the perspectives."""
