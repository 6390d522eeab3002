"""Perspective that sets roles, hierarchies and the requirement of a release."""
