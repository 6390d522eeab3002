"""How likely it is that somebody finds a person in a table."""
