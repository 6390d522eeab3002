"""Perspective that assesses a table anonymized elsewhere."""
