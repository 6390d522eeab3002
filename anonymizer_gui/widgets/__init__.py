"""Small reusable widgets, independent of anonymization."""
