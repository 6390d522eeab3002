"""Record sources: where the records of a table are, and what can be asked about them there."""
