"""Findings about a table, said once: what is read in window, report, command and notebook."""
