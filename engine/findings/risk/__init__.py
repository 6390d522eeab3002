"""One file per question about what a release still gives away; see `engine.findings.base`."""
