"""One node looked at closely: its classes, its figures, and why it stands where it does."""
