"""Charts of analyses and their cards; values are computed elsewhere."""
