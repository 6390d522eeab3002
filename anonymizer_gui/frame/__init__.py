"""The bars around the perspectives."""
