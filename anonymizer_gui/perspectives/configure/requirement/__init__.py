"""What a release must satisfy: privacy models, limits, metric, and what is wrong with them before a run."""
