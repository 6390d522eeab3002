"""Text files: delimited text, JSON lines and pasted cells, read and written."""
