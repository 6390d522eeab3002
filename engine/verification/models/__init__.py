"""Verifiers of privacy models, one file each, named after the model's key."""
