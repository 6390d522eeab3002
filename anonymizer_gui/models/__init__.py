"""Qt item models over engine values; they hold no state of their own beyond order and filter."""
