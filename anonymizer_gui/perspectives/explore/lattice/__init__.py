"""The lattice: places, drawing, zoom, and what a click or a key in it means."""
