"""Qt item models over engine values; their only state is order and filter."""
