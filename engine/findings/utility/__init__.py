"""Analyses of the utility of a release, one file each; see `engine.findings.base`."""
