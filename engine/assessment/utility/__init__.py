"""One file per question about what a release keeps of its input; see `engine.assessment.base`."""
