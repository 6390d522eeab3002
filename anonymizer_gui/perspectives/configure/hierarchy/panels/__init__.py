"""Parts of the panel in which a builder is chosen, and what tells them about the draft."""
