"""Projects of ARX 3 in, and tables with hierarchies for ARX out."""
