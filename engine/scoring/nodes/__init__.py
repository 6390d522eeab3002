"""Details of one node: its classes, its values, and the causes of its suppression."""
