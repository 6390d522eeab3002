"""Suggestions for the next step: findings before a run, remedies after it."""
