"""Inspector: panel with all details of the selected node."""
