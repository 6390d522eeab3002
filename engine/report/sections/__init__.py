"""One file per section of a report; see `engine.report.base`."""
