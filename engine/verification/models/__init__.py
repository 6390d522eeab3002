"""The judges of privacy models, one file each, found by the key of the model."""
