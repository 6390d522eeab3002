"""Why so many stars: what keeps records apart, and single changes that bring them back."""
