"""Start page, and the reading of tables, recipes and projects."""
