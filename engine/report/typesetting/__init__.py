"""Text of any script in PDF: fonts of the system, shaping, direction and line breaks."""
