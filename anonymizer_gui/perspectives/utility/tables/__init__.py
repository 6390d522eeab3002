"""Input and release side by side."""
