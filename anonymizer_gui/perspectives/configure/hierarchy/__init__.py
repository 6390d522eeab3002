"""The hierarchy editor, a page of Configure: builders, icicle, table and statistics of one hierarchy."""
