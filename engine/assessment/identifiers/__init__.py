"""Which columns single people out, alone and together, and how much."""
