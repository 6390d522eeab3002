"""Small parts of the window that know nothing of anonymization."""
