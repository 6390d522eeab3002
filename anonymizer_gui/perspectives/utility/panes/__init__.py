"""What stands in the lower cards: one analysis each, its values and its view."""
