"""Configure: what the columns mean, how their values may be coarsened, and what a release must meet."""
