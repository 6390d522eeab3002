"""De-identification statements in the outlines of their recipients."""
