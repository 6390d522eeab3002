"""Export of the applied release."""
