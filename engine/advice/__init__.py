"""What could be done next: findings before a run, remedies, what is in reach, a first release."""
