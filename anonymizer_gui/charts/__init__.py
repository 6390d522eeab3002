"""Charts of analyses, and the cards they stand in: values come ready, nothing here computes them."""
